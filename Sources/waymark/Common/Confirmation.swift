import Foundation

/// The question before something is erased that nobody can bring back.
enum Confirmation {
    /// Says what would be erased, and waits until the operator types a word.
    ///
    /// - Parameters:
    ///   - what: what would be erased, as the object of a sentence.
    ///   - word: the word to type, such as a name.
    ///   - other: a word that is as good.
    /// - Throws: ``CommandFailure`` if something else was typed, or nothing.
    static func ask(erasing what: String, word: String, or other: String? = nil) async throws {
        Console.error("This permanently erases \(what). Type \(word) to continue:")
        let line: String?
        if let session = OperatorSession.current { line = try await session.line() } else { line = readLine() }
        let typed = line?.trimmingCharacters(in: .whitespaces)
        guard let typed, typed == word || typed == other else {
            throw CommandFailure.usage(
                "Nothing was erased, because \(word) was not typed. Use --yes to erase without asking."
            )
        }
    }
}

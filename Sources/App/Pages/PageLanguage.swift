import Formats
import Foundation
import HTTPTypes
import Library
import Web

/// A language of the pages: English, which stands in the program, or one whose texts are in a file.
struct PageLanguage: Sendable {
    /// The language's tag (BCP 47), in lower case.
    let code: String
    /// The file as the page's scripts load it; `nil` for English.
    let bytes: [UInt8]?
    private let texts: [String: String]

    private init(code: String, bytes: [UInt8]?, texts: [String: String]) {
        (self.code, self.bytes, self.texts) = (code, bytes, texts)
    }

    static let english = PageLanguage(code: "en", bytes: nil, texts: [:])

    /// The maximum number of bytes of a file of texts.
    private static let mostBytes = 1 << 20

    /// Reads a file of texts; `nil` if it is none.
    init?(code: String, bytes: [UInt8]) {
        let limits = JSONValue.Limits(bytes: PageLanguage.mostBytes, depth: 4)
        guard case .object(let members)? = try? JSONValue(parsing: bytes, limits: limits) else { return nil }
        self.init(code: code, bytes: bytes, texts: members.compactMapValues(\.string))
    }

    /// Returns a text in this language.
    func words(_ text: PageText) -> String { text.english.text(in: self) }

    /// Returns the translation of an English text; `nil` if there is none.
    func translation(of english: String) -> String? { texts[english] }

    /// The name of the language in itself.
    var name: String { texts[PageLanguage.nameKey] ?? "English" }

    private static let nameKey = "The name of this language"

    private static let leftward: Set<String> = ["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"]

    /// Whether the language is written from right to left.
    var isLeftward: Bool {
        code.split(separator: "-").first.map { PageLanguage.leftward.contains(String($0)) } ?? false
    }

    /// The name of its file among the page's; `nil` for English.
    var fileName: String? { bytes == nil ? nil : "texts-\(code).json" }
}

/// The languages in which the pages are there.
struct PageLanguages: Sendable {
    /// All of them, English first, the others by their tags.
    let all: [PageLanguage]

    /// Reads the files of texts; one that cannot be read is left out.
    init(folders: DataFolders) {
        let folder = folders.resource("page")?.appendingPathComponent("texts", isDirectory: true)
        let names = folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0.path) } ?? []
        all =
            [PageLanguage.english]
            + names.sorted()
            .compactMap { name in
                guard name.hasSuffix(".json"), let folder,
                    let data = try? Data(contentsOf: folder.appendingPathComponent(name))
                else { return nil }
                return PageLanguage(code: String(name.dropLast(5)), bytes: [UInt8](data))
            }
    }

    /// Returns the language of the answer to a request.
    func language(for headers: HTTPFields) -> PageLanguage {
        let code = LanguageChoice.language(for: headers, among: all.map(\.code))
        return all.first { $0.code == code } ?? .english
    }
}

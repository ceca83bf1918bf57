public import Stories

/// Which kinds of stories a file may name, besides those that every installation knows.
public struct KindChoices: Sendable {
    /// Whether a file may name kinds that no story has yet.
    public var allowsNew = true
    /// Returns the kinds of the stories that are stored, if new ones are not allowed; asked once, on the reading thread.
    public var inUse: (@Sendable () -> Set<StoryKind>)?
    /// How a new kind is allowed, for messages.
    public var remedy = "--new-kinds"

    /// Creates choices that allow every kind.
    public init() {}

    /// Returns why a kind is refused, with the known one that looks most like it.
    func refusal(of name: String, shown: String, known: Set<StoryKind>) -> String {
        let list = known.map(\.rawValue).sorted().joined(separator: ", ")
        guard !allowsNew, StoryKind(ImportField.normalized(name)) != nil else {
            return "\(shown) is not a kind of story; use \(list), or one of your own in a–z, 0–9 and _"
        }
        return unknown(ImportField.normalized(name), shown: shown, known: known, added: "those of the file")
    }

    /// Returns why the kind that is given for the stories of a file that name none is refused; `nil` if it may be used.
    ///
    /// It is one that every installation knows or that is `inUse`, unless new ones are allowed.
    package func refusal(ofGiven kind: StoryKind, inUse: Set<StoryKind>) -> String? {
        let known = inUse.union(StoryKind.known)
        guard !allowsNew, !known.contains(kind) else { return nil }
        return unknown(kind.rawValue, shown: "\"\(kind.rawValue)\"", known: known, added: "it")
    }

    private func unknown(_ name: String, shown: String, known: Set<StoryKind>, added: String) -> String {
        let list = known.map(\.rawValue).sorted().joined(separator: ", ")
        let nearest = KindChoices.nearest(to: name, among: known)
        let question = nearest.map { "did you mean \($0)? The kinds are" } ?? "the kinds are"
        return "\(shown) is not a kind of story so far; \(question) \(list), and \(remedy) adds \(added)"
    }

    /// Returns the kind whose name needs the fewest edits to become `name`, at most a third of its letters.
    static func nearest(to name: String, among kinds: Set<StoryKind>) -> StoryKind? {
        let ranked = kinds.sorted().map { (kind: $0, edits: edits(Array(name.utf8), Array($0.rawValue.utf8))) }
        guard let best = ranked.min(by: { $0.edits < $1.edits }), best.edits <= max(1, name.utf8.count / 3) else {
            return nil
        }
        return best.kind
    }

    /// Returns how many bytes must be inserted, removed or replaced to turn one text into another.
    private static func edits(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var row = Array(0...b.count)
        for (i, left) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, right) in b.enumerated() {
                let replaced = diagonal + (left == right ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, diagonal + 1, row[j] + 1)
            }
        }
        return row[b.count]
    }
}

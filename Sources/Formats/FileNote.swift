/// What a file says about itself as a whole: a member of its outermost JSON object, the name of a folder in KML.
package struct FileNote: Hashable, Sendable {
    /// The name of the member or element.
    package let name: String
    /// Its value.
    package let value: String

    /// Members that say nothing about the stories: those of the format, and the meanings of names.
    static let technical: Set<String> = ["@context", "bbox", "crs", "features", "links", "type"]
    /// The maximum nesting of objects that is looked into.
    private static let depth = 3

    /// Returns the texts, numbers and flags in a member; lists are about parts of the file.
    static func all(in value: JSONValue, called name: String, depth: Int = depth) -> [FileNote] {
        if technical.contains(name) { return [] }
        if let text = value.plainText { return [FileNote(name: name, value: text)] }
        guard depth > 0, let members = value.object else { return [] }
        return members.sorted { $0.key < $1.key }.flatMap { all(in: $0.value, called: $0.key, depth: depth - 1) }
    }
}

/// A chapter of the OpenAPI document: routes that belong together.
package struct APITag: Sendable {
    /// The name, which readers see.
    package let name: String
    /// What its routes are for, as a sentence.
    package let description: String
    private let prefixes: [String]

    /// Creates a chapter of the routes whose paths begin with one of the prefixes.
    package init(_ name: String, _ description: String, prefixes: [String]) {
        self.name = name
        self.description = description
        self.prefixes = prefixes
    }

    /// Returns the length of the longest of its prefixes with which a path begins; `nil` if there is none.
    private func match(_ path: String) -> Int? {
        prefixes.filter { path == $0 || path.hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") }.map(\.count).max()
    }

    /// Returns the chapter of a path: the one with the longest prefix.
    package static func of(_ path: String, among tags: [APITag]) -> APITag? {
        tags.compactMap { tag in tag.match(path).map { (tag, $0) } }.max { $0.1 < $1.1 }?.0
    }
}

/// A variable part of a path: a route interpolates it into its path, and its handler reads it with `call[part]`.
///
/// `"/v1/stories/\(PathPart.story)"` is the path `/v1/stories/{id}`.
package struct PathParameter<Value: Sendable>: Sendable, CustomStringConvertible {
    fileprivate let name: String
    fileprivate let read: @Sendable (_ text: String) -> Value?

    /// Creates a part; a text that `read` rejects is reported as not found, like an unknown id.
    package init(_ name: String, _ read: @escaping @Sendable (_ text: String) -> Value?) {
        self.name = name
        self.read = read
    }

    /// The placeholder in the path of a route.
    package var description: String { "{\(name)}" }
}

/// The variable parts of a request's path, read through the parameters that declare them.
struct PathValues: Sendable {
    private let texts: [String: String]

    init(_ texts: [String: String]) { self.texts = texts }

    /// The value of a part.
    ///
    /// - Throws: ``Problem`` (404) if the text is not a valid value.
    subscript<Value>(_ part: PathParameter<Value>) -> Value {
        get throws {
            guard let value = texts[part.name].flatMap(part.read) else { throw Problem.notFound }
            return value
        }
    }
}

/// A part of a path that varies: a route writes it into its path, and its handler reads it with `call[part]`.
///
/// `"/v1/stories/\(PathPart.story)"` is the path `/v1/stories/{id}`.
struct PathParameter<Value: Sendable>: Sendable, CustomStringConvertible {
    fileprivate let name: String
    fileprivate let read: @Sendable (_ text: String) -> Value?

    /// Creates a part; a text that `read` cannot read is not found, like an id of nothing.
    init(_ name: String, _ read: @escaping @Sendable (_ text: String) -> Value?) {
        self.name = name
        self.read = read
    }

    /// The part as it stands in the path of a route.
    var description: String { "{\(name)}" }
}

/// The parts of a request's path that vary, read through the parameters that declare them.
struct PathValues: Sendable {
    private let texts: [String: String]

    init(_ texts: [String: String]) { self.texts = texts }

    /// The value of a part.
    ///
    /// - Throws: ``Problem`` (404) where it is none.
    subscript<Value>(_ part: PathParameter<Value>) -> Value {
        get throws {
            guard let value = texts[part.name].flatMap(part.read) else { throw Problem.notFound }
            return value
        }
    }
}

/// A parameter of the query string: a route declares it, and its handler reads it with `call[parameter]`.
package struct QueryParameter<Value: Sendable>: QueryPart {
    package let declaration: ParameterDeclaration
    private let read: @Sendable (_ texts: [String]) throws(ParameterMismatch) -> Value

    private init<Item>(
        _ name: String,
        _ kind: ParameterKind<Item>,
        required: Bool = false,
        list: Bool = false,
        _ description: String,
        read: @escaping @Sendable (_ texts: [String]) throws(ParameterMismatch) -> Value
    ) {
        self.read = read
        declaration = ParameterDeclaration(
            name: name,
            schema: kind.schema,
            isRequired: required,
            isList: list,
            description: description,
            admit: kind.admit
        )
    }

    /// Creates a parameter that defaults to `usual`.
    package init(_ name: String, _ kind: ParameterKind<Value>, default usual: Value, _ description: String) {
        self.init(name, kind, description) { (texts: [String]) throws(ParameterMismatch) -> Value in
            guard let text = texts.last else { return usual }
            return try kind.read(text)
        }
    }

    /// Returns a required parameter.
    package static func required(_ name: String, _ kind: ParameterKind<Value>, _ description: String) -> Self {
        Self(name, kind, required: true, description) { (texts: [String]) throws(ParameterMismatch) -> Value in
            guard let text = texts.last else { throw ParameterMismatch(message: QueryValues.missing) }
            return try kind.read(text)
        }
    }

    /// Returns an optional parameter; `nil` if absent.
    package static func optional<Item>(_ name: String, _ kind: ParameterKind<Item>, _ description: String) -> Self
    where Value == Item? {
        Self(name, kind, description) { (texts: [String]) throws(ParameterMismatch) -> Item? in
            guard let text = texts.last else { return nil }
            return try kind.read(text)
        }
    }

    /// Returns a parameter that may be repeated or contain several values separated by commas; empty if absent.
    ///
    /// More than `most` values are rejected as too many `things`.
    package static func list<Item>(
        _ name: String,
        _ kind: ParameterKind<Item>,
        most: Int = .max,
        things: String = "values",
        _ description: String
    ) -> Self where Value == [Item] {
        Self(name, kind, list: true, description) { (texts: [String]) throws(ParameterMismatch) -> [Item] in
            guard texts.count <= most else { throw ParameterMismatch(message: "must have at most \(most) \(things)") }
            var items: [Item] = []
            for text in texts { items.append(try kind.read(text)) }
            return items
        }
    }

    /// The name in the query.
    package var name: String { declaration.name }

    package var declarations: [ParameterDeclaration] { [declaration] }

    package func value(of query: QueryValues) throws -> Value {
        do throws(ParameterMismatch) {
            return try read(query.texts(of: declaration))
        } catch {
            throw declaration.invalid(error.message)
        }
    }

    /// Returns the error that reports an unusable value.
    package func invalid(_ message: String) -> InvalidParameter { declaration.invalid(message) }
}

import Library

/// The side of a parameter that every route has in common: what the OpenAPI document says of it, and which texts are
/// rejected before a handler runs.
package struct ParameterDeclaration: Sendable {
    let name: String
    let schema: Schema
    let isRequired: Bool
    /// Whether it may be repeated or hold several values between commas.
    let isList: Bool
    let description: String
    /// Rejects a text that cannot be a value.
    let admit: @Sendable (_ text: String) throws(ParameterMismatch) -> Void

    /// Returns the error that reports a wrong value of this parameter.
    func invalid(_ message: String) -> InvalidParameter { InvalidParameter(name: name, message: message) }
}

/// A reason why a text is no value, to stand after the name of the parameter: "must be a number".
package struct ParameterMismatch: Error, Hashable, Sendable {
    /// The reason.
    package let message: String
}

/// A parameter whose value a route rejects.
package struct InvalidParameter: Error, Hashable, Sendable {
    /// The parameter.
    package let name: String
    /// What is wrong and what is expected.
    package let message: String

    /// Creates the error; `message` stands after the name.
    package init(name: String, message: String) {
        self.name = name
        self.message = message
    }
}

extension InvalidParameter: RefusalConvertible {
    var refusal: Refusal { .parameter(name, message) }
}

/// Anything that adds parameters to a route: one, a group, or a list of both.
package protocol DeclaresParameters: Sendable {
    /// The parameters in the order of the document.
    var declarations: [ParameterDeclaration] { get }
}

/// A part of the query that a handler reads as one value: a parameter, or several that mean one thing together.
///
/// The route lists the part under `parameters`, and its handler reads it with `call[part]`.
package protocol QueryPart: DeclaresParameters {
    associatedtype Value: Sendable

    /// Reads the value.
    ///
    /// - Throws: ``InvalidParameter``, or another error that is a reason to reject the request.
    func value(of query: QueryValues) throws -> Value
}

/// The parameters of a route, in the order of the document.
package struct ParameterList: DeclaresParameters, ExpressibleByArrayLiteral {
    package let declarations: [ParameterDeclaration]

    /// Joins the parameters of all `parts`.
    package init(_ parts: [any DeclaresParameters]) { declarations = parts.flatMap(\.declarations) }

    /// Creates a list from a literal.
    package init(arrayLiteral parts: any DeclaresParameters...) { self.init(parts) }
}

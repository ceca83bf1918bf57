package import Library

/// The untyped side of a parameter: its entry in the OpenAPI document, and the check that runs before a handler.
package struct ParameterDeclaration: Sendable {
    package let name: String
    package let schema: Schema
    package let isRequired: Bool
    /// Whether it may be repeated or contain several values separated by commas.
    package let isList: Bool
    package let description: String
    /// Rejects a text that is not a valid value.
    package let admit: @Sendable (_ text: String) throws(ParameterMismatch) -> Void

    /// Returns the error that reports a wrong value of this parameter.
    package func invalid(_ message: String) -> InvalidParameter { InvalidParameter(name: name, message: message) }
}

/// The reason why a text is not a valid value, phrased to follow the parameter's name: "must be a number".
package struct ParameterMismatch: Error, Hashable, Sendable {
    /// The reason.
    package let message: String

    /// Creates the error; `message` follows the name.
    package init(message: String) { self.message = message }
}

/// The error for a parameter whose value is rejected.
package struct InvalidParameter: Error, Hashable, Sendable {
    /// The name of the parameter.
    package let name: String
    /// The problem and the expected value.
    package let message: String

    /// Creates the error; `message` follows the name.
    ///
    /// A name that the client made up is shown as ``MadeUpName`` says.
    package init(name: String, message: String) {
        self.name = MadeUpName.shown(name)
        self.message = message
    }
}

/// The name of a parameter or a field that no route has, in an answer.
enum MadeUpName: Sendable {
    /// Returns the first 90 characters of a name, with U+FFFD in place of those that a terminal or a log would obey: controls,
    /// ends of lines, and marks that turn the direction of what follows.
    static func shown(_ name: String) -> String {
        let scalars = name.unicodeScalars.prefix(90)
            .map { scalar -> Unicode.Scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
                default: scalar
                }
            }
        return String(String.UnicodeScalarView(scalars))
    }
}

extension InvalidParameter: RefusalConvertible {
    package var refusal: Refusal { .parameter(name, message) }
}

/// A source of parameters for a route: one parameter, a group, or a list of both.
package protocol DeclaresParameters: Sendable {
    /// The parameters, in the order in which the OpenAPI document lists them.
    var declarations: [ParameterDeclaration] { get }
}

/// A part of the query that a handler reads as one value: a parameter, or a group that belongs together.
///
/// The route lists the part under `parameters`, and its handler reads it with `call[part]`.
package protocol QueryPart: DeclaresParameters {
    associatedtype Value: Sendable

    /// Reads the value.
    ///
    /// - Throws: ``InvalidParameter``, or another error that rejects the request.
    func value(of query: QueryValues) throws -> Value
}

/// The parameters of a route, in the order in which the OpenAPI document lists them.
package struct ParameterList: DeclaresParameters, ExpressibleByArrayLiteral {
    package let declarations: [ParameterDeclaration]

    /// Joins the parameters of all `parts`.
    package init(_ parts: [any DeclaresParameters]) { declarations = parts.flatMap(\.declarations) }

    /// Creates a list from a literal.
    package init(arrayLiteral parts: any DeclaresParameters...) { self.init(parts) }
}

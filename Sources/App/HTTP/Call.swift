import Library
import Formats
import HTTPTypes
import NIOCore
import Stories

/// A request after its parameters, token and body have been checked against the endpoint's declaration.
struct Call: Sendable {
    let endpoint: Endpoint
    let method: HTTPRequest.Method
    let path: String
    /// The host and the port in the `Host` field.
    var authority: String?
    /// The network of the client as limits count it, see ``ClientAddress``; `nil` where there is none.
    var address: String?
    let headers: HTTPFields
    /// The parts of the path that vary.
    let pathValues: PathValues
    /// The query.
    let query: QueryValues
    /// Who calls.
    let principal: Principal
    /// What they presented, for routes that check it again later.
    var credentials = Credentials()
    let body: JSONValue?
    /// The problems of the body's shape, on routes whose handler reports them.
    var bodyProblems: [FieldProblem] = []
    /// The bytes of the body, on routes that read them as they are.
    var bytes: [UInt8] = []
    /// The client at the other end, for long computations; `nil` in a test without a network.
    var client: (any WaitingClient)?
    /// Charges the caller for work whose amount is known only now.
    ///
    /// - Throws: ``Problem`` (429) if they have fewer units.
    var charge: @Sendable (_ units: Double) throws -> Void = { _ in }

    /// The address by which shares in long work are counted; `nil` for an app's backend, whose one address stands for
    /// many users.
    var sharedAddress: String? { principal.isService ? nil : address }

    /// The person who decides what may be seen.
    var viewer: Viewer { principal.viewer }

    /// The caller's id on a route that needs a token.
    var user: UserID {
        get throws {
            guard let user = viewer.user else { throw Problem.unauthorized("This needs a token.") }
            return user
        }
    }

    /// The value of a parameter, or of several that mean one thing together.
    subscript<Part: QueryPart>(_ part: Part) -> Part.Value {
        get throws { try query[part] }
    }

    /// The value of a part of the path; a text that cannot be one is not found, like an id of nothing.
    subscript<Value>(_ part: PathParameter<Value>) -> Value {
        get throws { try pathValues[part] }
    }

    /// Returns the address of this call with one parameter set, sorted by name.
    func address<Value>(setting parameter: QueryParameter<Value>, to text: String) -> String {
        path + query.address(setting: parameter.declaration, to: text)
    }
}

import Formats
import Geometry
import HTTPTypes
import NIOCore
import Stories

/// A request after its parameters, token and body have been checked against the endpoint's declaration.
struct Call: Sendable {
    let endpoint: Endpoint
    let method: HTTPRequest.Method
    let path: String
    /// The host and the port that the client means, as its `Host` says.
    var authority: String?
    /// The network it comes from, as limits count it, see ``ClientAddress``; `nil` where there is no network.
    var address: String?
    let headers: HTTPFields
    /// The parts of the path that vary.
    let pathValues: [String: String]
    /// The query, every value in the order given; lists split at commas.
    let query: [String: [String]]
    /// Who calls.
    let principal: Principal
    /// What they presented, for routes that check it again later.
    var credentials = Credentials()
    let body: JSONValue?
    /// What is wrong with the shape of the body, on routes whose handler says so.
    var bodyProblems: [FieldProblem] = []
    /// The body as it came, on routes that read it so.
    var bytes: [UInt8] = []
    /// The client at the other end, for long computations; `nil` in a test without a network.
    var client: (any WaitingClient)?
    /// Takes units off the caller for work whose amount shows only now.
    ///
    /// - Throws: ``Problem`` (429) when they have not as many.
    var charge: @Sendable (_ units: Double) throws -> Void = { _ in }

    /// The address that shares in long work are counted by: none of an app's backend, behind whose one there are many.
    var sharedAddress: String? { principal.isService ? nil : address }

    /// Through whose eyes to look.
    var viewer: Viewer { principal.viewer }

    /// The caller's id on a route that needs a token.
    var user: UserID {
        get throws {
            guard let user = viewer.user else { throw Problem.unauthorized("This needs a token.") }
            return user
        }
    }

    /// A text parameter, or `nil` when it was not given.
    func text(_ name: String) -> String? { query[name]?.last }

    /// A number within the declared range, or `nil` when it was not given.
    func number(_ name: String) throws -> Double? {
        guard let text = text(name) else { return nil }
        guard let number = DecimalText.number(text), case .number(let range)? = parameter(name)?.schema,
            range.contains(number)
        else {
            throw Problem.parameter(name, expectation(of: name))
        }
        return number
    }

    /// A whole number within the declared range, or `nil` when it was not given.
    func integer(_ name: String) throws -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Int(text), case .integer(let range)? = parameter(name)?.schema, range.contains(number) else {
            throw Problem.parameter(name, expectation(of: name))
        }
        return number
    }

    /// A bounding box, or `nil` when it was not given.
    func box(_ name: String) throws -> BoundingBox? {
        guard let text = text(name) else { return nil }
        do {
            return try BoundingBox(parsing: text)
        } catch {
            throw Problem.parameter(name, error.description)
        }
    }

    private func parameter(_ name: String) -> Endpoint.Parameter? { endpoint.parameters.first { $0.name == name } }

    private func expectation(of name: String) -> String {
        switch parameter(name)?.schema {
        case .integer(let range): "must be a whole number between \(range.lowerBound) and \(range.upperBound)"
        case .number(let range): "must be a number between \(range.lowerBound) and \(range.upperBound)"
        default: "is not valid"
        }
    }
}

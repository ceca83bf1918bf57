package import Library
package import Formats
package import HTTPTypes
import NIOCore
package import Stories

/// A request after its parameters, token and body have been checked against the endpoint's declaration.
package struct Call: Sendable {
    package let endpoint: Endpoint
    package let method: HTTPRequest.Method
    package let path: String
    /// The host and port in the `Host` header.
    package var authority: String?
    /// The client's address as counted by rate limits, see ``ClientAddress``; `nil` in a test without a network.
    package var address: String?
    package let headers: HTTPFields
    /// The variable parts of the path.
    let pathValues: PathValues
    /// The query parameters.
    package let query: QueryValues
    /// The identity and rights of the caller.
    package let principal: Principal
    /// The credentials that the caller presented, for routes that check them again later.
    package var credentials = Credentials()
    /// The page's cookie, for routes that begin and end sessions.
    package var cookie = SessionCookie.none
    package let body: JSONValue?
    /// The schema violations in the body, on routes whose handler reports them.
    package var bodyProblems: [FieldProblem] = []
    /// The raw bytes of the body, on routes that read them directly.
    package var bytes: [UInt8] = []
    /// The body as it arrives, on routes that receive it so.
    package var arriving = ArrivingBody()
    /// The client's connection, for long computations to watch; `nil` in a test without a network.
    package var client: (any WaitingClient)?
    /// Charges the caller for work whose amount becomes known only while the request is handled.
    ///
    /// - Throws: ``Problem`` (429) if the caller has fewer units left.
    package var charge: @Sendable (_ units: Double) throws -> Void = { _ in }

    /// The address for which simultaneous long work is limited; `nil` for an app's backend, whose single address stands
    /// for many users.
    package var sharedAddress: String? { principal.isService ? nil : address }

    /// The viewer behind the request; determines which data is visible.
    package var viewer: Viewer { principal.viewer }

    /// The id of the calling user, on a route that needs a token.
    package var user: UserID {
        get throws {
            guard let user = viewer.user else { throw Problem.unauthorized("This request needs a token.") }
            return user
        }
    }

    /// The caller's session of the page, on a route that adds a way to sign in.
    ///
    /// A new way to sign in may do everything that its user may. So a token cannot add one, nor a session begun by a
    /// token that may do less.
    ///
    /// - Throws: ``Problem`` (403) for other credentials.
    package var fullSession: Principal.SessionUse {
        get throws {
            guard let session = principal.session, Scope.user.isSubset(of: principal.scopes) else {
                throw Problem(
                    .forbidden,
                    "page-only",
                    "This is done on the page, by a person who is signed in there with all rights of the account."
                )
            }
            return session
        }
    }

    /// The share link of the caller, on a route for the holders of links.
    package var link: ShareLink {
        get throws {
            guard let link = principal.link else { throw Problem(Refusal.endedLink) }
            return link
        }
    }

    /// The value of a query parameter or of a group of parameters.
    package subscript<Part: QueryPart>(_ part: Part) -> Part.Value {
        get throws { try query[part] }
    }

    /// The value of a path parameter; an invalid text is reported as not found, like an unknown id.
    package subscript<Value>(_ part: PathParameter<Value>) -> Value {
        get throws { try pathValues[part] }
    }

    /// Returns the path and query of this call with one parameter set; the parameters are sorted by name.
    package func address<Value>(setting parameter: QueryParameter<Value>, to text: String) -> String {
        path + query.address(setting: parameter.declaration, to: text)
    }
}

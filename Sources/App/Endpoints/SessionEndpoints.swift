import Web
import Library
import Formats
import HTTPTypes
import Storage
import Stories

/// The routes by which people sign in to the page, see their devices, and sign out.
struct SessionEndpoints: Sendable {
    let library: StoryLibrary
    let accounts: Accounts
    let ways: SignInWays

    var all: [Endpoint] {
        [session, signIn, signOut, readCode, requestMail, sessions, endSession, readInvitation, join]
    }

    static func json(_ schema: String, _ description: String, status: HTTPResponse.Status = .ok) -> Endpoint.Success {
        .init(status: status, mediaType: MediaType.json, schema: .named(schema), description: description)
    }

    private var session: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/session",
            name: "readSession",
            summary: "Returns who is signed in to the page, and the ways to sign in; user is null for a visitor.",
            access: .anyone,
            cookie: .manages,
            success: [SessionEndpoints.json("Session", "The session.")],
            handler: { call in
                guard call.cookie.secret == nil || call.principal.session != nil else {
                    var problem = Problem(Accounts.endedSession)
                    problem.headers[.setCookie] = call.cookie.clearing
                    throw problem
                }
                var user: User?
                if let id = call.viewer.user {
                    user = try await library.store.read { try $0.user(id) } ?? User(id: id, name: id.rawValue)
                }
                let current = call.principal.session.map { ($0.id, $0.createdAt, $0.expiresAt) }
                return Answer(body: body(user: user, current, of: call))
            }
        )
    }

    private var signIn: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/session",
            name: "signIn",
            summary: """
                Signs a person in to the page for 30 days, by a code, an access token or a user of the demo: sets a \
                cookie, and ends the session that the browser had before.
                """,
            access: .anyone,
            cost: .raised,
            guards: .secret,
            headers: [.page],
            body: .init(schema: "SignIn", maxBytes: 16_384),
            cookie: .manages,
            success: [SessionEndpoints.json("Session", "The new session, and its cookie.", status: .created)],
            handler: { call in signedIn(try await begin(call), of: call) }
        )
    }

    /// Begins a session by the one way that the body names.
    private func begin(_ call: Call) async throws -> SignInService.Begun {
        let body = call.body?.object ?? [:]
        guard body.count == 1 else {
            throw Problem.body([FieldProblem(field: "", message: "must name one of code, token and demo_user")])
        }
        let arrival = arrival(of: call)
        if let code = body["code"]?.string { return try await library.signIns.begin(byCode: code, arrival) }
        if let token = body["token"]?.string {
            let (user, scopes) = try await accounts.exchangeable(token)
            return try await library.signIns.begin(for: user, scopes: scopes, arrival)
        }
        let named = body["demo_user"]?.string
        guard let user = ways.demoUsers(authority: call.authority).first(where: { $0.id.rawValue == named }) else {
            throw Problem(.forbidden, "no-demo-user", "This is not a user of a demo that runs on this machine.")
        }
        return try await library.signIns.begin(for: user.id, arrival)
    }

    private var signOut: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/session",
            name: "signOut",
            summary: "Signs out of the page here: ends the session and has the browser remove what it keeps.",
            access: .anyone,
            headers: [.page],
            cookie: .manages,
            success: [AccountEndpoints.nothing("The session has ended.")],
            handler: { call in
                if let secret = call.cookie.secret { try await library.signIns.end(secret: secret) }
                return Answer(
                    status: .noContent,
                    headers: [.setCookie: call.cookie.clearing, .clearSiteData: #""cache", "storage""#]
                )
            }
        )
    }

    private var readCode: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/session/code",
            name: "readSignInCode",
            summary: "Returns which user a code would sign in, without using up the code.",
            access: .anyone,
            cost: .normal,
            guards: .secret,
            headers: [.page],
            body: .init(schema: "SignInCode", maxBytes: 1_024),
            cookie: .manages,
            success: [SessionEndpoints.json("SignInOffer", "What the code would do.")],
            handler: { call in
                let code = call.body?["code"]?.string ?? ""
                return Answer(body: SessionJSON.offer(try await library.signIns.offer(code, to: call.address)))
            }
        )
    }

    private var requestMail: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/session/email",
            name: "requestSignInMail",
            summary: """
                Asks for a link by e-mail that signs in once within 15 minutes. The answer is the same whether or not \
                an account has the address.
                """,
            access: .anyone,
            cost: .raised,
            headers: [.page],
            body: .init(schema: "SignInEmail", maxBytes: 1_024),
            cookie: .manages,
            success: [SessionEndpoints.json("SignInMessage", "The request is noted.", status: .accepted)],
            handler: { call in
                let address = call.body?["email"]?.string ?? ""
                guard Invitation.isEmail(address) else {
                    throw Problem.body([
                        FieldProblem(field: "email", message: "must be an address like name@example.org")
                    ])
                }
                try library.signIns.requestMail(to: address, by: call.address)
                var json = JSONWriter(capacity: 200)
                json.beginObject()
                json.member(
                    "message",
                    "If an account has this address, an e-mail with a link is on its way. It works once, for 15 minutes."
                )
                json.endObject()
                return Answer(status: .accepted, body: json.bytes)
            }
        )
    }
}

// The caller's devices.
extension SessionEndpoints {
    private var sessions: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/sessions",
            name: "listSessions",
            summary: "Returns the caller's sessions of the page (at most 50), newest first.",
            access: .user,
            scope: .accountManage,
            success: [SessionEndpoints.json("SessionList", "The sessions.")],
            handler: { call in
                let sessions = try await library.signIns.sessions(of: try call.user)
                return Answer(body: SessionJSON.list(sessions, current: call.principal.session?.id))
            }
        )
    }

    private var endSession: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/me/sessions/\(PathPart.session)",
            name: "endSession",
            summary: "Ends one of the caller's sessions of the page immediately.",
            access: .user,
            scope: .accountManage,
            success: [AccountEndpoints.nothing("The session has ended.")],
            handler: { call in
                try await library.signIns.end(try call[PathPart.session], of: try call.user)
                return .noContent
            }
        )
    }
}

extension SessionEndpoints {
    func arrival(of call: Call) -> SignInService.Arrival {
        .init(
            label: BrowserLabel.label(userAgent: call.headers[.userAgent]),
            former: call.cookie.secret,
            client: call.address
        )
    }

    /// Returns the answer to a sign-in, with the cookie.
    func signedIn(_ begun: SignInService.Begun, of call: Call) -> Answer {
        let session = begun.session
        return Answer(
            status: .created,
            headers: [.setCookie: call.cookie.setting(begun.secret, seconds: SignInService.seconds)],
            body: body(user: begun.user, (session.id, session.createdAt, session.expiresAt), of: call)
        )
    }

    private func body(user: User?, _ current: SessionJSON.Current?, of call: Call) -> [UInt8] {
        let offers = SessionJSON.Offers(
            email: library.signIns.canMail,
            demoUsers: ways.demoUsers(authority: call.authority),
            invitationsMakeAccounts: ways.invitationsMakeAccounts,
            passkeys: ways.relyingParty(authority: call.authority) != nil,
            provider: ways.provider
        )
        return SessionJSON.session(user: user, current, offers: offers)
    }
}

extension HTTPField.Name {
    /// `Clear-Site-Data`: what the browser removes.
    static let clearSiteData = known("Clear-Site-Data")
}

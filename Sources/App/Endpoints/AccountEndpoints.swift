import Web
import Library
import Formats
import HTTPTypes
import Storage
import Stories

/// The routes of the caller's own account, sessions and keys.
struct AccountEndpoints: Sendable {
    let library: StoryLibrary
    let accounts: Accounts

    var all: [Endpoint] { [me, changeMe, signOutEverywhere, refresh, revoke, listKeys, makeKey, revokeKey] }

    private var me: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me",
            name: "readMe",
            summary: "Returns the user of the token and its scopes.",
            access: .user,
            success: [AccountEndpoints.profile],
            handler: { call in try await profile(of: call) }
        )
    }

    private var changeMe: Endpoint {
        Endpoint(
            method: .patch,
            path: "/v1/me",
            name: "changeMe",
            summary: "Changes the caller's name or e-mail address. Omitted fields are unchanged.",
            access: .user,
            scope: .accountManage,
            body: .init(schema: "MePatch", maxBytes: 16_384),
            success: [AccountEndpoints.profile],
            handler: { call in
                let id = try call.user
                let body = call.body ?? .null
                var problems: [FieldProblem] = []
                let name = body["name"]?.string
                    .map { text in
                        Result { () throws(DisplayName.Refusal) in try DisplayName(text, in: "name") }
                    }
                if case .failure(let refusal) = name { problems.append(FieldProblem(refusal)) }
                if let email = body["email"]?.string, !Invitation.isEmail(email) {
                    problems.append(FieldProblem(field: "email", message: "must be an address like name@example.org"))
                }
                guard problems.isEmpty else { throw Problem.body(problems) }
                let change = ProfileChange(name: try? name?.get(), email: body["email"].map(\.string))
                try await library.rights.settings.change(change, of: id)
                return try await profile(of: call)
            }
        )
    }

    private static let profile = Endpoint.Success(
        status: .ok,
        mediaType: MediaType.json,
        schema: .named("Me"),
        description: "The caller."
    )

    private func profile(of call: Call) async throws -> Answer {
        let id = try call.user
        let found = try await library.store.read { (try $0.user(id), try $0.creationTime(of: id)) }
        // A user who has never changed anything is known only from the token.
        let user = found.0 ?? User(id: id, name: id.rawValue)
        var json = JSONWriter(capacity: 400)
        json.beginObject()
        json.member("id", user.id.rawValue)
        json.member("name", user.name)
        json.member("email", user.email)
        json.member("created_at", found.1.map { RFC3339.format($0) })
        json.member("scopes", call.principal.scopes.sorted().map(\.rawValue))
        json.endObject()
        return Answer(body: json.bytes)
    }
}

// Sessions.
extension AccountEndpoints {
    private var signOutEverywhere: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/me/sessions",
            name: "signOutEverywhere",
            summary:
                "Signs the caller out everywhere, the page included, and revokes all access tokens so far. API keys remain valid.",
            access: .user,
            scope: .accountManage,
            success: [AccountEndpoints.nothing("All sign-ins have ended, including the caller's.")],
            handler: { call in
                try await accounts.signOutEverywhere(try call.user)
                let isPage = call.cookie.secret != nil
                return Answer(status: .noContent, headers: isPage ? [.setCookie: call.cookie.clearing] : [:])
            }
        )
    }

    private var refresh: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/tokens/refresh",
            name: "refreshTokens",
            summary: """
                Exchanges a refresh token for a new pair of tokens. If the answer is lost, the same token can be \
                exchanged again within 30 seconds; after that, using it ends the entire sign-in.
                """,
            access: .anyone,
            cost: .raised,
            guards: .secret,
            body: .init(schema: "RefreshToken", maxBytes: 4_096),
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("TokenPair"),
                    description: "An access token and the next refresh token."
                )
            ],
            handler: { call in
                guard let pair = try await accounts.refresh(call.body?["refresh_token"]?.string ?? "") else {
                    throw Problem.unauthorized("The refresh token is no longer valid. Sign in again.")
                }
                return Answer(body: AccountJSON.pair(pair))
            }
        )
    }

    private var revoke: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/tokens/revoke",
            name: "revokeTokens",
            summary: "Ends the sign-in of a refresh token and revokes its access tokens. An unknown token is ignored.",
            access: .anyone,
            body: .init(schema: "RefreshToken", maxBytes: 4_096),
            success: [AccountEndpoints.nothing("The token is no longer valid.")],
            handler: { call in
                try await accounts.revoke(call.body?["refresh_token"]?.string ?? "")
                return .noContent
            }
        )
    }

    static func nothing(_ description: String) -> Endpoint.Success {
        .init(status: .noContent, mediaType: MediaType.json, schema: nil, description: description)
    }
}

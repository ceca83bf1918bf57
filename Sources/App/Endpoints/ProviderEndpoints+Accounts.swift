import Web
import Library
import Formats
import HTTPTypes
import Logging
import OpenID
import Storage
import Stories

// The links between a user's account here and those at providers, and invitations that go through the provider.
extension ProviderEndpoints {
    static let schemas: [(name: String, schema: Schema)] = [
        (
            "ProviderAccountList",
            .object([
                .init(
                    "provider_accounts",
                    .array(
                        .object([
                            .init("id", id, required: true),
                            .init("issuer", .text(minBytes: 1, maxBytes: ProviderURL.mostBytes), required: true),
                            .init(
                                "name",
                                .nullable(name),
                                required: true,
                                "The provider's name, if it is still in use."
                            ),
                            .init("created_at", instant, required: true),
                            .init(
                                "last_used_at",
                                .nullable(instant),
                                required: true,
                                "When it signed in, to the hour."
                            ),
                        ])
                    ),
                    required: true
                ),
                .init("provider", .nullable(name), required: true, "The provider that can be linked; null for none."),
            ])
        ),
        ("ProviderVisit", .object([.init("address", .text(minBytes: 1, maxBytes: 8_000), required: true)])),
    ]

    private static let id = Schema.text(
        minBytes: ProviderSignIns.linkIDLength,
        maxBytes: ProviderSignIns.linkIDLength
    )
    private static let name = Schema.text(minBytes: 1, maxBytes: ProviderSettings.nameBytes)
    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")

    var accounts: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/provider-accounts",
            name: "listProviderAccounts",
            summary: "Returns the accounts at OpenID Connect providers that sign in as the caller, oldest first.",
            access: .user,
            scope: .accountManage,
            success: [SessionEndpoints.json("ProviderAccountList", "The accounts.")],
            handler: { call in
                let accounts = try await library.signIns.byProvider.accounts(of: try call.user)
                var json = JSONWriter(capacity: 400)
                json.beginObject()
                json.key("provider_accounts")
                json.beginArray()
                for account in accounts { write(account, to: &json) }
                json.endArray()
                json.member("provider", provider?.settings.name)
                json.endObject()
                return Answer(body: json.bytes)
            }
        )
    }

    private func write(_ account: ProviderAccount, to json: inout JSONWriter) {
        let settings = provider?.settings
        json.beginObject()
        json.member("id", account.id)
        json.member("issuer", account.issuer)
        json.member("name", settings?.issuer.text == account.issuer ? settings?.name : nil)
        json.member("created_at", RFC3339.format(account.createdAt))
        json.member("last_used_at", account.usedAt.map { RFC3339.format($0) })
        json.endObject()
    }

    var link: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/me/provider-accounts",
            name: "linkProviderAccount",
            summary: """
                Begins to link the caller's account at the provider: returns the address to open there, and sets a cookie \
                for the way back. Only with a session of the page.
                """,
            access: .user,
            scope: .accountManage,
            cost: .raised,
            success: [SessionEndpoints.json("ProviderVisit", "The address to open.")],
            handler: { call in
                try await visit(for: .link(try call.user, session: try call.fullSession.id), call)
            }
        )
    }

    var unlink: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/me/provider-accounts/\(PathPart.providerAccount)",
            name: "unlinkProviderAccount",
            summary: "Removes a link: the account at the provider no longer signs in as the caller. Sessions go on.",
            access: .user,
            scope: .accountManage,
            success: [AccountEndpoints.nothing("The link is removed.")],
            handler: { call in
                try await library.signIns.byProvider.unlink(try call[PathPart.providerAccount], of: try call.user)
                return .noContent
            }
        )
    }

    var join: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/invitations/\(PathPart.invitationToken)/provider",
            name: "joinByProvider",
            summary: """
                Begins to follow an invitation with an account at the provider: returns the address to open there. On the \
                way back a person without an account gets one and joins; others are signed in and asked.
                """,
            access: .anyone,
            cost: .raised,
            guards: .secret,
            headers: [.page],
            cookie: .manages,
            success: [SessionEndpoints.json("ProviderVisit", "The address to open.")],
            handler: { call in
                let token = try call[PathPart.invitationToken]
                _ = try await library.invitations.offer(token)
                return try await visit(for: .join(token), call)
            }
        )
    }

    /// Begins a journey that the page asked for by a request of its own, which no other page can send.
    private func visit(for purpose: ProviderJourney.Purpose, _ call: Call) async throws -> Answer {
        guard let provider else {
            throw Problem(.conflict, "no-provider", "This service has no provider to sign in with.")
        }
        do {
            let (location, cookie) = try await begin(purpose, next: .map, provider, call)
            var json = JSONWriter(capacity: 1_000)
            json.beginObject()
            json.member("address", location)
            json.endObject()
            return Answer(headers: [.setCookie: cookie], body: json.bytes)
        } catch let error where error is ProviderOutage || error is OpenIDError {
            logger.warning("the provider cannot be used", metadata: ["why": "\(ProviderEndpoints.reason(error))"])
            throw Problem(
                .conflict,
                "provider-away",
                "\(provider.settings.name) does not answer just now, or not as it should. Try again in a few minutes."
            )
        }
    }
}

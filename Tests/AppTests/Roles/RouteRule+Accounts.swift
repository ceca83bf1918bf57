extension RouteRule {
    /// The rows of accounts, tokens and keys.
    static let accounts: [String: RouteRule] = [
        "GET /v1/me": RouteRule(.user, .nothing(200)),
        "PATCH /v1/me": RouteRule(.user, .nothing(200), body: #"{"name":"Another"}"#),
        "GET /v1/me/keys": RouteRule(.user, .nothing(200)),
        "POST /v1/me/keys": RouteRule(.user, .nothing(201), body: #"{"name":"A key"}"#),
        "POST /v1/me/owntracks": RouteRule(.user, .nothing(201), body: #"{"name":"A phone","device":"phone"}"#),
        "DELETE /v1/me/keys/{key}": RouteRule(.user, .own(.key, 204)),
        // With a parameter it refuses, so that nobody is signed out in the middle of the table.
        "DELETE /v1/me/sessions": RouteRule(.user, .nothing(400), query: "?surprise=1"),
        "GET /v1/me/sessions": RouteRule(.user, .nothing(200)),
        "DELETE /v1/me/sessions/{session}": RouteRule(.user, .own(.session, 204)),
        "GET /v1/me/passkeys": RouteRule(.user, .nothing(200)),
        // A token adds none.
        "POST /v1/me/passkeys/challenge": RouteRule(.user, .nothing(403)),
        "POST /v1/me/passkeys": RouteRule(
            .user,
            .nothing(403),
            body: #"{"ticket":"none","name":"A phone","attestation":"AA","client_data":"AA"}"#
        ),
        "DELETE /v1/me/passkeys/{passkey}": RouteRule(.user, .own(.passkey, 204)),
        "POST /v1/session/passkey/challenge": RouteRule(.anyone, .nothing(403)),
        "POST /v1/session/passkey": RouteRule(
            .anyone,
            .nothing(403),
            body: """
                {"ticket":"none","credential":"AA","user_handle":"AA","authenticator_data":"AA","client_data":"AA",\
                "signature":"AA"}
                """
        ),
        "GET /v1/me/provider-accounts": RouteRule(.user, .nothing(200)),
        // Only with a session of the page.
        "POST /v1/me/provider-accounts": RouteRule(.user, .nothing(403)),
        "DELETE /v1/me/provider-accounts/{provider_account}": RouteRule(.user, .own(.providerAccount, 204)),
        // The service of the table has no provider.
        "GET /signin/provider": RouteRule(.anyone, .nothing(404)),
        "GET /signin/provider/callback": RouteRule(.anyone, .nothing(404)),
        "POST /v1/invitations/{invitation}/provider": RouteRule(.anyone, .link(403, malformed: 403)),
        "GET /v1/session": RouteRule(.anyone, .nothing(200)),
        // Without the page's header nobody begins or ends a session.
        "POST /v1/session": RouteRule(.anyone, .nothing(403), body: #"{"code":"none"}"#),
        "DELETE /v1/session": RouteRule(.anyone, .nothing(403)),
        "POST /v1/session/code": RouteRule(.anyone, .nothing(403), body: #"{"code":"none"}"#),
        "POST /v1/session/email": RouteRule(.anyone, .nothing(403), body: #"{"email":"a@example.org"}"#),
        "GET /v1/invitations/{invitation}": RouteRule(.anyone, .link(404, malformed: 404)),
        "POST /v1/invitations/{invitation}/join": RouteRule(
            .anyone,
            .link(403, malformed: 403),
            body: #"{"name":"Dora"}"#
        ),
        "POST /v1/tokens/refresh": RouteRule(.anyone, .nothing(401), body: #"{"refresh_token":"none"}"#),
        "POST /v1/tokens/revoke": RouteRule(.anyone, .nothing(204), body: #"{"refresh_token":"none"}"#),
    ]

    /// The rows of the rights of a person.
    static let person: [String: RouteRule] = [
        "GET /v1/me/export": RouteRule(.user, .nothing(200)),
        "DELETE /v1/me": RouteRule(.user, .nothing(400), query: "?surprise=1"),
        "GET /v1/me/location-data": RouteRule(.user, .nothing(200)),
        "DELETE /v1/me/location-data": RouteRule(.user, .nothing(200)),
        "GET /v1/me/consents": RouteRule(.user, .nothing(200)),
        "DELETE /v1/me/consents": RouteRule(.user, .nothing(200)),
        "GET /v1/me/access-log": RouteRule(.user, .nothing(200)),
    ]

    /// The rows of levels, hiding and reports.
    static let privacy: [String: RouteRule] = [
        "GET /v1/privacy-levels": RouteRule(.anyone, .nothing(200)),
        "PUT /v1/stories/{id}/privacy": RouteRule(
            .user,
            .story(own: 200, others: 403),
            body: #"{"privacy":"private"}"#
        ),
        "PUT /v1/stories/{id}/hide": RouteRule(.user, .story(own: 409, others: 204)),
        "DELETE /v1/stories/{id}/hide": RouteRule(.user, .story(own: 409, others: 204)),
        "GET /v1/me/hidden": RouteRule(.user, .nothing(200)),
        "POST /v1/stories/{id}/report": RouteRule(
            .user,
            .story(own: 409, others: 201),
            body: #"{"reason":"spam"}"#
        ),
        "GET /v1/reports/{report}": RouteRule(.user, .own(.report, 200)),
        "PUT /v1/service/auto-private": RouteRule(
            .service,
            .nothing(200),
            body: #"{"auto_private":true,"stories":[]}"#
        ),
        "GET /v1/service/reports": RouteRule(.operators, .nothing(200)),
        "PATCH /v1/service/reports/{report}": RouteRule(
            .operators,
            .anyReport(200),
            body: #"{"status":"reviewed"}"#
        ),
    ]

    /// The rows of clients that were offline.
    static let sync: [String: RouteRule] = [
        "POST /v1/stories/batch": RouteRule(.user, .nothing(200), body: #"{"items":[]}"#),
        "GET /v1/changes": RouteRule(.anyone, .nothing(200)),
        "GET /v1/offline-package": RouteRule(.anyone, .nothing(200), query: "?bbox=-1,-1,1,1&zoom=10"),
    ]
}

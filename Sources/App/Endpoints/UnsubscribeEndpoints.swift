import Web
import Library
import HTTPTypes
import Storage

/// The unsubscribe link in e-mails: a page with a button, which mail programs can also press themselves (RFC 8058).
struct UnsubscribeEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [page, turnOff] }

    // Virus scanners follow links, so only a POST turns anything off. The page is identical for every token.
    private var page: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/unsubscribe",
            name: "showUnsubscribe",
            summary:
                "Shows the page behind the unsubscribe link of an e-mail, with a button that turns such e-mails off.",
            access: .anyone,
            parameters: [UnsubscribeEndpoints.token],
            success: [UnsubscribeEndpoints.html],
            handler: { _ in
                UnsubscribeEndpoints.answer(
                    "<p>Stop receiving these e-mails?</p><form method=\"post\"><button>Turn them off</button></form>"
                )
            }
        )
    }

    private var turnOff: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/unsubscribe",
            name: "unsubscribe",
            summary: "Turns off the e-mails that contained the link, without signing in (RFC 8058).",
            access: .anyone,
            cost: .normal,
            parameters: [UnsubscribeEndpoints.token],
            body: .init(schema: "UnsubscribeForm", maxBytes: 1_024, isRaw: true, mediaType: MediaType.form),
            success: [UnsubscribeEndpoints.html],
            handler: { call in
                let secrets = library.store.keys.accepted(.channels, at: library.now())
                guard let text = try call[UnsubscribeEndpoints.token],
                    let token = secrets.lazy.compactMap({ UnsubscribeToken(text, secret: $0) }).first
                else {
                    throw Problem.notFound
                }
                try await library.rights.settings.unsubscribe(token)
                return UnsubscribeEndpoints.answer("<p>Done: you will no longer receive these e-mails.</p>")
            }
        )
    }

    private static let token = QueryParameter.optional("token", .text(1...200), "The token from the link.")
    private static let html = Endpoint.Success(
        status: .ok,
        mediaType: MediaType.html,
        schema: nil,
        description: "An HTML page."
    )

    private static func answer(_ body: String) -> Answer {
        let text =
            "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Waymark</title><body>\(body)</body></html>"
        return Answer(
            mediaType: MediaType.html,
            headers: [
                .contentSecurityPolicy: "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
                // The token in the URL must not reach other sites.
                .referrerPolicy: "no-referrer",
            ],
            body: Array(text.utf8)
        )
    }
}

extension HTTPField.Name {
    /// `Referrer-Policy`.
    static let referrerPolicy = known("Referrer-Policy")
}

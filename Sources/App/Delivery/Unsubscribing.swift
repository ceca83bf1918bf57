import Crypto
import HTTPTypes
import Notifications
import Storage
import Stories

/// What a link in an e-mail turns off without signing in: good for that alone, and for nobody else.
struct UnsubscribeToken: Sendable {
    /// What is turned off.
    enum Subject: String, Sendable {
        /// The digests.
        case digest
        /// Everything that goes by e-mail.
        case email
    }

    let subject: Subject
    let user: UserID

    /// The text in the link: the subject, the user and a code that only this service can make.
    func text(secret: [UInt8]) -> String {
        "\(subject.rawValue).\(user).\(UnsubscribeToken.code(subject, user, secret: secret).hexDigits)"
    }

    init(_ subject: Subject, of user: UserID) {
        self.subject = subject
        self.user = user
    }

    /// Reads a text; `nil` for one that this service did not make.
    init?(_ text: String, secret: [UInt8]) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        // An id may have dots of its own.
        guard parts.count >= 3, let subject = Subject(rawValue: String(parts[0])), let code = parts.last,
            let user = UserID(parts[1..<(parts.count - 1)].joined(separator: "."))
        else { return nil }
        let right = Array(UnsubscribeToken.code(subject, user, secret: secret).hexDigits.utf8)
        guard isSameSecret(right, Array(code.utf8)) else { return nil }
        self.init(subject, of: user)
    }

    private static func code(_ subject: Subject, _ user: UserID, secret: [UInt8]) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>
            .authenticationCode(
                for: Array("waymark unsubscribe 1|\(subject.rawValue)|\(user)".utf8),
                using: SymmetricKey(data: secret)
            )
    }
}

extension StoryLibrary {
    /// Where an e-mail of this entry can be turned off without signing in.
    func unsubscribeLink(of entry: OutboxEntry) -> String {
        var subject = UnsubscribeToken.Subject.email
        if case .time? = entry.scope { subject = .digest }
        let token = UnsubscribeToken(subject, of: entry.user).text(secret: store.keys[.channels])
        return "\(desk.address)/v1/unsubscribe?token=\(token)"
    }

    /// Turns off what a link names.
    func unsubscribe(_ token: UnsubscribeToken) async throws {
        guard try await viewer(of: token.user) != nil else { throw Problem.notFound }
        _ = try await changeSettings(of: token.user, source: .app) { settings, _ in
            switch token.subject {
            case .digest: settings.digest.every = .never
            case .email: settings.delivery.channels[.email] = false
            }
        }
    }
}

/// The link in e-mails: a page with a button, which programs for mail can press too (RFC 8058).
struct UnsubscribeEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [page, turnOff] }

    // Whoever looks at links for viruses follows them: only a POST turns anything off. The page is the same for every token.
    private var page: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/unsubscribe",
            name: "showUnsubscribe",
            summary: "The page behind the link in an e-mail: a button that turns such e-mails off.",
            access: .anyone,
            parameters: [UnsubscribeEndpoints.token],
            success: [UnsubscribeEndpoints.html],
            handler: { _ in
                UnsubscribeEndpoints.answer(
                    "<p>No more of these e-mails?</p><form method=\"post\"><button>Turn them off</button></form>"
                )
            }
        )
    }

    private var turnOff: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/unsubscribe",
            name: "unsubscribe",
            summary: "Turns off the e-mails that a link was in, without signing in (RFC 8058).",
            access: .anyone,
            cost: .normal,
            parameters: [UnsubscribeEndpoints.token],
            body: .init(schema: "UnsubscribeForm", maxBytes: 1_024, isRaw: true, mediaType: MediaType.any),
            success: [UnsubscribeEndpoints.html],
            handler: { call in
                let secret = library.store.keys[.channels]
                guard let token = call.text("token").flatMap({ UnsubscribeToken($0, secret: secret) }) else {
                    throw Problem.notFound
                }
                try await library.unsubscribe(token)
                return UnsubscribeEndpoints.answer("<p>It is done: no more of these e-mails will be sent.</p>")
            }
        )
    }

    private static let token = Endpoint.Parameter("token", .text(minBytes: 1, maxBytes: 200), "From the link.")
    private static let html = Endpoint.Success(
        status: .ok,
        mediaType: MediaType.html,
        schema: nil,
        description: "A page."
    )

    private static func answer(_ body: String) -> Answer {
        let text =
            "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Waymark</title><body>\(body)</body></html>"
        return Answer(
            mediaType: MediaType.html,
            headers: [
                .contentSecurityPolicy: "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
                // The token in the address is nobody else's to know.
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

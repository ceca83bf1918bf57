import Crypto
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
        guard try await viewer(of: token.user) != nil else { throw Refusal.notFound }
        _ = try await rights.settings.change(of: token.user, source: .app) { settings, _ in
            switch token.subject {
            case .digest: settings.digest.every = .never
            case .email: settings.delivery.channels[.email] = false
            }
        }
    }
}

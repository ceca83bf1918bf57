import Crypto
package import Notifications
package import Stories

/// The token in an e-mail's link that turns off one kind of e-mail for one user, without signing in.
package struct UnsubscribeToken: Sendable {
    /// The e-mails that are turned off.
    package enum Subject: String, Sendable {
        /// The digests.
        case digest
        /// All e-mails.
        case email
    }

    package let subject: Subject
    package let user: UserID

    /// Returns the text in the link: the subject, the user and a code that only this service can compute.
    package func text(secret: [UInt8]) -> String {
        "\(subject.rawValue).\(user).\(UnsubscribeToken.code(subject, user, secret: secret).hexDigits)"
    }

    /// Creates the token of a user.
    package init(_ subject: Subject, of user: UserID) {
        self.subject = subject
        self.user = user
    }

    /// Parses a token; returns `nil` if this service did not issue it.
    package init?(_ text: String, secret: [UInt8]) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        // A user's id may contain dots.
        guard parts.count >= 3, let subject = Subject(rawValue: String(parts[0])), let code = parts.last,
            let user = UserID(parts[1..<(parts.count - 1)].joined(separator: "."))
        else { return nil }
        let right = Array(UnsubscribeToken.code(subject, user, secret: secret).hexDigits.utf8)
        guard isSameSecret(right, Array(code.utf8)) else { return nil }
        self.init(subject, of: user)
    }

    /// Turns off the e-mails that the token names.
    package func apply(to settings: inout NotificationSettings) {
        switch subject {
        case .digest: settings.digest.every = .never
        case .email: settings.delivery.channels[.email] = false
        }
    }

    private static func code(_ subject: Subject, _ user: UserID, secret: [UInt8]) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>
            .authenticationCode(
                for: Array("waymark unsubscribe 1|\(subject.rawValue)|\(user)".utf8),
                using: SymmetricKey(data: secret)
            )
    }
}

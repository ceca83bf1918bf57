package import HTTPTypes

/// What every answer says to browsers: whether to ask for this host by TLS alone, and to run nothing of an answer
/// that is no page.
package struct BrowserRules: Hashable, Sendable {
    /// For how long browsers ask for this host by TLS alone (RFC 6797).
    package enum Encryption: String, Hashable, Sendable {
        /// For a year from each answer.
        case year = "max-age=31536000"
        /// Not any more: browsers forget what earlier answers said.
        case forget = "max-age=0"
    }

    /// The policy of answers that bring none: a document made of one loads nothing, and no frame shows it.
    package static let contentPolicy = "default-src 'none'; frame-ancestors 'none'"

    /// What answers say about TLS; `nil` where the program itself does not speak it, because then it cannot know.
    package let encryption: Encryption?

    /// Creates rules.
    package init(encryption: Encryption? = nil) { self.encryption = encryption }

    /// Adds the headers to an answer to a request for a host, as its `Host` header names it.
    package func apply(to headers: inout HTTPFields, status: HTTPResponse.Status, authority: String?) {
        headers[.contentTypeOptions] = "nosniff"
        // Of a 304 clients take the headers over into what they have, which may be a page with a policy of its own.
        if status != .notModified, headers[.contentSecurityPolicy] == nil {
            headers[.contentSecurityPolicy] = BrowserRules.contentPolicy
        }
        if let encryption, !BrowserRules.isShared(authority) {
            headers[.strictTransportSecurity] = encryption.rawValue
        }
    }

    /// Whether a host is `localhost`: every program of a machine shares that name, and not all of them speak TLS.
    private static func isShared(_ authority: String?) -> Bool {
        (authority ?? "").prefix { $0 != ":" }.lowercased() == "localhost"
    }
}

extension HTTPField.Name {
    /// `X-Content-Type-Options`.
    static let contentTypeOptions = known("X-Content-Type-Options")
}

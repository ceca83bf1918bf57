package import HTTPTypes

/// The cookie with the secret of a session of the page.
///
/// With TLS its name begins with `__Host-`, which browsers accept only over TLS, for exactly this host and the whole
/// site: neither another host of the same domain nor anybody on an unencrypted network can set it. Scripts cannot read
/// it. A link in an e-mail opens signed in (`SameSite=Lax`), and no request that changes anything carries it from
/// elsewhere.
package struct SessionCookie: Hashable, Sendable {
    /// Whether the client uses TLS.
    package let isSecure: Bool
    /// The secret that the request presents; `nil` if it presents none.
    package private(set) var secret: String?

    /// No cookie, over an unencrypted connection.
    package static let none = SessionCookie([:], isSecure: false)

    /// Reads the cookie from the header fields of a request.
    ///
    /// If there are several of this name, it is unknown which is ours, so the secret is empty, which is never valid.
    package init(_ headers: HTTPFields, isSecure: Bool) {
        self.isSecure = isSecure
        let name = SessionCookie.name(isSecure: isSecure)
        let values = headers[values: .cookie].flatMap { $0.split(separator: ";") }
            .compactMap { pair -> Substring? in
                let trimmed = pair.drop { $0 == " " || $0 == "\t" }
                guard let sign = trimmed.firstIndex(of: "="), trimmed[..<sign] == name else { return nil }
                return trimmed[trimmed.index(after: sign)...]
            }
        secret = values.count > 1 ? "" : values.first.map(String.init)
    }

    /// This cookie without the secret, for a request that is answered as if it had none.
    var withoutSecret: SessionCookie {
        var cookie = self
        cookie.secret = nil
        return cookie
    }

    /// Returns the value of `Set-Cookie` that gives the browser a secret for a number of seconds.
    package func setting(_ secret: String, seconds: Int) -> String {
        let attributes = "; Path=/; Max-Age=\(max(0, seconds)); HttpOnly; SameSite=Lax"
        return SessionCookie.name(isSecure: isSecure) + "=" + secret + attributes + (isSecure ? "; Secure" : "")
    }

    /// The value of `Set-Cookie` that removes the cookie.
    package var clearing: String { setting("", seconds: 0) }

    private static func name(isSecure: Bool) -> String { (isSecure ? "__Host-" : "") + "waymark_session" }
}

package import HTTPTypes

/// A cookie of the page besides that of its session, for a purpose that is over soon.
///
/// As that one, scripts cannot read it, and with TLS no other host can set it. It is sent with a link from elsewhere
/// (`SameSite=Lax`), as a provider's answer is one.
package struct ShortCookie: Hashable, Sendable {
    private let name: String
    private let isSecure: Bool
    /// The value that the request presents; `nil` if it presents none, or several.
    package let value: String?

    /// Reads the cookie with a name from the header fields of a request.
    package init(_ name: String, of headers: HTTPFields, isSecure: Bool) {
        let whole = (isSecure ? "__Host-" : "") + name
        let values = headers[values: .cookie].flatMap { $0.split(separator: ";") }
            .compactMap { pair -> Substring? in
                let trimmed = pair.drop { $0 == " " || $0 == "\t" }
                guard let sign = trimmed.firstIndex(of: "="), trimmed[..<sign] == whole else { return nil }
                return trimmed[trimmed.index(after: sign)...]
            }
        value = values.count == 1 ? values.first.map(String.init) : nil
        self.name = whole
        self.isSecure = isSecure
    }

    /// Returns the value of `Set-Cookie` that gives the browser a value for a number of seconds.
    package func setting(_ value: String, seconds: Int) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(max(0, seconds)); HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    /// The value of `Set-Cookie` that removes the cookie.
    package var clearing: String { setting("", seconds: 0) }
}

/// A parsed absolute `http` or `https` URL.
///
/// Only the syntax is checked here; whether the service may connect to it is decided at each connection.
struct HTTPAddress: Hashable, Sendable {
    /// The maximum size of a URL, in bytes.
    static let mostBytes = 2048

    /// The URL as written.
    let text: String
    /// `http` or `https`.
    let scheme: String
    /// The host in lower case, with brackets around an IPv6 address.
    let host: String
    /// The port, or `nil` for the default port of the scheme.
    let port: Int?
    /// Everything after the host and the port: empty, or beginning with `/` or `?`.
    let rest: String

    /// Parses a URL.
    ///
    /// Returns `nil` if the text is not such a URL, is longer than ``mostBytes``, or contains a user name, a fragment,
    /// a backslash, a space or a non-ASCII character.
    init?(_ text: String) {
        guard (8...HTTPAddress.mostBytes).contains(text.utf8.count), text.utf8.allSatisfy(HTTPAddress.isAllowed) else {
            return nil
        }
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
        scheme = text[..<colon].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        let afterScheme = text[text.index(colon, offsetBy: 3)...]
        let end = afterScheme.firstIndex { $0 == "/" || $0 == "?" } ?? afterScheme.endIndex
        guard let (host, port) = HTTPAddress.split(authority: afterScheme[..<end]) else { return nil }
        self.text = text
        self.host = host
        self.port = port
        rest = String(afterScheme[end...])
    }

    /// The origin (RFC 6454), used as the audience of tokens: the scheme, the host and, unless it is the default, the
    /// port.
    var origin: String {
        let isDefault = port == nil || port == (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(host)" + (isDefault ? "" : ":\(port ?? 0)")
    }

    /// The URL without its query and trailing slashes.
    var root: String {
        var root = text.prefix { $0 != "?" }
        while root.last == "/" { root.removeLast() }
        return String(root)
    }

    private static func split(authority: Substring) -> (host: String, port: Int?)? {
        guard !authority.contains("@") else { return nil }
        var hostEnd = authority.endIndex
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else { return nil }
            hostEnd = authority.index(after: bracket)
        } else if let colon = authority.firstIndex(of: ":") {
            hostEnd = colon
        }
        let host = authority[..<hostEnd].lowercased()
        guard !host.isEmpty, host.utf8.count <= 255 else { return nil }
        let after = authority[hostEnd...]
        guard !after.isEmpty else { return (host, nil) }
        let digits = after.dropFirst()
        guard after.first == ":", (1...5).contains(digits.utf8.count) else { return nil }
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        guard let port = Int(digits), (1...65_535).contains(port) else { return nil }
        return (host, port)
    }

    /// Returns whether a byte is printable ASCII, excluding spaces and characters that end or obscure a URL.
    static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"#<>\\^`{|}".utf8.contains(byte)
    }
}

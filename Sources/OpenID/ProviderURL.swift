/// An address of an OpenID Connect provider: `https`, or `http` on this very machine.
///
/// Parsed here and not by Foundation, so that what is decided about the host is decided about the text that is dialled.
public struct ProviderURL: Hashable, Sendable {
    /// The maximum length in bytes.
    public static let mostBytes = 2_000

    /// The whole address.
    public let text: String
    /// The host in lower case; an IPv6 address in brackets.
    public let host: String
    /// Whether the connection is encrypted; otherwise the host is this machine.
    public let isEncrypted: Bool

    /// Whether the host is a name or an address that always means this machine.
    public var isLoopback: Bool { ProviderURL.isLoopback(host) }

    /// Parses an address without user, fragment, spaces and other than ASCII characters; `nil` for any other text.
    public init?(_ text: String) {
        guard text.utf8.count <= ProviderURL.mostBytes,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\\#\"<>^`{|}".utf8.contains($0) })
        else { return nil }
        let isEncrypted = text.hasPrefix("https://")
        guard isEncrypted || text.hasPrefix("http://") else { return nil }
        let rest = text.dropFirst(isEncrypted ? 8 : 7)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }.lowercased()
        guard let host = ProviderURL.host(of: authority) else { return nil }
        guard isEncrypted || ProviderURL.isLoopback(host) else { return nil }
        self.text = text
        self.host = host
        self.isEncrypted = isEncrypted
    }

    /// Whether there is a query.
    var hasQuery: Bool { text.contains("?") }

    private static func isLoopback(_ host: String) -> Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }

    private static func host(of authority: String) -> String? {
        var (host, port) = (authority[...], ""[...])
        if let end = authority.lastIndex(of: "]") {
            guard authority.hasPrefix("[") else { return nil }
            host = authority[...end]
            port = authority[authority.index(after: end)...]
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            port = authority[colon...]
        }
        let isName = host.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || ".-_:[]".utf8.contains(byte)
        }
        guard !host.isEmpty, isName, host.hasPrefix("[") == host.hasSuffix("]") else { return nil }
        guard port.isEmpty || port.hasPrefix(":") && isPort(port.dropFirst()) else { return nil }
        return String(host)
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } && Int(text).map { (1...65_535).contains($0) } ?? false
    }
}

/// A site as policies of the page name it: a server from which the page may load pictures, recordings and videos, or one
/// whose pages may show the map of public stories in a frame.
public struct MediaOrigin: Hashable, Comparable, Sendable {
    /// The origin as browsers write it (RFC 6454 §6.2): `https://media.example` or `https://media.example:8443`.
    public let text: String

    /// Reads an origin; returns `nil` unless it is `https://`, or `http://` on this machine, with a host and perhaps a
    /// port.
    ///
    /// It is written into a header and into the page, so only letters, digits and the signs of hosts are accepted. A
    /// browser would never name an origin in upper case, with a path, or with the default port.
    public init?(_ text: String) {
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://"), text.utf8.count <= 300 else { return nil }
        let authority = text.dropFirst(isSecure ? 8 : 7)
        let (host, port) = MediaOrigin.parts(of: authority)
        guard MediaOrigin.isName(host) || MediaOrigin.isAddress(host) else { return nil }
        guard isSecure || MediaOrigin.isLocal(host) else { return nil }
        if let port {
            guard let number = UInt16(port), String(number) == port, number != 0, number != (isSecure ? 443 : 80) else {
                return nil
            }
        }
        self.text = text
    }

    /// Orders origins by their text.
    public static func < (a: MediaOrigin, b: MediaOrigin) -> Bool { a.text < b.text }

    /// Splits a host, which may be an IPv6 address in brackets, from a port.
    private static func parts(of authority: Substring) -> (host: Substring, port: Substring?) {
        let start = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[start...].firstIndex(of: ":") else { return (authority, nil) }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }

    /// Returns whether a text is a host's name or IPv4 address: labels of a–z, 0–9 and hyphens, separated by dots.
    private static func isName(_ host: Substring) -> Bool {
        host.split(separator: ".", omittingEmptySubsequences: false)
            .allSatisfy { label in
                !label.isEmpty && label.utf8.count <= 63 && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy {
                        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
                    }
            }
    }

    /// Returns whether a text looks like an IPv6 address in brackets.
    private static func isAddress(_ host: Substring) -> Bool {
        let digits = host.dropFirst().dropLast()
        return host.hasPrefix("[") && host.hasSuffix("]") && digits.contains(":")
            && digits.utf8.allSatisfy {
                (0x61...0x66).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: ":")
            }
    }

    /// Returns whether a host is this machine, to which browsers speak without TLS.
    private static func isLocal(_ host: Substring) -> Bool {
        host == "localhost" || host == "127.0.0.1" || host == "[::1]"
    }
}

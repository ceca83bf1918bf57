/// A URL to dial, parsed only once: libcurl receives exactly these components.
public struct OutboundURL: Hashable, Sendable {
    /// The maximum size of a URL, in bytes.
    public static let mostBytes = 4_096

    /// `http` or `https`.
    public let scheme: String
    /// The host in lower case, without brackets around an IPv6 address.
    public let host: String
    /// The port.
    public let port: Int
    /// The path and query, beginning with `/`.
    let target: String
    /// The IP address, if the host is one.
    let literal: IPAddress?

    /// Parses an absolute `http` or `https` URL.
    ///
    /// Rejects every spelling that two parsers could interpret differently: user names, fragments, backslashes, spaces,
    /// non-ASCII characters, percent signs in the host, names that end in a dot or in a number (`0x7f.1`, `2130706433`,
    /// `127.1`, `0177.0.0.1`), zones, and invalid ports.
    ///
    /// - Throws: ``OutboundError/badURL(_:)``.
    public init(_ text: String) throws(OutboundError) {
        guard (8...OutboundURL.mostBytes).contains(text.utf8.count) else { throw .badURL(.length) }
        guard text.utf8.allSatisfy(OutboundURL.isAllowed) else { throw .badURL(.characters) }
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { throw .badURL(.scheme) }
        let scheme = text[..<colon].lowercased()
        guard scheme == "http" || scheme == "https" else { throw .badURL(.scheme) }
        let rest = text[text.index(colon, offsetBy: 3)...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.contains("@") else { throw .badURL(.userInfo) }
        let (host, port) = try OutboundURL.split(authority)
        self.literal = try OutboundURL.literal(host)
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.scheme = scheme
        self.port = port ?? (scheme == "https" ? 443 : 80)
        target = rest[end...].hasPrefix("/") ? String(rest[end...]) : "/" + rest[end...]
    }

    /// Host and port as libcurl and CURLOPT_RESOLVE expect them.
    var authority: String { (literal?.bytes.count == 16 ? "[\(host)]" : host) + ":\(port)" }

    /// The whole URL in canonical form.
    var text: String { "\(scheme)://\(authority)\(target)" }

    private static func split(_ authority: Substring) throws(OutboundError) -> (host: String, port: Int?) {
        var end = authority.firstIndex(of: ":") ?? authority.endIndex
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else { throw .badURL(.host) }
            end = authority.index(after: bracket)
        }
        let host = authority[..<end].lowercased()
        let after = authority[end...]
        guard !after.isEmpty else { return (host, nil) }
        let digits = after.dropFirst()
        guard after.first == ":", (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy(isDigit),
            digits.first != "0", let port = Int(digits), port <= 65_535
        else { throw .badURL(.port) }
        return (host, port)
    }

    /// Returns the IP address in a host, or `nil` if it is a name.
    static func literal(_ host: String) throws(OutboundError) -> IPAddress? {
        if host.hasPrefix("[") {
            guard let address = IPAddress(String(host.dropFirst().dropLast())), address.bytes.count == 16 else {
                throw .badURL(.host)
            }
            return address
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.utf8.count <= 253, labels.allSatisfy(isLabel), let last = labels.last else { throw .badURL(.host) }
        // Some parsers treat a name whose last label is a number as an IP address, so it must be a valid IPv4 address.
        guard last.utf8.allSatisfy(isDigit) || last.hasPrefix("0x") else { return nil }
        guard let address = IPAddress(host), address.bytes.count == 4 else { throw .badURL(.host) }
        return address
    }

    /// Returns whether a host is a name rather than an IP address.
    static func isName(_ host: String) -> Bool {
        do { return try literal(host) == nil } catch { return false }
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
            && label.utf8.allSatisfy { byte in
                isDigit(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Returns whether a byte is printable ASCII, excluding characters that end or obscure a URL.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"#<>\\^`{|}".utf8.contains(byte)
    }
}

package import HTTPTypes
package import NIOCore

/// The network from which a request comes, as counted by rate limits.
package enum ClientAddress: Sendable {
    /// Returns the name of the client's network: an IPv4 address, or an IPv6 /64, which one caller may own entirely.
    ///
    /// Behind a trusted proxy, it is taken from the last entry in `X-Forwarded-For`, the address that the proxy itself
    /// saw; earlier entries can be forged. Without a trusted proxy, the header is ignored. Returns `nil` if no IP
    /// address is known.
    package static func name(of peer: SocketAddress?, headers: HTTPFields, trustsProxy: Bool) -> String? {
        if trustsProxy, let hop = headers[values: .forwardedFor].last?.split(separator: ",").last,
            let address = parse(hop)
        {
            return name(address)
        }
        return peer.flatMap(name)
    }

    /// Parses an IP address with or without a port.
    private static func parse(_ text: Substring) -> SocketAddress? {
        var text = text.filter { $0 != " " && $0 != "\t" }[...]
        guard text.utf8.count <= 64 else { return nil }
        if text.first == "[", let end = text.firstIndex(of: "]") {
            text = text[text.index(after: text.startIndex)..<end]
        } else if text.filter({ $0 == ":" }).count == 1, let colon = text.firstIndex(of: ":") {
            text = text[..<colon]
        }
        return try? SocketAddress(ipAddress: String(text), port: 0)
    }

    private static func name(_ address: SocketAddress) -> String? {
        guard let text = address.ipAddress else { return nil }
        guard text.contains(":") else { return text }
        // An IPv4-mapped IPv6 address.
        if text.contains("."), let four = text.split(separator: ":").last { return String(four) }
        return network(of: text)
    }

    /// Returns the first 64 bits of an IPv6 address in the system's notation, in which `::` stands for zeros.
    private static func network(of text: String) -> String {
        let address = text.prefix { $0 != "%" }
        let sides = address.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
            .map { $0.split(separator: ":") }
        let missing = max(0, 8 - sides.reduce(0) { $0 + $1.count })
        let groups = (sides.first ?? []) + Array(repeating: "0", count: missing) + (sides.count > 1 ? sides[1] : [])
        return groups.prefix(4).joined(separator: ":") + "/64"
    }
}

extension HTTPField.Name {
    /// `X-Forwarded-For`.
    static let forwardedFor = known("X-Forwarded-For")
    /// `X-Dev-Mode`.
    static let developmentMode = known("X-Dev-Mode")
}

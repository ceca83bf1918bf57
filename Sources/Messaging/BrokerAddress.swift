import Transport

/// Where a broker of messages (MQTT) is.
///
/// Its description is that of an address, so it is not for logs.
public struct BrokerAddress: Hashable, Sendable {
    /// The name or the IP address, without brackets.
    public let host: String
    /// The port.
    public let port: Int
    /// Whether the connection is encrypted.
    public let isEncrypted: Bool

    /// Reads an address such as `mqtts://broker.example.org:8883`; the port may be left out.
    ///
    /// - Throws: ``BrokerProblem`` that says what is expected. An address without TLS must be that of this machine, or a
    ///   private IP address: of a name, nobody knows where it leads.
    public init(_ text: String) throws(BrokerProblem) {
        let schemes = [("mqtts://", true, 8_883), ("mqtt://", false, 1_883)]
        guard let (scheme, isEncrypted, usualPort) = schemes.first(where: { text.lowercased().hasPrefix($0.0) }) else {
            throw BrokerAddress.unreadable
        }
        var rest = text.dropFirst(scheme.count)
        if rest.last == "/" { rest = rest.dropLast() }
        guard let (host, digits) = BrokerAddress.parts(of: rest) else { throw BrokerAddress.unreadable }
        var port = usualPort
        if let digits {
            guard let number = Int(digits), (1...65_535).contains(number), !digits.hasPrefix("+") else {
                throw BrokerAddress.unreadable
            }
            port = number
        }
        (self.host, self.port, self.isEncrypted) = (host.lowercased(), port, isEncrypted)
        guard isEncrypted || isOnThisMachine || isPrivate else {
            throw BrokerProblem(
                option: "--mqtt",
                message:
                    "mqtt:// sends everything in the clear, which is allowed to this machine and to private addresses "
                    + "such as 192.168.1.5 alone. Let the broker listen with TLS and give mqtts://…"
            )
        }
    }

    /// Whether the broker is on this machine.
    public var isOnThisMachine: Bool { host == "localhost" || isIn(BrokerAddress.loopback) }

    private var isPrivate: Bool { isIn(BrokerAddress.privateRanges) }

    private func isIn(_ ranges: [String]) -> Bool {
        guard let address = IPAddress(host) else { return false }
        return ranges.compactMap { AddressRange($0) }.contains { $0.contains(address) }
    }

    private static let loopback = ["127.0.0.0/8", "::1"]
    private static let privateRanges = ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]

    private static let unreadable = BrokerProblem(
        option: "--mqtt",
        message:
            "must be an address such as mqtts://broker.example.org:8883, without a name, a password or a path in it."
    )

    /// Returns host and port of an authority; `nil` if it is none.
    private static func parts(of text: Substring) -> (host: String, port: Substring?)? {
        let host: Substring
        let rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
            guard IPAddress(String(host))?.bytes.count == 16 else { return nil }
        } else {
            host = text.prefix { $0 != ":" }
            rest = text[host.endIndex...]
            guard (1...253).contains(host.utf8.count), host.utf8.allSatisfy(isOfName) else { return nil }
        }
        if rest.isEmpty { return (String(host), nil) }
        return rest.hasPrefix(":") ? (String(host), rest.dropFirst()) : nil
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// A setting of the broker that cannot be used.
public struct BrokerProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The option.
    public let option: String
    /// What is wrong, and what to do.
    public let message: String

    /// The option with the message.
    public var description: String { "\(option): \(message)" }
}

import CCurl

/// An IPv4 or IPv6 address.
public struct IPAddress: Hashable, Sendable {
    /// Four or sixteen bytes.
    public let bytes: [UInt8]

    /// Creates an address from its bytes; `nil` unless there are 4 or 16.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Parses an address in its canonical form: four decimal numbers, or IPv6 without brackets and zone.
    public init?(_ text: String) {
        guard !text.utf8.contains(0) else { return nil }
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = wm_parse_address(text, &buffer)
        self.init(bytes: Array(buffer.prefix(Int(count))))
    }
}

/// A range of addresses with the same prefix.
public struct AddressRange: Hashable, Sendable {
    /// The first address.
    public let address: IPAddress
    /// The length of the prefix in bits.
    public let length: Int

    /// Parses a range such as `10.0.0.0/8` or `fd00::/8`; a single address is a range of its own.
    ///
    /// Returns `nil` for anything else, including set bits after the prefix.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        var length = address.bytes.count * 8
        if parts.count == 2 {
            let digits = parts[1]
            guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(digits), number <= length
            else { return nil }
            length = number
        }
        self.address = address
        self.length = length
        for bit in length..<(address.bytes.count * 8) where address.bytes[bit / 8] >> UInt8(7 - bit % 8) & 1 == 1 {
            return nil
        }
    }

    /// Creates an IPv4 range.
    init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, length: Int) {
        self.init(bytes: [a, b, c, d], length: length)
    }

    /// Creates an IPv6 range from the first words of its address.
    init(words: [UInt16], length: Int) {
        let bytes = words.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        self.init(bytes: bytes + [UInt8](repeating: 0, count: 16 - bytes.count), length: length)
    }

    private init(bytes: [UInt8], length: Int) {
        guard let address = IPAddress(bytes: bytes) else { preconditionFailure("an address has 4 or 16 bytes") }
        self.address = address
        self.length = length
    }

    /// Returns whether this range contains all of another.
    public func contains(_ other: AddressRange) -> Bool { length <= other.length && contains(other.address) }

    /// Returns whether the range contains an address; it never contains addresses of the other family.
    public func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        let whole = length / 8
        guard address.bytes[..<whole] == other.bytes[..<whole] else { return false }
        let rest = length % 8
        guard rest > 0 else { return true }
        return address.bytes[whole] >> UInt8(8 - rest) == other.bytes[whole] >> UInt8(8 - rest)
    }
}

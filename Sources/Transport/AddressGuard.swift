/// Decides which IP addresses may be dialled: public ones, and those allowed by the operator.
package struct AddressGuard: Hashable, Sendable {
    /// The additional ranges allowed by the operator.
    package let allowed: [AddressRange]

    /// Creates a guard that allows public addresses and the given ranges.
    package init(allowed: [AddressRange]) {
        self.allowed = allowed
    }

    /// Returns whether an address may be dialled.
    ///
    /// An address that embeds an IPv4 address is allowed only if the embedded address is allowed too, whatever ranges
    /// the operator adds; otherwise an address translator would give access to the network behind it.
    package func allows(_ address: IPAddress) -> Bool {
        if let embedded = AddressGuard.embedded(in: address), !allows(embedded) { return false }
        if let own = AddressGuard.guarded.first(where: { $0.contains(address) }) {
            return allowed.contains { own.contains($0) && $0.contains(address) }
        }
        if allowed.contains(where: { $0.contains(address) }) { return true }
        if address.bytes.count == 4 { return !AddressGuard.special4.contains { $0.contains(address) } }
        return AddressGuard.global6.contains(address) && !AddressGuard.special6.contains { $0.contains(address) }
    }

    /// Returns the IPv4 address embedded in an IPv6 address: mapped, compatible, translated (RFC 6052), 6to4 or Teredo.
    static func embedded(in address: IPAddress) -> IPAddress? {
        let bytes = address.bytes
        guard bytes.count == 16 else { return nil }
        if mapped.contains(address) || translated.contains(address) { return IPAddress(bytes: Array(bytes[12...])) }
        // Excludes the unspecified address and loopback, which are in the same range but embed nothing.
        if compatible.contains(address), bytes[12] != 0 {
            return IPAddress(bytes: Array(bytes[12...]))
        }
        if sixToFour.contains(address) { return IPAddress(bytes: Array(bytes[2..<6])) }
        // Teredo stores the client's address inverted (RFC 4380).
        if teredo.contains(address) { return IPAddress(bytes: bytes[12...].map { ~$0 }) }
        return nil
    }

    private static let mapped = AddressRange(words: [0, 0, 0, 0, 0, 0xFFFF], length: 96)
    private static let compatible = AddressRange(words: [], length: 96)
    private static let translated = AddressRange(words: [0x64, 0xFF9B], length: 96)
    private static let sixToFour = AddressRange(words: [0x2002], length: 16)
    private static let teredo = AddressRange(words: [0x2001, 0], length: 32)

    /// Ranges that may be dialled only if the operator explicitly lists them or parts of them: a wider range does not
    /// include them.
    ///
    /// Cloud providers serve the machine's own credentials to any caller at these addresses.
    private static let guarded: [AddressRange] = [
        AddressRange(169, 254, 0, 0, length: 16),  // link-local: most clouds' metadata
        AddressRange(100, 100, 100, 200, length: 32),  // Alibaba's metadata
        AddressRange(168, 63, 129, 16, length: 32),  // Azure's own services
        AddressRange(192, 0, 0, 192, length: 32),  // Oracle's metadata
        AddressRange(words: [0xFE80], length: 10),  // link-local
        AddressRange(words: [0xFD00, 0xEC2], length: 32),  // Amazon's metadata
        AddressRange(words: [0xFD20, 0xCE], length: 32),  // Google's metadata
    ]

    /// The parts of IPv4 that are not public (IANA's registry of special-purpose addresses).
    private static let special4: [AddressRange] = [
        AddressRange(0, 0, 0, 0, length: 8),  // this network, unspecified
        AddressRange(10, 0, 0, 0, length: 8),  // private
        AddressRange(100, 64, 0, 0, length: 10),  // carrier-grade NAT
        AddressRange(127, 0, 0, 0, length: 8),  // loopback
        AddressRange(168, 63, 129, 16, length: 32),  // a cloud's own services on each of its machines
        AddressRange(169, 254, 0, 0, length: 16),  // link-local, including cloud metadata
        AddressRange(172, 16, 0, 0, length: 12),  // private
        AddressRange(192, 0, 0, 0, length: 24),  // protocols
        AddressRange(192, 0, 2, 0, length: 24),  // documentation
        AddressRange(192, 31, 196, 0, length: 24),  // AS112
        AddressRange(192, 52, 193, 0, length: 24),  // multicast tunnels
        AddressRange(192, 88, 99, 0, length: 24),  // 6to4 relays
        AddressRange(192, 168, 0, 0, length: 16),  // private
        AddressRange(192, 175, 48, 0, length: 24),  // AS112
        AddressRange(198, 18, 0, 0, length: 15),  // benchmarks
        AddressRange(198, 51, 100, 0, length: 24),  // documentation
        AddressRange(203, 0, 113, 0, length: 24),  // documentation
        AddressRange(224, 0, 0, 0, length: 4),  // multicast
        AddressRange(240, 0, 0, 0, length: 4),  // reserved, broadcast
    ]

    /// The only part of IPv6 allocated for public use: loopback, mapped, link-local, ULA and multicast addresses are
    /// outside.
    private static let global6 = AddressRange(words: [0x2000], length: 3)

    /// The parts of `global6` that are not public.
    private static let special6: [AddressRange] = [
        AddressRange(words: [0x2001, 0], length: 23),  // protocols, Teredo, benchmarks, ORCHID
        AddressRange(words: [0x2001, 0xDB8], length: 32),  // documentation
        AddressRange(words: [0x2002], length: 16),  // 6to4
        AddressRange(words: [0x2620, 0x4F, 0x8000], length: 48),  // AS112
        AddressRange(words: [0x3FFF, 0], length: 20),  // documentation
    ]
}

import Foundation
import Formats

/// The binary of a geometry in a GeoPackage (OGC 12-128r17, 2.1.3): a header before well-known binary.
enum GeoPackageGeometry {
    /// Returns a point, little endian and without an envelope.
    static func point(x: Double, y: Double, system: Int32) -> Data {
        var bytes: [UInt8] = [0x47, 0x50, 0, 1]
        append(UInt64(UInt32(bitPattern: system)), count: 4, to: &bytes)
        bytes += [1, 1, 0, 0, 0]
        append(x.bitPattern, count: 8, to: &bytes)
        append(y.bitPattern, count: 8, to: &bytes)
        return Data(bytes)
    }

    private static func append(_ number: UInt64, count: Int, to bytes: inout [UInt8]) {
        for shift in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * shift))) }
    }

    /// Returns the well-known binary of a GeoPackage geometry; `nil` if the geometry is empty or damaged.
    static func wellKnownBinary(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard bytes.count >= 8, bytes[0] == 0x47, bytes[1] == 0x50 else { return nil }
        let flags = bytes[3]
        // Bit 5 means an extended type, bit 4 an empty geometry; bits 1 to 3 the kind of envelope.
        guard flags & 0x20 == 0, flags & 0x10 == 0 else { return nil }
        let envelopes = [0, 32, 48, 48, 64]
        let kind = Int(flags >> 1 & 7)
        guard kind < envelopes.count, bytes.count > 8 + envelopes[kind] else { return nil }
        return bytes[(8 + envelopes[kind])...]
    }
}

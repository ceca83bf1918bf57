import Foundation
import Formats

/// The binary of a geometry in a GeoPackage (OGC 12-128r17, 2.1.3): a header before well-known binary.
enum GeoPackageGeometry {
    /// Returns a shape, little endian; unlike a point, a line or an area has an envelope, by which programs skip it.
    static func bytes(of shape: GeoPackageShape, system: Int32) -> Data {
        var box: GeoPackageShape.Box?
        if case .point = shape {} else { box = shape.box }
        // Bit 0 says little endian, bits 1 to 3 the kind of the envelope.
        var data = Data([0x47, 0x50, 0, box == nil ? 0b01 : 0b11]) + littleEndian(UInt32(bitPattern: system))
        if let box {
            for edge in [box.west, box.east, box.south, box.north] { data.append(littleEndian(edge.bitPattern)) }
        }
        return data + shape.wellKnownBinary
    }

    /// Returns the bytes of a number, the least first.
    static func littleEndian(_ number: some FixedWidthInteger) -> Data {
        withUnsafeBytes(of: number.littleEndian) { Data($0) }
    }

    /// Returns the well-known binary of a GeoPackage geometry; `nil` if the geometry is damaged or of an extended type.
    static func wellKnownBinary(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard bytes.count >= 8, bytes[0] == 0x47, bytes[1] == 0x50 else { return nil }
        let flags = bytes[3]
        // Bit 5 means an extended type; bits 1 to 3 are the kind of envelope.
        guard flags & 0x20 == 0 else { return nil }
        let envelopes = [0, 32, 48, 48, 64]
        let kind = Int(flags >> 1 & 7)
        guard kind < envelopes.count, bytes.count > 8 + envelopes[kind] else { return nil }
        return bytes[(8 + envelopes[kind])...]
    }

    /// Returns whether the head of a geometry says that it is empty; its type follows nevertheless.
    static func isMarkedEmpty(_ bytes: [UInt8]) -> Bool { bytes.count >= 4 && bytes[3] & 0x10 != 0 }
}

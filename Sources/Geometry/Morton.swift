/// Morton (Z-order) codes: the bits of x and y interleaved, x in the even positions.
///
/// The points of a quadtree cell are contiguous in Morton order (Morton 1966).
public enum Morton: Sendable {
    /// Returns the 64-bit code of a point.
    @inlinable
    public static func encode(x: UInt32, y: UInt32) -> UInt64 {
        spread(x) | (spread(y) << 1)
    }

    /// Returns the point of a code.
    @inlinable
    public static func decode(_ code: UInt64) -> (x: UInt32, y: UInt32) {
        (gather(code), gather(code >> 1))
    }

    @inlinable
    static func spread(_ value: UInt32) -> UInt64 {
        var bits = UInt64(value)
        bits = (bits | (bits << 16)) & 0x0000_FFFF_0000_FFFF
        bits = (bits | (bits << 8)) & 0x00FF_00FF_00FF_00FF
        bits = (bits | (bits << 4)) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | (bits << 2)) & 0x3333_3333_3333_3333
        bits = (bits | (bits << 1)) & 0x5555_5555_5555_5555
        return bits
    }

    @inlinable
    static func gather(_ code: UInt64) -> UInt32 {
        var bits = code & 0x5555_5555_5555_5555
        bits = (bits | (bits >> 1)) & 0x3333_3333_3333_3333
        bits = (bits | (bits >> 2)) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | (bits >> 4)) & 0x00FF_00FF_00FF_00FF
        bits = (bits | (bits >> 8)) & 0x0000_FFFF_0000_FFFF
        bits = (bits | (bits >> 16)) & 0x0000_0000_FFFF_FFFF
        return UInt32(truncatingIfNeeded: bits)
    }
}

extension MercatorPoint {
    /// The Morton code of the point.
    @inlinable public var morton: UInt64 { Morton.encode(x: x, y: y) }

    /// Creates the point of a Morton code.
    @inlinable
    public init(morton code: UInt64) {
        let (x, y) = Morton.decode(code)
        self.init(x: x, y: y)
    }
}

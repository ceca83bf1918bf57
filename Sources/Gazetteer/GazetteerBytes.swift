/// The bytes of a compiled gazetteer, shared and immutable: an array, or memory mapped by the caller.
public final class GazetteerBytes: @unchecked Sendable {
    // Safe to share: both stored properties are constants, the memory is only read, and `release` runs once, in deinit.
    /// The bytes, which stay readable as long as this object exists.
    package let view: ByteView
    private let release: @Sendable () -> Void

    /// The number of bytes.
    public var count: Int { view.count }

    /// Wraps memory owned by the caller.
    ///
    /// - Parameters:
    ///   - memory: bytes that stay valid and unchanged until `release` is called.
    ///   - release: called once, when the last index over these bytes is gone.
    public init(memory: UnsafeRawBufferPointer, release: @escaping @Sendable () -> Void) {
        view = ByteView(base: memory.baseAddress, count: memory.baseAddress == nil ? 0 : memory.count)
        self.release = release
    }

    /// Copies an array.
    public init(_ bytes: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 16)
        copy.copyBytes(from: bytes)
        view = ByteView(base: UnsafeRawPointer(copy.baseAddress), count: bytes.count)
        // A pointer is not Sendable; its address is, and only this closure frees it.
        let address = UInt(bitPattern: copy.baseAddress)
        release = { UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }
    }

    deinit { release() }
}

/// A bounds-checked view of the bytes; integers outside its bounds are read as zero.
///
/// A damaged file therefore gives wrong results, never a crash. The view must not outlive its ``GazetteerBytes``.
package struct ByteView: @unchecked Sendable {
    // Safe to share: constants over memory that is never written.
    let base: UnsafeRawPointer?
    let count: Int

    /// An empty view.
    package static let empty = ByteView(base: nil, count: 0)

    /// Returns the little-endian integer at `offset`, or zero if it is not entirely inside.
    @inline(__always)
    func load<T: FixedWidthInteger>(_ offset: Int, as type: T.Type = T.self) -> T {
        guard let base, offset >= 0, offset <= count - MemoryLayout<T>.size else { return 0 }
        return T(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    /// Returns the 32-bit floating-point number at `offset`.
    @inline(__always)
    func loadFloat(_ offset: Int) -> Float {
        Float(bitPattern: load(offset, as: UInt32.self))
    }

    /// Returns `length` bytes from `offset`, truncated to the existing ones.
    func part(offset: Int, length: Int) -> UnsafeRawBufferPointer {
        guard let base, offset >= 0, length > 0, offset < count else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: base + offset, count: min(length, count - offset))
    }

    /// Returns a view of exactly `length` bytes from `offset`, or `nil` if it is not entirely inside.
    func window(offset: UInt64, length: UInt64) -> ByteView? {
        guard let base, let offset = Int(exactly: offset), let length = Int(exactly: length) else { return nil }
        guard offset <= count, length <= count - offset else { return nil }
        return ByteView(base: base + offset, count: length)
    }
}

import Foundation
import Gazetteer

/// A file whose content is followed by a seal, which reveals damage: a mark, and the length and checksum of the
/// content.
///
/// The checksum is fast, and any change within eight neighbouring bytes changes it. It does not protect against
/// deliberate manipulation.
enum SealedFile: Sendable {
    /// A file whose content and seal do not match.
    struct Damage: Error, Sendable {}

    /// The mark, the length of the content and its checksum, eight bytes each.
    static let sealLength = 24
    private static let mark = Array("WMSEAL1\n".utf8)
    private static let piece = 1 << 20

    /// Appends a seal to content in memory.
    static func seal(_ bytes: inout [UInt8]) {
        var sum = Sum()
        bytes.withUnsafeBytes { sum.add($0) }
        bytes += seal(length: bytes.count, sum: sum)
    }

    /// Appends a seal to the content of a file.
    ///
    /// - Throws: any error of the file system.
    static func seal(_ file: FileHandle) throws {
        let length = Int(try file.seekToEnd())
        let sum = try sum(file, length: length)
        try file.seekToEnd()
        try file.write(contentsOf: Data(seal(length: length, sum: sum)))
    }

    /// Reads a file and checks that its content and seal match.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - most: the maximum length at which the whole content is checked; if it is longer, only the length is compared
    ///     with the seal, so that starting does not take long.
    /// - Returns: the length of the content.
    /// - Throws: ``Damage`` if content and seal do not match, or any error of the file system.
    static func check(_ path: String, most: Int = .max) throws -> Int {
        guard let file = FileHandle(forReadingAtPath: path) else { throw CocoaError(.fileReadNoSuchFile) }
        defer { try? file.close() }
        let length = Int(try file.seekToEnd()) - sealLength
        guard length >= 0 else { throw Damage() }
        let isWhole = length <= most
        let sum = isWhole ? try sum(file, length: length) : Sum()
        try file.seek(toOffset: UInt64(length))
        let found = [UInt8](try file.read(upToCount: sealLength) ?? Data())
        let compared = isWhole ? sealLength : sealLength - 8
        guard found.count == sealLength, found.prefix(compared) == seal(length: length, sum: sum).prefix(compared)
        else {
            throw Damage()
        }
        return length
    }

    private static func seal(length: Int, sum: Sum) -> [UInt8] {
        var seal = mark
        for value in [UInt64(length), sum.value] {
            for shift in stride(from: 0, to: 64, by: 8) { seal.append(UInt8(truncatingIfNeeded: value >> shift)) }
        }
        return seal
    }

    /// Returns the checksum of the first `length` bytes of a file.
    ///
    /// Reads the file instead of mapping it, because content that is needed only once need not stay in memory.
    private static func sum(_ file: FileHandle, length: Int) throws -> Sum {
        try file.seek(toOffset: 0)
        var sum = Sum()
        var left = length
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 16)
        defer { buffer.deallocate() }
        while left > 0 {
            // A chunk is filled before it is added: only the last one may have any length.
            var filled = 0
            let wanted = min(left, piece)
            while filled < wanted {
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<wanted])
                let count = read(file.fileDescriptor, part.baseAddress, part.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Damage() }
                filled += count
            }
            sum.add(UnsafeRawBufferPointer(rebasing: buffer[..<wanted]))
            left -= wanted
        }
        return sum
    }

    /// Four checksums side by side, so that the processor works on all of them at once.
    struct Sum: Sendable {
        private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
        private var lanes = SIMD4<UInt64>(1, 2, 3, 4)
        private var count: UInt64 = 0

        /// The checksum of all bytes so far.
        var value: UInt64 {
            var value = count
            for lane in 0..<4 {
                value = (value ^ lanes[lane]) &* Self.factor
                value ^= value >> 29
            }
            return value
        }

        /// Adds bytes; their number must be a multiple of 32, except in the last call.
        package mutating func add(_ bytes: UnsafeRawBufferPointer) {
            guard let start = bytes.baseAddress else { return }
            var (a, b, c, d) = (lanes[0], lanes[1], lanes[2], lanes[3])
            let whole = bytes.count / 32 * 32
            var offset = 0
            while offset < whole {
                a = Self.mixed(a, Self.word(start + offset))
                b = Self.mixed(b, Self.word(start + offset + 8))
                c = Self.mixed(c, Self.word(start + offset + 16))
                d = Self.mixed(d, Self.word(start + offset + 24))
                offset += 32
            }
            while offset < bytes.count {
                a = Self.mixed(a, UInt64(bytes[offset]))
                offset += 1
            }
            lanes = SIMD4(a, b, c, d)
            count &+= UInt64(bytes.count)
        }

        @inline(__always)
        private static func word(_ address: UnsafeRawPointer) -> UInt64 {
            UInt64(littleEndian: address.loadUnaligned(as: UInt64.self))
        }

        @inline(__always)
        private static func mixed(_ lane: UInt64, _ word: UInt64) -> UInt64 {
            let product = (lane ^ word) &* factor
            return product << 31 | product >> 33
        }
    }
}

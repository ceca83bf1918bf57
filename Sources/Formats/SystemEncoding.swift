#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Decodes the encodings that the C library knows (`iconv`, POSIX), whose tables need no maintenance of our own.
enum SystemEncoding {
    /// The name by which the C library knows an encoding, where it is another than ours.
    private static func name(of encoding: TextEncoding) -> String {
        switch encoding {
        case .shiftJIS: "cp932"
        case .traditionalChinese: "big5-hkscs"
        case .korean: "cp949"
        default: encoding.rawValue
        }
    }

    /// Returns a text in UTF-8.
    ///
    /// - Throws: ``TextEncodingError`` with the line of the first byte that means nothing in the encoding, or of zero.
    /// - Complexity: O(bytes).
    static func decoded(_ bytes: ArraySlice<UInt8>, from encoding: TextEncoding) throws(TextEncodingError) -> [UInt8] {
        guard let converter = iconv_open("UTF-8", name(of: encoding)), converter != iconv_t(bitPattern: -1) else {
            let reason = "the C library of this machine does not know \(encoding.title); save the file as UTF-8"
            throw TextEncodingError(line: nil, reason: reason)
        }
        defer { iconv_close(converter) }
        var input = Array(bytes)
        var output: [UInt8] = []
        output.reserveCapacity(input.count + input.count / 2)
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        var position = 0
        while position < input.count {
            let (read, written, isStuck) = convert(converter, &input, from: position, into: &piece)
            output.append(contentsOf: piece[..<written])
            position += read
            guard !isStuck else { throw invalid(input[..<position], encoding) }
        }
        output += finished(converter)
        if let zero = output.firstIndex(of: 0) { throw invalid(output[..<zero], encoding) }
        return output
    }

    /// Converts as much as fits: the numbers of bytes read and written, and whether the next ones mean nothing.
    private static func convert(
        _ converter: iconv_t,
        _ input: inout [UInt8],
        from position: Int,
        into piece: inout [UInt8]
    ) -> (read: Int, written: Int, isStuck: Bool) {
        input.withUnsafeMutableBytes { input in
            piece.withUnsafeMutableBytes { piece in
                var source = input.baseAddress.map { ($0 + position).assumingMemoryBound(to: CChar.self) }
                var target = piece.baseAddress?.assumingMemoryBound(to: CChar.self)
                var (left, room) = (input.count - position, piece.count)
                let result = iconv(converter, &source, &left, &target, &room)
                // E2BIG says that the output is full, which is no error.
                let isStuck = result == Int(bitPattern: UInt.max) && errno != E2BIG
                return (input.count - position - left, piece.count - room, isStuck)
            }
        }
    }

    /// Returns the last letter, which converters of some encodings keep until they know that no accent follows.
    private static func finished(_ converter: iconv_t) -> [UInt8] {
        var rest = [UInt8](repeating: 0, count: 16)
        let written = rest.withUnsafeMutableBytes { bytes in
            var target = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            var room = bytes.count
            _ = iconv(converter, nil, nil, &target, &room)
            return bytes.count - room
        }
        return Array(rest[..<written])
    }

    private static func invalid(_ before: ArraySlice<UInt8>, _ encoding: TextEncoding) -> TextEncodingError {
        let line = 1 + before.count { $0 == 0x0A }
        let reason = "the line has bytes that mean nothing in \(encoding.title); give another --encoding"
        return TextEncodingError(line: line, reason: reason)
    }
}

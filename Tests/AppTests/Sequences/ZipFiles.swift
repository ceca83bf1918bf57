import Formats
import Testing

/// Reads a zip archive by its directory, the entries of which are deflated, as an exporting service writes it.
enum ZipFiles: Sendable {
    /// The files by name; their sizes and checksums are proven.
    static func read(_ bytes: [UInt8]) throws -> [String: [UInt8]] {
        func number(_ position: Int, _ count: Int) throws -> Int {
            try #require(position >= 0 && position + count <= bytes.count)
            return bytes[position..<position + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        // The end of the directory, which has no comment.
        let end = bytes.count - 22
        try #require(try number(end, 4) == 0x0605_4B50)
        var position = try number(end + 16, 4)
        var files: [String: [UInt8]] = [:]
        for _ in 0..<(try number(end + 10, 2)) {
            try #require(try number(position, 4) == 0x0201_4B50 && number(position + 10, 2) == 8)
            let nameEnd = position + 46 + (try number(position + 28, 2))
            let name = String(decoding: bytes[position + 46..<nameEnd], as: UTF8.self)
            var (packedSize, start) = (try number(position + 20, 4), try number(position + 42, 4))
            if packedSize == Int(UInt32.max) {
                // Zip64: size, packed size and position stand in the extra field.
                (packedSize, start) = (try number(nameEnd + 12, 8), try number(nameEnd + 20, 8))
            }
            let content = start + 30 + (try number(start + 26, 2)) + (try number(start + 28, 2))
            // As gzip, whose end is the checksum and the size again, it can be unpacked.
            let size = try number(position + 24, 4)
            let isLong = size == Int(UInt32.max)
            let sizeAt = isLong ? nameEnd + 4 : position + 24
            let gzip =
                [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + bytes[content..<content + packedSize]
                + bytes[position + 16..<position + 20] + bytes[sizeAt..<sizeAt + 4]
            files[name] = try Gzip.decompress(Array(gzip), limit: 1 << 26)
            position = nameEnd + (try number(position + 30, 2)) + (try number(position + 32, 2))
        }
        return files
    }
}

import Formats

/// Tells by its bytes what a tile is.
public enum TileContent: Sendable {
    /// The maximum length of a vector tile in bytes, uncompressed.
    public static let longestTile = 8 << 20

    /// Returns the type of a tile by its first bytes; `nil` if it is neither an image nor a vector tile.
    public static func kind(of bytes: [UInt8]) -> TileKind? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if bytes.count > 12, bytes.starts(with: Array("RIFF".utf8)), bytes[8..<12].elementsEqual("WEBP".utf8) {
            return .webp
        }
        if bytes.starts(with: [0x1F, 0x8B]) || bytes.first == UInt8(layerField) { return .vector }
        return nil
    }

    /// Returns a vector tile compressed with gzip, as archives have it; `nil` if it is not one.
    public static func packedVector(_ bytes: [UInt8]) -> [UInt8]? {
        let isPacked = bytes.starts(with: [0x1F, 0x8B])
        guard let plain = isPacked ? try? Gzip.decompress(bytes, limit: longestTile) : bytes,
            plain.count <= longestTile, !plain.isEmpty, layers(of: plain) != nil
        else { return nil }
        return isPacked ? bytes : try? Gzip.compress(plain, level: 9)
    }

    /// Returns the names of the layers of an uncompressed vector tile; `nil` if it is not one.
    ///
    /// What the layers contain is not read.
    public static func layers(of bytes: [UInt8]) -> [String]? {
        var names: [String] = []
        guard let fields = messages(in: bytes[...]) else { return nil }
        for (field, layer) in fields {
            guard field == layerField >> 3, let parts = messages(in: layer),
                let name = parts.first(where: { $0.field == nameField })
            else { return nil }
            names.append(String(decoding: name.content, as: UTF8.self))
        }
        return names
    }

    /// The first byte of a layer in `vector_tile.proto`: field 3, a message.
    private static let layerField: UInt64 = 3 << 3 | 2
    private static let nameField: UInt64 = 1

    /// Returns the fields of a message with their numbers; those that are numbers have no content.
    private static func messages(in bytes: ArraySlice<UInt8>) -> [(field: UInt64, content: ArraySlice<UInt8>)]? {
        var fields: [(field: UInt64, content: ArraySlice<UInt8>)] = []
        var rest = bytes
        func varint() -> UInt64? {
            var number: UInt64 = 0
            for shift in stride(from: 0, to: 63, by: 7) {
                guard let byte = rest.popFirst() else { return nil }
                number |= UInt64(byte & 0x7F) << UInt64(shift)
                if byte < 0x80 { return number }
            }
            return nil
        }
        while !rest.isEmpty {
            guard let key = varint() else { return nil }
            switch key & 7 {
            case 0:
                guard varint() != nil else { return nil }
                fields.append((key >> 3, []))
            case 2:
                guard let length = varint(), length <= UInt64(rest.count) else { return nil }
                fields.append((key >> 3, rest.prefix(Int(length))))
                rest = rest.dropFirst(Int(length))
            default: return nil
            }
        }
        return fields
    }
}

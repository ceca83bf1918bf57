import Gazetteer

/// Assembles the sections of a compiled gazetteer.
struct GazetteerFile {
    /// The content of a section.
    enum Content {
        case bytes([UInt8])
        case scratch(any Scratch)

        var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .scratch(let scratch): scratch.count
            }
        }
    }

    private static let piece = 1 << 20

    private var sections: [(kind: UInt64, content: Content)] = []

    mutating func append(_ kind: GazetteerFormat.Section, bytes: [UInt8]) {
        sections.append((kind.rawValue, .bytes(bytes)))
    }

    mutating func append(_ kind: GazetteerFormat.Section, _ scratch: any Scratch) {
        sections.append((kind.rawValue, .scratch(scratch)))
    }

    mutating func append(number: UInt64, bytes: [UInt8]) {
        sections.append((number, .bytes(bytes)))
    }

    mutating func append(number: UInt64, _ scratch: any Scratch) {
        sections.append((number, .scratch(scratch)))
    }

    mutating func append(_ kind: GazetteerFormat.Section, _ words: [UInt32]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(words.count * 4)
        for word in words { bytes.append(littleEndian: word) }
        sections.append((kind.rawValue, .bytes(bytes)))
    }

    /// Adds all sections of another file.
    mutating func append(contentsOf other: GazetteerFile) { sections += other.sections }

    /// Returns the whole file.
    func finish(checksum: [UInt8]) throws -> [UInt8] {
        var file: [UInt8] = []
        file.reserveCapacity(sections.reduce(4_096) { $0 + Self.padded($1.content.count) })
        try write(checksum: checksum) { file += $0 }
        return file
    }

    /// Writes the file to `output` in pieces; if `last` is given, all except the last section, which must be appended
    /// separately.
    ///
    /// - Parameters:
    ///   - checksum: the SHA-256 of the sources.
    ///   - last: the number and length of the section that follows; its length must be a multiple of eight.
    ///   - output: receives the bytes in order.
    /// - Throws: any error of `output` or of a section's temporary storage.
    func write(
        checksum: [UInt8],
        followedBy last: (kind: UInt64, length: Int)? = nil,
        to output: ([UInt8]) throws -> Void
    ) throws {
        try output(head(checksum: checksum, followedBy: last))
        for section in sections {
            let rest = [UInt8](repeating: 0, count: Self.padded(section.content.count) - section.content.count)
            switch section.content {
            case .bytes(let bytes): try output(bytes + rest)
            case .scratch(let scratch):
                for start in stride(from: 0, to: scratch.count, by: Self.piece) {
                    try output(scratch.read(from: start, count: Self.piece))
                }
                try output(rest)
            }
        }
    }

    private func head(checksum: [UInt8], followedBy last: (kind: UInt64, length: Int)?) -> [UInt8] {
        var head = GazetteerFormat.magic
        let count = sections.count + (last == nil ? 0 : 1)
        head.append(littleEndian: GazetteerFormat.version)
        head.append(littleEndian: UInt32(count))
        let start = GazetteerFormat.headerLength + count * GazetteerFormat.sectionEntryLength
        let total = sections.reduce(start) { $0 + Self.padded($1.content.count) }
        head.append(littleEndian: UInt64(total + (last?.length ?? 0)))
        head.append(contentsOf: checksum.prefix(GazetteerFormat.checksumLength))
        while head.count < GazetteerFormat.headerLength { head.append(0) }
        var offset = start
        for section in sections {
            head.append(littleEndian: section.kind)
            head.append(littleEndian: UInt64(offset))
            head.append(littleEndian: UInt64(section.content.count))
            offset += Self.padded(section.content.count)
        }
        if let last {
            head.append(littleEndian: last.kind)
            head.append(littleEndian: UInt64(offset))
            head.append(littleEndian: UInt64(last.length))
        }
        return head
    }

    private static func padded(_ length: Int) -> Int { (length + 7) / 8 * 8 }
}

extension [UInt8] {
    /// Appends an integer in little-endian order.
    mutating func append(littleEndian value: some FixedWidthInteger) {
        var rest = value
        for _ in 0..<(value.bitWidth / 8) {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }
}

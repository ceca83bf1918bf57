/// Puts the sections of a compiled gazetteer together.
struct GazetteerFile: Sendable {
    private var sections: [(kind: UInt64, bytes: [UInt8])] = []

    mutating func append(_ kind: GazetteerFormat.Section, bytes: [UInt8]) {
        sections.append((kind.rawValue, bytes))
    }

    mutating func append(number: UInt64, bytes: [UInt8]) {
        sections.append((number, bytes))
    }

    mutating func append(_ kind: GazetteerFormat.Section, _ words: [UInt32]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(words.count * 4)
        for word in words { bytes.append(littleEndian: word) }
        sections.append((kind.rawValue, bytes))
    }

    /// Returns the whole file, or all of it but a last part that its maker writes behind it.
    ///
    /// - Parameters:
    ///   - checksum: the SHA-256 of the sources.
    ///   - last: the number and length of the part that follows; its length is a multiple of eight.
    /// - Returns: the bytes of the file.
    consuming func finish(checksum: [UInt8], followedBy last: (kind: UInt64, length: Int)? = nil) -> [UInt8] {
        var file = GazetteerFormat.magic
        let count = sections.count + (last == nil ? 0 : 1)
        file.append(littleEndian: GazetteerFormat.version)
        file.append(littleEndian: UInt32(count))
        let start = GazetteerFormat.headerLength + count * GazetteerFormat.sectionEntryLength
        let total = sections.reduce(start) { $0 + Self.padded($1.bytes.count) }
        file.reserveCapacity(total)
        file.append(littleEndian: UInt64(total + (last?.length ?? 0)))
        file.append(contentsOf: checksum.prefix(GazetteerFormat.checksumLength))
        while file.count < GazetteerFormat.headerLength { file.append(0) }
        var offset = start
        for section in sections {
            file.append(littleEndian: section.kind)
            file.append(littleEndian: UInt64(offset))
            file.append(littleEndian: UInt64(section.bytes.count))
            offset += Self.padded(section.bytes.count)
        }
        if let last {
            file.append(littleEndian: last.kind)
            file.append(littleEndian: UInt64(offset))
            file.append(littleEndian: UInt64(last.length))
        }
        for section in sections {
            file.append(contentsOf: section.bytes)
            while file.count % 8 != 0 { file.append(0) }
        }
        return file
    }

    private static func padded(_ length: Int) -> Int { (length + 7) / 8 * 8 }
}

extension [UInt8] {
    /// Appends an integer, lowest byte first.
    mutating func append(littleEndian value: some FixedWidthInteger) {
        var rest = value
        for _ in 0..<(value.bitWidth / 8) {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }
}

// Reads the sections of a compiled file.
extension GazetteerFormat {
    /// Checks that the bytes are a complete compiled gazetteer of this version.
    ///
    /// - Throws: ``GazetteerError``.
    static func check(_ all: ByteView) throws {
        guard all.part(offset: 0, length: 8).elementsEqual(magic) else {
            throw GazetteerError(.notAGazetteer, "This is not a compiled gazetteer")
        }
        let version: UInt32 = all.load(8)
        guard version == Self.version else {
            throw GazetteerError(.unknownVersion, "The gazetteer has format \(version), not \(Self.version)")
        }
        guard all.load(16, as: UInt64.self) == UInt64(all.count) else {
            throw GazetteerError(.truncated, "The gazetteer has \(all.count) bytes, not as many as it declares")
        }
    }

    /// Returns a section of a checked file, or `nil` if it is missing.
    ///
    /// - Throws: ``GazetteerError`` if it extends outside the file.
    static func part(_ number: UInt64, of all: ByteView) throws -> ByteView? {
        for entry in entries(of: all) where all.load(entry, as: UInt64.self) == number {
            guard let view = all.window(offset: all.load(entry + 8), length: all.load(entry + 16)) else {
                throw GazetteerError(.truncated, "A part of the gazetteer is outside the file")
            }
            return view
        }
        return nil
    }

    private static func entries(of all: ByteView) -> StrideTo<Int> {
        let count = min(Int(all.load(12, as: UInt32.self)), 64)
        let start = headerLength
        return stride(
            from: start,
            to: start + count * sectionEntryLength,
            by: sectionEntryLength
        )
    }
}

extension GazetteerIndex {
    /// Returns whether a compiled file contains places; it may contain only addresses.
    ///
    /// - Throws: ``GazetteerError`` if it is not a compiled gazetteer of this version.
    public static func hasPlaces(_ bytes: GazetteerBytes) throws -> Bool {
        try GazetteerFormat.check(bytes.view)
        return try GazetteerFormat.part(GazetteerFormat.Section.places.rawValue, of: bytes.view) != nil
    }
}

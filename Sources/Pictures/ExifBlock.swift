import CExif

/// What a camera recorded with a picture (EXIF 2.32).
///
/// libexif reads the directories: it knows twenty years of damaged and forged files, and distributions mend what is
/// found in it. Where the block lies in a picture is found here, because libexif looks into few JPEGs and nothing else.
struct ExifBlock {
    /// The tags that are read.
    enum Tag: UInt16, CaseIterable {
        case description = 0x010E
        case orientation = 0x0112
        case changed = 0x0132
        case copyright = 0x8298
        case taken = 0x9003
        case made = 0x9004
        case comment = 0x9286
        case title = 0x9C9B
        case remark = 0x9C9C
        case keywords = 0x9C9E
        case subject = 0x9C9F
    }

    /// A value: bytes as they are, and numbers if it has any.
    struct Value {
        let type: Int
        let bytes: [UInt8]
        let numbers: [Double]
    }

    /// The values of the main directory.
    let main: [Tag: Value]
    /// The values of the directory about the picture.
    let details: [Tag: Value]
    /// The values of the directory about the position, by their numbers.
    ///
    /// Other directories have tags of the same numbers.
    let position: [UInt16: Value]

    /// The length that libexif reads, with the mark before it: a segment of a JPEG is no longer.
    private static let longest = 0xFFFE
    private static let mostNumbers = 64

    /// Finds the block of a picture; `nil` if it has none.
    ///
    /// What is damaged has no values, and what lies beyond it may have none.
    init?(of picture: [UInt8], _ format: PictureFormat) {
        let found =
            switch format {
            case .jpeg: ExifBlock.jpegBlock(picture)
            case .png: ExifBlock.pngBlock(picture)
            case .webp: ExifBlock.webpBlock(picture)
            }
        guard let found, let data = exif_data_new() else { return nil }
        defer { exif_data_unref(data) }
        // Values stay as they are written. Tags that libexif does not know stay out, so that it copies few values.
        exif_data_unset_option(data, EXIF_DATA_OPTION_FOLLOW_SPECIFICATION)
        exif_data_set_option(data, EXIF_DATA_OPTION_IGNORE_UNKNOWN_TAGS)
        let content = found.prefix(ExifBlock.longest - ExifBlock.mark.count)
        let block = ExifBlock.mark + ExifBlock.withoutMakerNotes(content)
        exif_data_load_data(data, block, UInt32(block.count))
        let order = exif_data_get_byte_order(data)
        // In the order of ExifIfd: the picture, its preview, the details, the position, what programs agreed on.
        let directories = data.pointee.ifd
        main = ExifBlock.values(Tag.allCases, in: directories.0, order) { $0.rawValue }
        details = ExifBlock.values(Tag.allCases, in: directories.2, order) { $0.rawValue }
        position = ExifBlock.values([1, 2, 3, 4, 0x1F], in: directories.3, order) { $0 }
    }

    /// Renames the tags of notes that makers of cameras leave, so that libexif does not interpret them.
    ///
    /// It would do so unasked. Nothing is needed of them, and most faults that were found in libexif were there. Tag
    /// and type of an entry are found at any place, because a directory may lie anywhere. Four such bytes are hardly
    /// ever part of a value.
    private static func withoutMakerNotes(_ block: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = Array(block)
        let (high, low) = bytes.first == 0x49 ? (1, 0) : (0, 1)
        for start in 0..<max(0, bytes.count - 3) {
            let isTag = bytes[start + high] == 0x92 && bytes[start + low] == 0x7C
            if isTag, bytes[start + 2 + high] == 0, (1...12).contains(bytes[start + 2 + low]) {
                bytes[start] = 0xFF
                bytes[start + 1] = 0xFF
            }
        }
        return bytes
    }

    private static func values<Key: Hashable>(
        _ keys: [Key],
        in directory: UnsafeMutablePointer<ExifContent>?,
        _ order: ExifByteOrder,
        number: (Key) -> UInt16
    ) -> [Key: Value] {
        var found: [Key: Value] = [:]
        for key in keys {
            let tag = ExifTag(rawValue: UInt32(number(key)))
            guard let entry = exif_content_get_entry(directory, tag) else { continue }
            found[key] = value(of: entry.pointee, order)
        }
        return found
    }

    private static func value(of entry: ExifEntry, _ order: ExifByteOrder) -> Value? {
        guard let start = entry.data else { return nil }
        let length = Int(entry.size)
        let size = Int(exif_format_get_size(entry.format))
        // libexif reads a number wherever it is pointed to, so only numbers that lie within the value are read.
        let amount = size == 0 ? 0 : min(Int(clamping: entry.components), length / size, mostNumbers)
        return Value(
            type: Int(entry.format.rawValue),
            bytes: Array(UnsafeBufferPointer(start: start, count: length)),
            numbers: (0..<amount).compactMap { number(at: start + $0 * size, entry.format, order) }
        )
    }

    /// Reads a number; `nil` for letters, and for floating point, which no tag here has.
    private static func number(
        at start: UnsafeMutablePointer<UInt8>,
        _ format: ExifFormat,
        _ order: ExifByteOrder
    ) -> Double? {
        switch format {
        case EXIF_FORMAT_BYTE, EXIF_FORMAT_UNDEFINED: return Double(start.pointee)
        case EXIF_FORMAT_SBYTE: return Double(Int8(bitPattern: start.pointee))
        case EXIF_FORMAT_SHORT: return Double(exif_get_short(start, order))
        case EXIF_FORMAT_SSHORT: return Double(exif_get_sshort(start, order))
        case EXIF_FORMAT_LONG: return Double(exif_get_long(start, order))
        case EXIF_FORMAT_SLONG: return Double(exif_get_slong(start, order))
        case EXIF_FORMAT_RATIONAL:
            let parts = exif_get_rational(start, order)
            return Double(parts.numerator) / Double(parts.denominator)
        case EXIF_FORMAT_SRATIONAL:
            let parts = exif_get_srational(start, order)
            return Double(parts.numerator) / Double(parts.denominator)
        default: return nil
        }
    }
}

// Where the block lies in the formats of pictures.
extension ExifBlock {
    /// The TIFF block in the segment APP1 of a JPEG.
    fileprivate static func jpegBlock(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        JPEGSegments(bytes).first { $0.marker == 0xE1 && $0.content.starts(with: mark) }?.content.dropFirst(mark.count)
    }

    /// The content of the chunk `eXIf` of a PNG.
    fileprivate static func pngBlock(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        var position = 8
        while position + 12 <= bytes.count {
            let length = bytes[position..<(position + 4)].reduce(0) { $0 << 8 | Int($1) }
            let name = bytes[(position + 4)..<(position + 8)]
            guard length <= bytes.count - position - 12 else { return nil }
            if name.elementsEqual("eXIf".utf8) { return bytes[(position + 8)..<(position + 8 + length)] }
            position += 12 + length
        }
        return nil
    }

    /// The content of the chunk `EXIF` of a WebP.
    fileprivate static func webpBlock(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        var position = 12
        while position + 8 <= bytes.count {
            let length = bytes[(position + 4)..<(position + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
            guard length <= bytes.count - position - 8 else { return nil }
            if bytes[position..<(position + 4)].elementsEqual("EXIF".utf8) {
                let content = bytes[(position + 8)..<(position + 8 + length)]
                return content.starts(with: mark) ? content.dropFirst(mark.count) : content
            }
            position += 8 + length + length % 2
        }
        return nil
    }

    private static let mark = Array("Exif".utf8) + [0, 0]
}

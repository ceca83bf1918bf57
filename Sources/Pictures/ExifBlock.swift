/// What a camera recorded with a picture (EXIF 2.32): the directories of a TIFF structure.
///
/// Every offset is checked, because a picture can hold anything. libexif would do it as well, but brings a parser in C for a
/// few numbers.
struct ExifBlock {
    /// The tags that are read.
    enum Tag: UInt16 {
        case description = 0x010E
        case orientation = 0x0112
        case changed = 0x0132
        case artist = 0x013B
        case details = 0x8769
        case position = 0x8825
        case taken = 0x9003
        case made = 0x9004
        case comment = 0x9286
        case title = 0x9C9B
        case remark = 0x9C9C
    }

    /// A value: bytes as they are, and numbers if it has any.
    struct Value {
        let type: Int
        let bytes: [UInt8]
        let numbers: [Double]
    }

    private let bytes: [UInt8]
    private let isLittle: Bool
    /// The values of the main directory.
    var main: [Tag: Value] { tags(in: directory(at: number(at: 4, 4) ?? 0)) }
    /// The values of the directory about the picture.
    var details: [Tag: Value] { tags(in: linked(.details)) }
    /// The values of the directory about the position, by their numbers.
    var position: [UInt16: Value] { linked(.position) }

    private static let mostEntries = 512
    private static let longest = 1 << 18
    /// The length of a number by its type.
    private static let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]

    /// Finds the block of a picture; `nil` if it has none.
    init?(of picture: [UInt8], _ format: PictureFormat) {
        let found =
            switch format {
            case .jpeg: ExifBlock.jpegBlock(picture)
            case .png: ExifBlock.pngBlock(picture)
            case .webp: ExifBlock.webpBlock(picture)
            }
        guard let found else { return nil }
        let bytes = Array(found.prefix(ExifBlock.longest))
        isLittle = bytes.starts(with: [0x49, 0x49, 0x2A, 0])
        guard isLittle || bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) else { return nil }
        self.bytes = bytes
    }

    private func tags(in directory: [UInt16: Value]) -> [Tag: Value] {
        var found: [Tag: Value] = [:]
        for (number, value) in directory { if let tag = Tag(rawValue: number) { found[tag] = value } }
        return found
    }

    private func linked(_ tag: Tag) -> [UInt16: Value] {
        guard let start = main[tag]?.numbers.first, start >= 8, start < Double(bytes.count) else { return [:] }
        return directory(at: Int(start))
    }

    private func number(at offset: Int, _ length: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - length else { return nil }
        let part = bytes[offset..<(offset + length)]
        return isLittle ? part.reversed().reduce(0) { $0 << 8 | Int($1) } : part.reduce(0) { $0 << 8 | Int($1) }
    }

    private func directory(at start: Int) -> [UInt16: Value] {
        guard start >= 8, let count = number(at: start, 2) else { return [:] }
        var found: [UInt16: Value] = [:]
        for entry in 0..<min(count, ExifBlock.mostEntries) {
            let at = start + 2 + 12 * entry
            guard let tag = number(at: at, 2), let type = number(at: at + 2, 2), let amount = number(at: at + 4, 4)
            else {
                break
            }
            guard type < ExifBlock.sizes.count, amount <= bytes.count else { continue }
            let length = ExifBlock.sizes[type] * amount
            guard length > 0, length <= bytes.count, let from = length <= 4 ? at + 8 : number(at: at + 8, 4),
                from <= bytes.count - length
            else { continue }
            let key = UInt16(tag)
            if found[key] == nil { found[key] = value(type, amount, from, length) }
        }
        return found
    }

    private func value(_ type: Int, _ amount: Int, _ from: Int, _ length: Int) -> Value {
        let size = ExifBlock.sizes[type]
        let numbers = (0..<min(amount, 64))
            .map { index -> Double in
                let at = from + index * size
                switch type {
                case 3, 4: return Double(number(at: at, size) ?? 0)
                case 5: return Double(number(at: at, 4) ?? 0) / Double(number(at: at + 4, 4) ?? 0)
                case 9: return Double(Int32(truncatingIfNeeded: number(at: at, 4) ?? 0))
                default: return Double(bytes[at])
                }
            }
        return Value(type: type, bytes: Array(bytes[from..<(from + length)]), numbers: numbers)
    }
}

// Where the block lies in the formats of pictures.
extension ExifBlock {
    /// The TIFF block in the segment APP1 of a JPEG.
    fileprivate static func jpegBlock(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        var position = 2
        while position + 4 <= bytes.count, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            // Fill bytes may precede a marker.
            if marker == 0xFF {
                position += 1
                continue
            }
            let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
            // The picture itself begins: what comes before it has been seen.
            guard marker != 0xDA, length >= 2, position + 2 + length <= bytes.count else { return nil }
            let content = bytes[(position + 4)..<(position + 2 + length)]
            if marker == 0xE1, content.starts(with: mark) { return content.dropFirst(mark.count) }
            position += 2 + length
        }
        return nil
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

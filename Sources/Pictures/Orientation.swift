/// How a picture must be turned to be upright, as cameras record it (EXIF 2.32, tag 0x0112).
struct Orientation: Equatable, Sendable {
    /// 1 to 8 as in EXIF; 1 is upright.
    let code: Int

    /// Reads the orientation of a picture; upright if it says nothing, or something that makes no sense.
    init(of bytes: [UInt8], _ format: PictureFormat) {
        let block =
            switch format {
            case .jpeg: Orientation.jpegBlock(bytes)
            case .png: Orientation.pngBlock(bytes)
            case .webp: Orientation.webpBlock(bytes)
            }
        code = block.flatMap(Orientation.code) ?? 1
    }

    /// Turns and mirrors a picture.
    func apply(to picture: Pixels) -> Pixels {
        guard code != 1 else { return picture }
        let isTurned = code >= 5
        let width = isTurned ? picture.height : picture.width
        let height = isTurned ? picture.width : picture.height
        var result = Pixels(width: width, height: height, bytes: [UInt8](repeating: 255, count: width * height * 4))
        for y in 0..<height {
            for x in 0..<width {
                let (right, lower) = (picture.width - 1, picture.height - 1)
                let (column, row) =
                    switch code {
                    case 2: (right - x, y)
                    case 3: (right - x, lower - y)
                    case 4: (x, lower - y)
                    case 5: (y, x)
                    case 6: (y, lower - x)
                    case 7: (right - y, lower - x)
                    default: (right - y, x)
                    }
                let (from, to) = ((row * picture.width + column) * 4, (y * width + x) * 4)
                for channel in 0..<4 { result.bytes[to + channel] = picture.bytes[from + channel] }
            }
        }
        return result
    }

    /// The TIFF block in the segment APP1 of a JPEG.
    private static func jpegBlock(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
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
    private static func pngBlock(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
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
    private static func webpBlock(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
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

    /// Reads the tag in the first directory of a TIFF block.
    private static func code(_ block: ArraySlice<UInt8>) -> Int? {
        let bytes = Array(block.prefix(65_536))
        let isLittle = bytes.starts(with: [0x49, 0x49, 0x2A, 0])
        guard isLittle || bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) else { return nil }
        func number(at offset: Int, _ length: Int) -> Int? {
            guard offset >= 0, offset <= bytes.count - length else { return nil }
            let part = bytes[offset..<(offset + length)]
            return (isLittle ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Int($1) }
        }
        guard let directory = number(at: 4, 4), let count = number(at: directory, 2) else { return nil }
        for entry in 0..<count {
            let start = directory + 2 + entry * 12
            guard let tag = number(at: start, 2) else { return nil }
            if tag == 0x0112 { return number(at: start + 8, 2).flatMap { (1...8).contains($0) ? $0 : nil } }
        }
        return nil
    }
}

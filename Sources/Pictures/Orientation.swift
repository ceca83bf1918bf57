/// How a picture must be turned to be upright, as cameras record it (EXIF 2.32, tag 0x0112).
struct Orientation: Equatable, Sendable {
    /// 1 to 8 as in EXIF; 1 is upright.
    let code: Int

    /// Reads the orientation of a picture; upright if it says nothing, or something that makes no sense.
    init(of bytes: [UInt8], _ format: PictureFormat) {
        // A fraction may be anything, also a division by zero.
        let found = ExifBlock(of: bytes, format)?.main[.orientation]?.numbers.first.flatMap { Int(exactly: $0) }
        code = found.flatMap { (1...8).contains($0) ? $0 : nil } ?? 1
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
}

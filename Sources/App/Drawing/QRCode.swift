import CQREncode

/// A QR code (ISO/IEC 18004), drawn with characters or as an image.
package struct QRCode: Sendable {
    /// The number of light modules around the code; readers need four.
    private static let margin = 4

    private let width: Int
    private let isDark: [Bool]

    /// Encodes a text; returns `nil` if it is too long, or contains a NUL.
    package init?(_ text: String) {
        guard !text.utf8.contains(0), let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        width = Int(code.pointee.width)
        guard let data = code.pointee.data, width > 0 else { return nil }
        // The lowest bit of a byte says whether the module is dark.
        isDark = UnsafeBufferPointer(start: data, count: width * width).map { $0 & 1 == 1 }
    }

    /// The lines of the drawing, each two rows of modules high, for light characters on a dark background.
    package var lines: [String] {
        let range = -QRCode.margin..<(width + QRCode.margin)
        return stride(from: range.lowerBound, to: range.upperBound, by: 2)
            .map { row in
                String(
                    range.map { column -> Character in
                        switch (isDark(row, column), isDark(row + 1, column)) {
                        case (false, false): "█"
                        case (false, true): "▀"
                        case (true, false): "▄"
                        case (true, true): " "
                        }
                    }
                )
            }
    }

    /// An SVG image, one unit per module, dark on light whatever surrounds it: not every reader reads the reverse.
    package var svg: String {
        let size = width + 2 * QRCode.margin
        var path = ""
        for row in 0..<width {
            var column = 0
            while column < width {
                let start = column
                while isDark(row, column) { column += 1 }
                if column > start {
                    let length = column - start
                    path += "M\(start + QRCode.margin) \(row + QRCode.margin)h\(length)v1h-\(length)z"
                } else {
                    column += 1
                }
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size) \(size)" shape-rendering="crispEdges">\
            <path fill="#fff" d="M0 0h\(size)v\(size)H0z"/><path d="\(path)"/></svg>
            """
    }

    private func isDark(_ row: Int, _ column: Int) -> Bool {
        (0..<width).contains(row) && (0..<width).contains(column) && isDark[row * width + column]
    }
}

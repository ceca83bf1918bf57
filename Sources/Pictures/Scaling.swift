import Geometry

/// Reduces pictures by averaging areas.
enum Scaling {
    /// Brightness by stored value: sRGB as linear light, so that fine patterns keep their brightness (IEC 61966-2-1).
    private static let linear: [Float] = (0...255)
        .map { value in
            let share = Float(value) / 255
            return share <= 0.04045 ? share / 12.92 : Float(Math.power(Double(share + 0.055) / 1.055, 2.4))
        }

    /// Stored values by brightness in 4,096 steps.
    private static let stored: [UInt8] = (0...4_095)
        .map { step in
            let light = Float(step) / 4_095
            let share = light <= 0.003_130_8 ? light * 12.92 : 1.055 * Float(Math.power(Double(light), 1 / 2.4)) - 0.055
            return UInt8(max(0, min(255, (share * 255).rounded())))
        }

    /// Returns the picture on white, reduced until its longer side has at most `side` pixels.
    ///
    /// Each pixel is the mean of the area it covers, in linear light and weighted by opacity.
    static func fit(_ picture: Pixels, side: Int) -> Pixels {
        let longest = max(picture.width, picture.height, 1)
        let scale = min(1, Double(side) / Double(longest))
        let width = max(1, Int((Double(picture.width) * scale).rounded()))
        let height = max(1, Int((Double(picture.height) * scale).rounded()))
        let columns = spans(from: picture.width, to: width)
        let rows = spans(from: picture.height, to: height)
        var result = Pixels(width: width, height: height, bytes: [UInt8](repeating: 255, count: width * height * 4))
        var sums = [Float](repeating: 0, count: width * 3)
        for (row, rowSpan) in rows.enumerated() {
            for index in sums.indices { sums[index] = 0 }
            for (line, share) in rowSpan {
                addLine(line, of: picture, weight: share, columns: columns, to: &sums)
            }
            for index in sums.indices {
                let step = Int(max(0, min(4_095, (sums[index] * 4_095).rounded())))
                result.bytes[(row * width + index / 3) * 4 + index % 3] = stored[step]
            }
        }
        return result
    }

    private static func addLine(
        _ line: Int,
        of picture: Pixels,
        weight: Float,
        columns: [[(index: Int, share: Float)]],
        to sums: inout [Float]
    ) {
        picture.bytes.withUnsafeBufferPointer { bytes in
            for (column, span) in columns.enumerated() {
                for (index, share) in span {
                    let start = (line * picture.width + index) * 4
                    let opacity = Float(bytes[start + 3]) / 255
                    let part = share * weight
                    for channel in 0..<3 {
                        let light = linear[Int(bytes[start + channel])]
                        sums[column * 3 + channel] += part * (light * opacity + 1 - opacity)
                    }
                }
            }
        }
    }

    /// Returns, for each of `count` pixels, the pixels it covers of a row of `length`, with their shares, which sum to 1.
    static func spans(from length: Int, to count: Int) -> [[(index: Int, share: Float)]] {
        let step = Double(length) / Double(count)
        return (0..<count)
            .map { number in
                let (low, high) = (Double(number) * step, Double(number + 1) * step)
                let last = min(length - 1, Int(high.rounded(.up)) - 1)
                return (Int(low)...max(Int(low), last))
                    .map { index in
                        let covered = min(high, Double(index + 1)) - max(low, Double(index))
                        return (index, Float(covered / step))
                    }
            }
    }
}

/// The folding of characters for comparing names: without case, accents and punctuation.
///
/// Characters that are not in the table are unchanged. ASCII is not in the table: who reads a text folds it, as the
/// meaning of a full stop or a comma depends on what is read.
package struct FoldTable: Sendable {
    /// The result for one character.
    package enum Fold: Sendable {
        case itself
        case dropped
        case separator
        case text(Range<Int>)
    }

    /// The table of the characters of Unicode.
    package static let standard = FoldTable(parsing: encoded)

    /// Folded texts as UTF-8, stored consecutively.
    package private(set) var texts: [UInt8] = []

    // Characters below U+10000 in pages of 128; page 0 is empty. An entry is 0 (itself), 1 (dropped), 2 (separator), or
    // 3 + the number of a text.
    private var pages = [UInt8](repeating: 0, count: 512)
    private var entries = [UInt16](repeating: 0, count: 128)
    private var bounds: [Int] = [0]

    /// Parses entries of the form `gap[*length][!]=text;` (see ``encoded``).
    init(parsing encoded: String) {
        var number: UInt32 = 0
        var fields: [UInt32] = []
        var everySecond = false
        var text: [Unicode.Scalar]?
        var code: UInt32 = 0x80
        for scalar in encoded.unicodeScalars {
            if var reading = text {
                guard scalar == ";" else {
                    reading.append(scalar)
                    text = reading
                    continue
                }
                code &+= fields.first ?? 0
                let length = fields.count > 1 ? fields[1] : 1
                let stride: UInt32 = everySecond ? 2 : 1
                add(reading, from: code, count: length, stride: stride)
                code &+= (length &- 1) &* stride &+ 1
                (fields, everySecond, text) = ([], false, nil)
            } else {
                switch scalar {
                case "*", "=":
                    fields.append(number)
                    number = 0
                    if scalar == "=" { text = [] }
                case "!":
                    // The number before it ends at the following "=".
                    everySecond = true
                default:
                    number = number &* 36 &+ FoldTable.digit(scalar)
                }
            }
        }
    }

    private static func digit(_ scalar: Unicode.Scalar) -> UInt32 {
        scalar.value < 0x40 ? scalar.value &- 0x30 : scalar.value &- 0x57
    }

    /// Adds a run of characters.
    ///
    /// If `text` is a single character, it advances with each character of the run; any other text is the same for the
    /// whole run.
    private mutating func add(_ text: [Unicode.Scalar], from first: UInt32, count: UInt32, stride: UInt32) {
        for step in 0..<count {
            let code = Int(first &+ step &* stride)
            guard code < 0x1_0000 else { return }
            if pages[code >> 7] == 0 {
                pages[code >> 7] = UInt8(truncatingIfNeeded: entries.count >> 7)
                entries.append(contentsOf: repeatElement(0, count: 128))
            }
            let entry: UInt16
            if text.isEmpty {
                entry = 1
            } else if text == [" "] {
                entry = 2
            } else {
                entry = UInt16(truncatingIfNeeded: bounds.count + 2)
                let moves = text.count == 1 && count > 1
                for scalar in text {
                    let target = moves ? Unicode.Scalar(scalar.value &+ step &* stride) ?? scalar : scalar
                    texts.append(contentsOf: UTF8.encode(target).map(Array.init) ?? [])
                }
                bounds.append(texts.count)
            }
            entries[Int(pages[code >> 7]) << 7 | code & 127] = entry
        }
    }

    /// Returns the folding of `scalar`, which must not be ASCII.
    package func fold(_ scalar: Unicode.Scalar) -> Fold {
        let code = Int(scalar.value)
        guard code < 0x1_0000 else {
            // Emoji, tags and variation selectors are not letters; everything else in this range is.
            return (0x1F000...0x1FBFF).contains(code) || code >= 0xE0000 ? .separator : .itself
        }
        switch entries[Int(pages[code >> 7]) << 7 | code & 127] {
        case 0: return .itself
        case 1: return .dropped
        case 2: return .separator
        case let entry:
            let number = Int(entry) - 3
            return .text(bounds[number]..<bounds[number + 1])
        }
    }
}

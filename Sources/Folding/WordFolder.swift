/// Splits texts into folded words: without case, accents and punctuation.
///
/// Apostrophes join what they stand between ("O'Neal" becomes `oneal`), so do full stops between single letters ("U.S."
/// becomes `us`), and `&` is the word `and`. Everything else that is no letter and no digit separates words. Pictographs
/// are words of their own, so that they can be searched for.
///
/// Spellings that mean the same give the same words. Fold what is indexed and what is asked, then compare byte by byte.
package struct WordFolder: Sendable {
    /// The words as UTF-8, each followed by a space.
    package private(set) var bytes: [UInt8] = []
    /// For each of ``bytes``, where in the folded text its character begins, counted in UTF-8; empty unless asked for.
    package private(set) var origins: [Int32] = []

    private let table = FoldTable.standard
    private let classes = WordFolder.ascii
    private let notesOrigins: Bool
    /// Where the current word starts.
    private var start = 0
    /// Where the letters after the last full stop in the current word start.
    private var runStart = 0
    private var hasPendingStop = false
    /// Where the current character begins in the text.
    private var origin: Int32 = 0

    /// Creates a folder without words; with `notesOrigins` it also keeps ``origins``.
    package init(notesOrigins: Bool = false) { self.notesOrigins = notesOrigins }

    /// Forgets the words and keeps their memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        origins.removeAll(keepingCapacity: true)
        (start, runStart, hasPendingStop) = (0, 0, false)
    }

    /// Adds the words of a text after those already there.
    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { text in
            var place = 0
            while place < text.count {
                let byte = text[place]
                origin = Int32(truncatingIfNeeded: place)
                if byte < 0x80 {
                    add(ascii: byte)
                    place += 1
                } else {
                    let (scalar, length) = WordFolder.scalar(in: text, at: place)
                    add(scalar)
                    place += length
                }
            }
        }
        endWord()
    }

    /// Returns the character that begins at a position; a text is valid UTF-8.
    private static func scalar(in text: UnsafeBufferPointer<UInt8>, at place: Int) -> (Unicode.Scalar, Int) {
        func tail(_ offset: Int) -> UInt32 { place + offset < text.count ? UInt32(text[place + offset] & 0x3F) : 0 }
        let head = UInt32(text[place])
        let (value, length): (UInt32, Int)
        switch head {
        case 0xF0...: (value, length) = ((head & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4)
        case 0xE0...: (value, length) = ((head & 0x0F) << 12 | tail(1) << 6 | tail(2), 3)
        default: (value, length) = ((head & 0x1F) << 6 | tail(1), 2)
        }
        return (Unicode.Scalar(value) ?? " ", length)
    }

    /// What each ASCII character becomes: itself as a letter or digit, 0 for a separator, or one of the marks below.
    private static let ascii: [UInt8] = (0..<128)
        .map { (code: UInt8) -> UInt8 in
            switch code {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): code
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): code | 0x20
            case UInt8(ascii: "'"), UInt8(ascii: "`"): joins
            case UInt8(ascii: "."): stops
            case UInt8(ascii: "&"): isAnd
            default: 0
            }
        }
    private static let joins: UInt8 = 1
    private static let stops: UInt8 = 2
    private static let isAnd: UInt8 = 3

    @inline(__always)
    private mutating func add(ascii byte: UInt8) {
        switch classes[Int(byte)] {
        case 0: endWord()
        case WordFolder.joins: break
        case WordFolder.stops:
            // Two of them are no abbreviation.
            if hasPendingStop { endWord() } else { hasPendingStop = true }
        case WordFolder.isAnd: addWord("and".utf8)
        case let letter: add(letter: letter)
        }
    }

    private mutating func add(_ scalar: Unicode.Scalar) {
        if let digit = DecimalDigit.ascii(scalar) { return add(letter: digit) }
        if WordFolder.isPictograph(scalar.value) { return addWord(UTF8.encode(scalar).map(Array.init) ?? []) }
        if LetterComposition.isSecond(scalar.value), compose(scalar) { return }
        switch table.fold(scalar) {
        case .itself:
            for byte in UTF8.encode(scalar) ?? UTF8.EncodedScalar() { add(letter: byte) }
        case .dropped: break
        case .separator: endWord()
        case .text(let range):
            for byte in table.texts[range] { if byte == 0x20 { endWord() } else { add(letter: byte) } }
        }
    }

    /// Whether a character is a pictograph; tags after them are not, and vanish.
    private static func isPictograph(_ value: UInt32) -> Bool { (0x1F000...0x1FBFF).contains(value) }

    private mutating func addWord(_ word: some Sequence<UInt8>) {
        endWord()
        for byte in word { add(letter: byte) }
        endWord()
    }

    @inline(__always)
    private mutating func add(letter: UInt8) {
        if hasPendingStop { resolveStop() }
        bytes.append(letter)
        if notesOrigins { origins.append(origin) }
    }

    /// A full stop after two or more letters ends the word if a letter follows directly ("St.Louis", not "U.S.A.").
    private mutating func resolveStop() {
        hasPendingStop = false
        if bytes.count - max(start, runStart) > 1 { endWord() }
        runStart = bytes.count
    }

    private mutating func endWord() {
        hasPendingStop = false
        guard bytes.count > start else { return }
        bytes.append(0x20)
        if notesOrigins { origins.append(origin) }
        (start, runStart) = (bytes.count, bytes.count)
    }

    private mutating func compose(_ scalar: Unicode.Scalar) -> Bool {
        guard bytes.count - start >= 3 else { return false }
        let tail = bytes[(bytes.count - 3)...].map(UInt32.init)
        guard tail[0] & 0xF0 == 0xE0 else { return false }
        let last = (tail[0] & 0x0F) << 12 | (tail[1] & 0x3F) << 6 | tail[2] & 0x3F
        guard let value = LetterComposition.composed(last, scalar.value), let composed = Unicode.Scalar(value),
            let encoded = UTF8.encode(composed)
        else { return false }
        bytes.replaceSubrange((bytes.count - 3)..., with: encoded)
        return true
    }
}

extension WordFolder {
    /// Returns the folded words of a text, in order.
    package static func words(of text: String) -> [String] {
        var folder = WordFolder()
        folder.add(text)
        return folder.bytes.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
    }
}

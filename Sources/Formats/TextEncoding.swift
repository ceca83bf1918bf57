/// The encoding of a text file.
public enum TextEncoding: String, CaseIterable, Hashable, Sendable {
    /// UTF-8, with or without a byte order mark.
    case utf8 = "utf-8"
    /// UTF-16, the low byte first.
    case utf16LittleEndian = "utf-16le"
    /// UTF-16, the high byte first.
    case utf16BigEndian = "utf-16be"
    /// Windows-1252, as Excel writes CSV in western languages.
    case windows1252 = "windows-1252"
    /// ISO 8859-1.
    case latin1 = "iso-8859-1"
    /// Mac OS Roman, as Excel for Mac and FileMaker write text for "Macintosh".
    case macRoman = "macintosh"
    /// Windows-1250, for Central European languages: Polish, Czech, Hungarian.
    case windows1250 = "windows-1250"
    /// Windows-1251, for languages in Cyrillic letters.
    case windows1251 = "windows-1251"
    /// Windows-1253, for Greek.
    case windows1253 = "windows-1253"
    /// Windows-1254, for Turkish.
    case windows1254 = "windows-1254"
    /// Windows-1257, for the Baltic languages.
    case windows1257 = "windows-1257"
    /// ISO 8859-2, for Central European languages.
    case latin2 = "iso-8859-2"
    /// ISO 8859-15, Latin-1 with the sign of the euro.
    case latin9 = "iso-8859-15"
    /// KOI8-R, for Russian.
    case koi8 = "koi8-r"
    /// Code page 437, as DOS wrote English.
    case dosAmerican = "ibm437"
    /// Code page 850, as DOS wrote the languages of Western Europe.
    case dosWestern = "ibm850"
    /// Code page 866, as DOS wrote Russian.
    case dosCyrillic = "ibm866"
    /// Code page 932, Shift-JIS with the additions of Windows, for Japanese.
    case shiftJIS = "shift_jis"
    /// EUC-JP, for Japanese.
    case japanese = "euc-jp"
    /// ISO-2022-JP, as mail and old systems carry Japanese in seven bits.
    case mailedJapanese = "iso-2022-jp"
    /// GB 18030, for simplified Chinese; contains GBK and GB 2312.
    case chinese = "gb18030"
    /// Big5 with the additions of Hong Kong, for traditional Chinese.
    case traditionalChinese = "big5"
    /// Code page 949, which contains EUC-KR, for Korean.
    case korean = "euc-kr"

    /// Creates the encoding that people call by this name, in any case; `utf-16` means the low byte first.
    ///
    /// - Complexity: O(number of encodings).
    public init?(name: String) {
        let plain = name.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
        switch plain {
        case "utf8", "ascii", "usascii": self = .utf8
        case "utf16", "utf16le", "unicode": self = .utf16LittleEndian
        case "utf16be": self = .utf16BigEndian
        case "windows1252", "cp1252", "ansi", "win1252": self = .windows1252
        case "iso88591", "latin1", "l1": self = .latin1
        case "macintosh", "macroman", "xmacroman", "mac": self = .macRoman
        case "sjis", "cp932", "932", "ms932", "windows31j": self = .shiftJIS
        case "gbk", "gb2312", "cp936", "936": self = .chinese
        case "cp949", "949", "uhc": self = .korean
        case "cp950", "950", "big5hkscs": self = .traditionalChinese
        case "latin2", "iso88592", "88592": self = .latin2
        case "latin9", "iso885915", "885915": self = .latin9
        default:
            // "cp1251", "1251" and "ansi 1251" are Windows-1251; "cp850" and "850" are IBM850.
            let letters = plain.prefix { $0.isLetter }
            let isPage = ["", "cp", "ansi", "win", "windows", "ibm", "dos", "oem"].contains(letters)
            let pages = isPage ? ["windows", "ibm"].map { $0 + plain.dropFirst(letters.count) } : []
            let known = TextEncoding.allCases.first { encoding in
                let own = encoding.rawValue.filter { $0 != "-" && $0 != "_" }
                return own == plain || pages.contains(own)
            }
            guard let known else { return nil }
            self = known
        }
    }

    /// The names of all encodings that somebody may have to give, for messages; ISO-2022-JP is always recognised.
    public static var names: String {
        allCases.filter { $0 != .mailedJapanese }.map(\.rawValue).joined(separator: ", ")
    }

    /// The name for people.
    public var title: String {
        switch self {
        case .utf8: "UTF-8"
        case .utf16LittleEndian: "UTF-16 (little endian)"
        case .utf16BigEndian: "UTF-16 (big endian)"
        case .windows1252: "Windows-1252"
        case .latin1: "Latin-1 (ISO 8859-1)"
        case .macRoman: "Mac Roman"
        case .windows1250: "Windows-1250 (Central European)"
        case .windows1251: "Windows-1251 (Cyrillic)"
        case .windows1253: "Windows-1253 (Greek)"
        case .windows1254: "Windows-1254 (Turkish)"
        case .windows1257: "Windows-1257 (Baltic)"
        case .latin2: "ISO 8859-2 (Central European)"
        case .latin9: "ISO 8859-15"
        case .koi8: "KOI8-R"
        case .dosAmerican: "IBM437"
        case .dosWestern: "IBM850"
        case .dosCyrillic: "IBM866"
        case .shiftJIS: "Shift-JIS"
        case .japanese: "EUC-JP"
        case .mailedJapanese: "ISO-2022-JP"
        case .chinese: "GB 18030"
        case .traditionalChinese: "Big5"
        case .korean: "EUC-KR"
        }
    }
}

/// The reason a text file cannot be decoded.
public struct TextEncodingError: Error, Equatable, Sendable {
    /// The line of the first invalid byte, starting at one, or `nil` for the whole file.
    public let line: Int?
    /// The error and how to fix it, without a full stop.
    public let reason: String
}

/// A text file converted to UTF-8.
public struct DecodedText: Sendable {
    /// The text in UTF-8, without a byte order mark.
    public let bytes: [UInt8]
    /// The encoding of the file.
    public let encoding: TextEncoding
    /// Whether the encoding was recognised by its bytes alone, so that it may be another one with the same bytes.
    public let isGuess: Bool
    /// A word with a letter beyond ASCII, at most 40 characters, to judge a guess; `nil` if there is none.
    ///
    /// The first one that shows whether the guess is right, if there is one.
    public let example: String?
    /// Whether the file is valid UTF-8 with letters beyond ASCII, in whatever encoding it was read.
    public let isValidUTF8: Bool

    /// Decodes a file: in the given encoding, or else the one that its bytes show.
    ///
    /// A byte order mark decides; then valid UTF-8; then the zeros of UTF-16; then letters that only Mac Roman has within
    /// words; then Windows-1252, whose letters are those of Latin-1, unless the words are none of Western Europe. A file that
    /// is mostly UTF-8 is taken for damaged UTF-8, and its bytes are returned as they are, so that a reader can name the row.
    /// - Throws: ``TextEncodingError`` if the bytes are invalid in the given encoding or fit no supported one.
    /// - Complexity: O(bytes); UTF-8 is not copied unless it has a mark.
    public init(_ file: [UInt8], as given: TextEncoding? = nil) throws(TextEncodingError) {
        let marked = TextDecoder.mark(of: file)
        if let marked, let given, given != marked.encoding {
            let reason = "the file begins with the mark of \(marked.encoding.title); leave out --encoding"
            throw TextEncodingError(line: nil, reason: reason)
        }
        let content = TextDecoder.content(of: file, behind: marked?.length ?? 0)
        let survey = TextDecoder.survey(content)
        let encoding: TextEncoding
        if let known = marked?.encoding ?? given {
            encoding = known
        } else {
            encoding = try TextDecoder.guess(content, survey)
        }
        isGuess = marked == nil && given == nil && encoding != .utf8 && encoding != .mailedJapanese
        self.encoding = encoding
        isValidUTF8 = survey.sequences > 0 && survey.invalid == 0
        switch encoding {
        case .utf8:
            if let line = survey.firstInvalidLine, given != nil {
                throw TextEncodingError(line: line, reason: "the line has bytes that are not UTF-8")
            }
            bytes = marked == nil ? file : Array(content)
        case .utf16LittleEndian, .utf16BigEndian:
            bytes = try TextDecoder.fromUTF16(content, bigEndian: encoding == .utf16BigEndian)
        case .windows1252: bytes = try TextDecoder.fromSingleByte(content) { TextDecoder.windows[$0] }
        case .latin1: bytes = try TextDecoder.fromSingleByte(content) { Unicode.Scalar($0) }
        case .macRoman: bytes = try TextDecoder.fromSingleByte(content) { MacRoman.letter($0) }
        default: bytes = try SystemEncoding.decoded(content, from: encoding)
        }
        example = isGuess ? TextDecoder.example(in: bytes, as: encoding) : nil
    }
}

/// The steps of decoding.
enum TextDecoder {
    /// What the bytes of a text look like as UTF-8.
    struct Survey {
        /// The number of valid sequences of several bytes.
        var sequences = 0
        /// The number of bytes that belong to no valid sequence.
        var invalid = 0
        /// The line of the first of them, starting at one.
        var firstInvalidLine: Int?
    }

    static func mark(of bytes: [UInt8]) -> (encoding: TextEncoding, length: Int)? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        return nil
    }

    /// Returns what follows a mark of this length; some programs put one before the mark that is there already.
    static func content(of file: [UInt8], behind length: Int) -> ArraySlice<UInt8> {
        var content = file.dropFirst(length)
        while length > 0, content.starts(with: file.prefix(length)) { content = content.dropFirst(length) }
        return content
    }

    static func survey(_ bytes: ArraySlice<UInt8>) -> Survey {
        bytes.withUnsafeBufferPointer { bytes in
            var survey = Survey()
            var (index, line) = (0, 1)
            while index < bytes.count {
                let byte = bytes[index]
                if byte < 0x80 {
                    if byte == 0x0A { line += 1 }
                    index += 1
                    continue
                }
                let length = sequence(bytes, index)
                if length > 0 {
                    survey.sequences += 1
                    index += length
                } else {
                    survey.invalid += 1
                    if survey.firstInvalidLine == nil { survey.firstInvalidLine = line }
                    index += 1
                }
            }
            return survey
        }
    }

    /// Returns the length of the valid sequence of several bytes at an index (Unicode, table 3-7), or zero.
    private static func sequence(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int {
        let first = bytes[index]
        let length: Int
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF: length = 3
        case 0xF0...0xF4: length = 4
        default: return 0
        }
        guard index + length <= bytes.count else { return 0 }
        let second = bytes[index + 1]
        switch first {
        case 0xE0: guard (0xA0...0xBF).contains(second) else { return 0 }
        case 0xED: guard (0x80...0x9F).contains(second) else { return 0 }
        case 0xF0: guard (0x90...0xBF).contains(second) else { return 0 }
        case 0xF4: guard (0x80...0x8F).contains(second) else { return 0 }
        default: guard (0x80...0xBF).contains(second) else { return 0 }
        }
        for offset in 2..<max(2, length) where !(0x80...0xBF).contains(bytes[index + offset]) { return 0 }
        return length
    }

    static func guess(_ bytes: ArraySlice<UInt8>, _ survey: Survey) throws(TextEncodingError) -> TextEncoding {
        if let wide = wide(bytes) { return wide }
        if survey.invalid == 0, survey.sequences == 0, switchesToJapanese(bytes) { return .mailedJapanese }
        if survey.invalid == 0 || survey.sequences > survey.invalid { return .utf8 }
        if let western = western(bytes) { return western }
        let advice = "save the file as UTF-8, or give --encoding (\(TextEncoding.names))"
        throw TextEncodingError(
            line: survey.firstInvalidLine,
            reason: "the encoding of the text was not recognised; " + advice
        )
    }

    /// Returns the encoding of a text in a language of Western Europe; `nil` for others.
    static func western(_ bytes: ArraySlice<UInt8>) -> TextEncoding? {
        if ForeignLetters.areInRuns(bytes) { return nil }
        if MacRoman.isLikely(bytes) { return .macRoman }
        return ForeignLetters.areSigns(bytes) || bytes.contains { windows[$0] == nil } ? nil : .windows1252
    }

    /// Returns whether a text of ASCII changes to JIS X 0208, as ISO-2022-JP does (RFC 1468).
    private static func switchesToJapanese(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let escape = rest.firstIndex(of: 0x1B) {
            rest = rest[escape...].dropFirst()
            if rest.starts(with: [0x24, 0x42]) || rest.starts(with: [0x24, 0x40]) { return true }
        }
        return false
    }

    /// Returns UTF-16 if the text looks like it without a mark: every other byte of the beginning is often zero.
    private static func wide(_ bytes: ArraySlice<UInt8>) -> TextEncoding? {
        let start = bytes.prefix(4_096)
        guard start.count >= 4, bytes.count.isMultiple(of: 2) else { return nil }
        var zeros = [0, 0]
        for (offset, byte) in start.enumerated() where byte == 0 { zeros[offset % 2] += 1 }
        let pairs = start.count / 2
        if zeros[1] > pairs / 2, zeros[0] == 0 { return .utf16LittleEndian }
        if zeros[0] > pairs / 2, zeros[1] == 0 { return .utf16BigEndian }
        return nil
    }

    static func fromUTF16(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) throws(TextEncodingError) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count / 2 + 16)
        var (index, line) = (bytes.startIndex, 1)
        func unit(_ at: Int) -> UInt32 {
            let (first, second) = (UInt32(bytes[at]), UInt32(bytes[at + 1]))
            return bigEndian ? first << 8 | second : second << 8 | first
        }
        while index + 1 < bytes.endIndex {
            var value = unit(index)
            index += 2
            if (0xD800..<0xDC00).contains(value), index + 1 < bytes.endIndex {
                let low = unit(index)
                if (0xDC00..<0xE000).contains(low) {
                    value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
                    index += 2
                }
            }
            guard let scalar = Unicode.Scalar(value) else {
                throw TextEncodingError(line: line, reason: "the line is not valid UTF-16; save the file as UTF-8")
            }
            if scalar == "\n" { line += 1 }
            output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
        guard index == bytes.endIndex else {
            throw TextEncodingError(
                line: line,
                reason: "the UTF-16 text ends within a character; the file is incomplete"
            )
        }
        return output
    }

    static func fromSingleByte(
        _ bytes: ArraySlice<UInt8>,
        letter: (UInt8) -> Unicode.Scalar?
    ) throws(TextEncodingError) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + bytes.count / 16)
        var line = 1
        for byte in bytes {
            if byte == 0x0A { line += 1 }
            guard byte >= 0x80 else {
                output.append(byte)
                continue
            }
            guard let scalar = letter(byte) else {
                let reason = "the byte \(String(byte, radix: 16, uppercase: true)) means nothing in Windows-1252"
                throw TextEncodingError(line: line, reason: reason + "; give another --encoding")
            }
            output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
        return output
    }

    /// Returns a word of a text in UTF-8 that was decoded from an encoding.
    static func example(in bytes: [UInt8], as encoding: TextEncoding) -> String? {
        let telling = encoding == .windows1252 ? bytes.indices.first { isTelling(bytes, $0) } : nil
        guard let first = telling ?? bytes.firstIndex(where: { $0 >= 0x80 }) else { return nil }
        func isEnd(_ byte: UInt8) -> Bool { byte <= 0x20 || [0x22, 0x2C, 0x3B].contains(byte) }
        let start = bytes[max(0, first - 60)..<first].lastIndex(where: isEnd).map { $0 + 1 } ?? max(0, first - 60)
        let end = bytes[first...].prefix(120).firstIndex(where: isEnd) ?? min(bytes.count, first + 120)
        return String(String(decoding: bytes[start..<end], as: UTF8.self).prefix(40))
    }

    /// Returns whether a letter in UTF-8 begins here whose byte is another one in Windows-1250: "ø", which is "ř" there.
    private static func isTelling(_ bytes: [UInt8], _ index: Int) -> Bool {
        guard bytes[index] == 0xC3 || bytes[index] == 0xC5, index + 1 < bytes.count else { return false }
        // Œ, œ and Ÿ, and À to ÿ without those that both have.
        if bytes[index] == 0xC5 { return [0x92, 0x93, 0xB8].contains(bytes[index + 1]) }
        return !central.contains(bytes[index + 1] | 0x40)
    }

    /// The bytes from 0xC0 that are the same letter or sign in Windows-1252 and Windows-1250.
    private static let central = Set("ÁÂÄÇÉËÍÎÓÔÖ×ÚÜÝßáâäçéëíîóôö÷úüý".unicodeScalars.map { UInt8($0.value) })

    /// The letters of Windows-1252; `nil` for the five bytes that mean nothing, and for zero.
    struct Windows {
        private let upper: [UInt32] = [
            0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,
            0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
            0x0153, 0, 0x017E, 0x0178,
        ]

        subscript(byte: UInt8) -> Unicode.Scalar? {
            guard (0x80...0x9F).contains(byte) else { return byte == 0 ? nil : Unicode.Scalar(byte) }
            let value = upper[Int(byte) - 0x80]
            return value == 0 ? nil : Unicode.Scalar(value)
        }
    }

    static let windows = Windows()
}

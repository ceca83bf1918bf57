/// What a picture says about itself: where and when it was taken, and what it shows.
public struct PhotoRecord: Equatable, Sendable {
    /// Latitude and longitude in degrees, if the camera knew them.
    public let position: (latitude: Double, longitude: Double)?
    /// The radius in metres within which the camera took the position to be, or `nil`.
    public let accuracy: Double?
    /// When it was taken, `YYYY-MM-DD` and, if known, a `T` and `HH:MM:SS`, in the camera's own time.
    public let time: String?
    /// The title, as Windows writes it, or `nil`.
    public let title: String?
    /// The caption or comment, or `nil`.
    public let caption: String?
    /// The keywords, as Windows and agencies write them.
    public let keywords: [String]
    /// Further words about the picture: other captions and comments, subjects, headlines.
    public let texts: [String]
    /// How the picture may be used: copyright and special instructions.
    public let terms: [String]

    /// The length of the beginning of a file in which cameras write all this.
    public static let headLength = 1 << 19

    /// Reads a picture, or at least ``headLength`` bytes of its beginning; `nil` for bytes that are no JPEG, PNG or WebP.
    ///
    /// A picture without a record, or with a damaged one, has no values.
    /// - Complexity: O(bytes).
    public init?(of picture: [UInt8]) {
        guard let format = PictureFormat(picture) else { return nil }
        let block = ExifBlock(of: picture, format)
        let notes = format == .jpeg ? IPTCBlock(of: picture) : nil
        let (main, details, place) = (block?.main ?? [:], block?.details ?? [:], block?.position ?? [:])
        position = PhotoRecord.position(place)
        let error = position == nil ? nil : place[0x1F]?.numbers.first
        accuracy = error.flatMap { $0 > 0 && $0 <= PhotoRecord.worstAccuracy ? $0 : nil }
        time = [details[.taken], details[.made], main[.changed]].lazy.compactMap { $0.flatMap(PhotoRecord.time) }.first
        title = main[.title].flatMap(PhotoRecord.wideText)
        let captions =
            [
                main[.description].flatMap(PhotoRecord.text), details[.comment].flatMap(PhotoRecord.comment),
                main[.remark].flatMap(PhotoRecord.wideText),
            ]
            .compactMap(\.self) + (notes?.texts(.caption) ?? [])
        caption = captions.first
        let subject = main[.subject].flatMap(PhotoRecord.wideText)
        texts =
            captions.dropFirst() + [subject].compactMap(\.self) + (notes?.texts(.name) ?? [])
            + (notes?.texts(.headline) ?? [])
        let tags = main[.keywords].flatMap(PhotoRecord.wideText)?.split(separator: ";") ?? []
        keywords = tags.compactMap { PhotoRecord.line(Array($0.utf8)[...]) } + (notes?.texts(.keyword) ?? [])
        terms =
            (main[.copyright].flatMap(PhotoRecord.copyright) ?? []) + (notes?.texts(.copyright) ?? [])
            + (notes?.texts(.instructions) ?? [])
    }

    /// Compares all values.
    public static func == (a: PhotoRecord, b: PhotoRecord) -> Bool {
        a.position?.latitude == b.position?.latitude && a.position?.longitude == b.position?.longitude
            && (a.accuracy, a.time, a.title, a.caption) == (b.accuracy, b.time, b.title, b.caption)
            && (a.keywords, a.texts, a.terms) == (b.keywords, b.texts, b.terms)
    }

    private static let worstAccuracy = 10_000_000.0

    private static func position(_ values: [UInt16: ExifBlock.Value]) -> (latitude: Double, longitude: Double)? {
        let latitude = angle(values[2], side: values[1], positive: "N", negative: "S", limit: 90)
        let longitude = angle(values[4], side: values[3], positive: "E", negative: "W", limit: 180)
        // Cameras without a fix write zeros.
        guard let latitude, let longitude, latitude != 0 || longitude != 0 else { return nil }
        return (latitude, longitude)
    }

    private static func angle(
        _ value: ExifBlock.Value?,
        side: ExifBlock.Value?,
        positive: Character,
        negative: Character,
        limit: Double
    ) -> Double? {
        guard let parts = value?.numbers, let first = parts.first, let letter = side.flatMap(text)?.first else {
            return nil
        }
        guard letter == positive || letter == negative else { return nil }
        let minutes = parts.count > 1 ? parts[1] : 0
        let seconds = parts.count > 2 ? parts[2] : 0
        let degrees = first + minutes / 60 + seconds / 3600
        guard degrees.isFinite, (0...limit).contains(degrees) else { return nil }
        // Seven decimals, as everywhere.
        return ((letter == negative ? -degrees : degrees) * 1e7).rounded() / 1e7
    }

    /// Reads `1936:05:04 14:05:00`; cameras without a clock write zeros or blanks.
    private static func time(_ value: ExifBlock.Value) -> String? {
        guard let text = text(value) else { return nil }
        let parts = text.split(separator: " ")
        guard let day = parts.first.map({ $0.split(separator: ":") }), day.map(\.count) == [4, 2, 2],
            day.joined().allSatisfy({ $0.isASCII && $0.isNumber }), day[0] != "0000", day[1] != "00", day[2] != "00"
        else { return nil }
        let date = day.joined(separator: "-")
        guard parts.count > 1 else { return date }
        let clock = parts[1].split(separator: ":")
        guard clock.map(\.count) == [2, 2, 2], clock.joined().allSatisfy({ $0.isASCII && $0.isNumber }),
            clock[0] < "24",
            clock[1] < "60", clock[2] < "60"
        else { return date }
        return date + "T" + clock.joined(separator: ":")
    }

    private static func text(_ value: ExifBlock.Value) -> String? {
        guard value.type == 2 else { return nil }
        return line(value.bytes.prefix { $0 != 0 })
    }

    /// Reads the rights of the photographer and of the editor, which a zero divides.
    private static func copyright(_ value: ExifBlock.Value) -> [String]? {
        value.type == 2 ? value.bytes.split(separator: 0).prefix(2).compactMap(line) : nil
    }

    /// Reads a comment, which begins with the name of its encoding, or with zeros (EXIF 2.32 §4.6.5, table 9).
    private static func comment(_ value: ExifBlock.Value) -> String? {
        guard value.bytes.count > 8 else { return nil }
        let (mark, rest) = (value.bytes.prefix(8), value.bytes.dropFirst(8))
        if mark.starts(with: "UNICODE".utf8) { return wideComment(rest) }
        return mark.starts(with: "ASCII".utf8) || mark.allSatisfy { $0 == 0 } ? line(rest.prefix { $0 != 0 }) : nil
    }

    /// Reads UTF-16 of either byte order: programs do not agree on which it is.
    private static func wideComment(_ bytes: ArraySlice<UInt8>) -> String? {
        let zeros = bytes.indices.filter { bytes[$0] == 0 }
            .reduce(into: [0, 0]) { $0[($1 - bytes.startIndex) % 2] += 1 }
        let isBig = bytes.starts(with: [0xFE, 0xFF]) || !bytes.starts(with: [0xFF, 0xFE]) && zeros[0] > zeros[1]
        let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2)
            .map { UInt16(bytes[isBig ? $0 : $0 + 1]) << 8 | UInt16(bytes[isBig ? $0 + 1 : $0]) }
        let text = String(validating: units.drop { $0 == 0xFEFF }.prefix { $0 != 0 }, as: UTF16.self)
        return text.flatMap { line(Array($0.utf8)[...]) }
    }

    /// Cameras write ASCII, programs UTF-8, older ones Latin-1.
    static func line(_ bytes: ArraySlice<UInt8>) -> String? {
        let text =
            String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        let trimmed = text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
        return trimmed.isEmpty ? nil : String(trimmed)
    }

    /// Reads UTF-16, as Windows writes titles and comments.
    private static func wideText(_ value: ExifBlock.Value) -> String? {
        let units = stride(from: 0, to: value.bytes.count - 1, by: 2)
            .map { UInt16(value.bytes[$0]) | UInt16(value.bytes[$0 + 1]) << 8 }
        let text = String(validating: units.prefix { $0 != 0 }, as: UTF16.self)
        return text.flatMap { line(Array($0.utf8)[...]) }
    }
}

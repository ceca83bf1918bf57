/// The limits of every field, in one place: used by HTTP, import, the commands and the OpenAPI document.
///
/// HTTP and import hold to the same ones. Where they differ it is on purpose: somebody who types can put a value right,
/// a file of an archive is taken as it is. So an import makes one line of a title with line breaks, shortens a title of
/// up to ``longestTitle`` bytes and keeps its wording in the text, leaves out an address that is none with a warning, and
/// takes a date it cannot read as none. On the other hand it makes no kind of what is not written as one, so that a column in
/// the wrong place is found out, takes no address on the service itself, and takes latitude 0 with longitude 0 for a missing
/// value unless the row says how the location is shown or where it came from.
///
/// Characters are those that people count: grapheme clusters. As one of them can be of any length, a text is limited to
/// ``mostBytes(characters:)`` too.
public enum StoryLimits: Sendable {
    /// The most characters in a title.
    public static let titleLength = 600
    /// The most characters of a title in a file, which is shortened to ``titleLength``.
    public static let longestTitle = 4 * titleLength
    /// The most characters in a text.
    public static let textLength = 200_000
    /// The most characters in a date as written.
    public static let dateLength = 400
    /// The most characters in a name that a story has: of a place, a tag, a person, a collection, a client's own id of it.
    ///
    /// The most bytes of UTF-8 in a ``DisplayName``.
    public static let nameLength = 300
    /// The most tags, people or mentions of one story.
    public static let listLength = 50
    /// The most bytes in a URL.
    public static let urlLength = 2_000
    /// The most characters in the description of a picture.
    public static let altLength = 1_000
    /// The most characters in the id of a user or a family.
    public static let idLength = 64
    /// The most characters in the name of a kind.
    public static let kindLength = 32
    /// The most kinds in a list of them.
    public static let kindCount = 64
    /// The most bytes in the name of a device.
    public static let deviceLength = 64
    /// The most bytes of an e-mail address (RFC 5321 §4.5.3.1.3, without the angle brackets).
    public static let emailLength = 254
    /// The most bytes in what is searched for.
    public static let searchLength = 200
    /// The most words in what is searched for.
    public static let searchWords = 10
    /// The most fixes in one report.
    public static let fixCount = 5_000
    /// The most sensitive areas of one list.
    public static let areas = 10_000
    /// The most corners of one sensitive area.
    public static let areaCorners = 100_000
    /// The largest accuracy in metres that is believed.
    public static let accuracy = 10_000_000.0
    /// The accuracy in metres beyond which a location is flagged as doubtful (LOC-05).
    public static let doubtfulAccuracy = 50.0
}

// Lengths.
extension StoryLimits {
    /// The most bytes of UTF-8 in a text of at most so many characters: eight a character, in long texts four.
    public static func mostBytes(characters limit: Int) -> Int { limit * (limit > 10_000 ? 4 : 8) }

    /// Whether a text has at most so many characters, and not many more bytes.
    ///
    /// - Complexity: O(1) where the bytes are no more than that, else O(bytes), of which there are not too many.
    public static func fits(_ text: some StringProtocol, characters limit: Int) -> Bool {
        let bytes = text.utf8.count
        return bytes <= limit || (bytes <= mostBytes(characters: limit) && text.count <= limit)
    }
}

// What a value must be like beside its length.
extension StoryLimits {
    /// Whether a text is one line without control characters, as every name that a story gives must be.
    ///
    /// Names of users, families and the like are held to more, see ``DisplayName``.
    public static func isLine(_ text: some StringProtocol) -> Bool {
        !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }

    /// Whether a text is `https://HOST…`, `http://HOST…` or a path on this host, in characters a URL can hold (RFC 3986).
    public static func isWebAddress(_ text: some StringProtocol) -> Bool {
        let refused = Set("\"<>\\^`{|} ".utf8)
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !refused.contains($0) }) else { return false }
        for scheme in ["https://", "http://"] where text.lowercased().hasPrefix(scheme) {
            return text.dropFirst(scheme.count).first.map { $0.isLetter || $0.isNumber || $0 == "[" } ?? false
        }
        return text.hasPrefix("/") && !text.hasPrefix("//")
    }

    /// Whether a story of this date has not happened yet on a day in UTC (LOC-07).
    ///
    /// A day's grace: it may be tomorrow already where the story was recorded.
    public static func isFuture(_ date: StoryDate, on today: CalendarDay) -> Bool {
        date.first.daysSince1970 > today.daysSince1970 + 1
    }
}

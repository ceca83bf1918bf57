/// The limits of every field, in one place: used by HTTP, import, the commands and the OpenAPI document.
///
/// HTTP and import hold to the same ones. Where they differ it is on purpose: somebody who types can put a value right,
/// a file of an archive is taken as it is. So an import makes one line of a title with line breaks, shortens a title of
/// up to ``longestTitle`` bytes and keeps its wording in the text, leaves out an address that is none with a warning, and
/// takes a date it cannot read as none. On the other hand it knows its kinds, so that a column in the wrong place is found
/// out, takes no address on the service itself, and takes latitude 0 with longitude 0 for a missing value.
public enum StoryLimits: Sendable {
    /// The most bytes of UTF-8 in a title.
    public static let titleLength = 600
    /// The most bytes of UTF-8 of a title in a file, which is shortened to ``titleLength``.
    public static let longestTitle = 4 * titleLength
    /// The most bytes of UTF-8 in a text.
    public static let textLength = 200_000
    /// The most bytes of UTF-8 in a date as written.
    public static let dateLength = 400
    /// The most bytes of UTF-8 in a name: of a place, a tag, a person, a collection, a user, a family, a client id.
    public static let nameLength = 300
    /// The most tags, people or mentions of one story.
    public static let listLength = 50
    /// The most bytes in a URL.
    public static let urlLength = 2_000
    /// The most bytes in the description of a picture.
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

// What a value must be like beside its length.
extension StoryLimits {
    /// Whether a text is one line without control characters, as every name must be.
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

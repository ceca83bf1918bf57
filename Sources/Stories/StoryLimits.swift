/// The limits of all fields, in one place: used by HTTP, imports, commands and the OpenAPI document.
///
/// HTTP and imports apply the same limits. The few differences are deliberate: a person typing a value can correct it,
/// while a file from an archive has to be accepted as it is. So an import joins the lines of a multi-line title into
/// one, shortens a title of up to ``longestTitle`` characters and keeps the full title in the text, skips an invalid
/// URL with a warning, and keeps any date as words, where HTTP rejects one without letters. On the other hand, it
/// rejects invalid kinds, so that a misplaced column is detected, does not accept URLs on the service itself, and treats
/// latitude 0 with longitude 0 as a missing value unless the row gives the precision or the source of the location.
///
/// Characters are grapheme clusters, as people count them. A single one can be of any length, so a text is also limited
/// to ``mostBytes(characters:)``.
public enum StoryLimits: Sendable {
    /// The maximum number of characters in a title.
    public static let titleLength = 600
    /// The maximum number of characters in an imported title, which is then shortened to ``titleLength``.
    public static let longestTitle = 4 * titleLength
    /// The maximum number of characters in a text.
    public static let textLength = 200_000
    /// The maximum number of characters in a date as entered.
    public static let dateLength = 400
    /// The maximum number of characters in a name within a story: a place, tag, person, collection or client's id.
    ///
    /// Also the maximum number of UTF-8 bytes in a ``DisplayName``.
    public static let nameLength = 300
    /// The maximum number of tags, people or mentions per story.
    public static let listLength = 50
    /// The maximum size of a URL, in bytes.
    public static let urlLength = 2_000
    /// The maximum number of characters in the description of a picture.
    public static let altLength = 1_000
    /// The maximum number of characters in the id of a user or a family.
    public static let idLength = 64
    /// The maximum number of characters in the name of a kind.
    public static let kindLength = 32
    /// The maximum number of kinds in a list.
    public static let kindCount = 64
    /// The maximum size of a device's name, in bytes.
    public static let deviceLength = 64
    /// The maximum size of an e-mail address, in bytes (RFC 5321 §4.5.3.1.3, without the angle brackets).
    public static let emailLength = 254
    /// The maximum size of a search text, in bytes.
    public static let searchLength = 200
    /// The maximum number of words in a search text.
    public static let searchWords = 10
    /// The maximum number of fixes in one report.
    public static let fixCount = 5_000
    /// The maximum number of sensitive areas in one list.
    public static let areas = 10_000
    /// The maximum number of corners of one sensitive area.
    public static let areaCorners = 100_000
    /// The largest accepted accuracy in metres.
    public static let accuracy = 10_000_000.0
    /// The accuracy in metres beyond which a location is flagged as doubtful (LOC-05).
    public static let doubtfulAccuracy = 50.0
}

// Lengths.
extension StoryLimits {
    /// Returns the maximum UTF-8 size of a text with a character limit: eight bytes per character, or four if the limit
    /// is above 10,000.
    public static func mostBytes(characters limit: Int) -> Int { limit * (limit > 10_000 ? 4 : 8) }

    /// Returns whether a text is within a character limit and the corresponding byte limit.
    ///
    /// - Complexity: O(1) if the number of bytes does not exceed the character limit, else O(bytes), which are limited.
    public static func fits(_ text: some StringProtocol, characters limit: Int) -> Bool {
        let bytes = text.utf8.count
        return bytes <= limit || (bytes <= mostBytes(characters: limit) && text.count <= limit)
    }
}

// Formats.
extension StoryLimits {
    /// Returns whether a text is one line without control characters, as required for every name in a story.
    ///
    /// Names of users, families and the like have stricter rules, see ``DisplayName``.
    public static func isLine(_ text: some StringProtocol) -> Bool {
        !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }

    /// Returns whether a text shows nothing: it is empty, or all white space and marks that are not drawn, such as U+200B
    /// and U+2800.
    ///
    /// Such a text is neither a title nor a ``DisplayName``, wherever it comes from.
    public static func isBlank(_ text: some StringProtocol) -> Bool { !text.contains(where: \.isVisible) }

    /// Returns whether a text can be the name of a device: one line of 1 to ``deviceLength`` bytes.
    public static func isDeviceName(_ text: some StringProtocol) -> Bool {
        (1...deviceLength).contains(text.utf8.count) && isLine(text)
    }

    /// Returns whether a text is `https://HOST…`, `http://HOST…` or a path on this host, in characters valid in a URL
    /// (RFC 3986).
    public static func isWebAddress(_ text: some StringProtocol) -> Bool {
        let refused = Set("\"<>\\^`{|} ".utf8)
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !refused.contains($0) }) else { return false }
        for scheme in ["https://", "http://"] where text.lowercased().hasPrefix(scheme) {
            return text.dropFirst(scheme.count).first.map { $0.isLetter || $0.isNumber || $0 == "[" } ?? false
        }
        return text.hasPrefix("/") && !text.hasPrefix("//")
    }

    /// Returns whether a date is still in the future on a day in UTC, and of a kind of story that must not be (LOC-07):
    /// an event may be announced before it takes place.
    ///
    /// One day of tolerance: it may already be tomorrow where the story was recorded.
    public static func isFuture(_ date: StoryDate, of kind: StoryKind, on today: CalendarDay) -> Bool {
        kind != .event && date.first.map { $0.daysSince1970 > today.daysSince1970 + 1 } ?? false
    }
}

/// The id of a story: 128 bits, random or keyed, written as 32 hexadecimal digits.
///
/// Never sequential: gaps would reveal the number of hidden stories.
public struct StoryID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first 64 bits.
    public let high: UInt64
    /// The last 64 bits.
    public let low: UInt64

    /// Creates an id from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates a random id from a generator of 64 high-quality bits per call.
    public init(using generator: inout some RandomNumberGenerator) {
        self.init(high: generator.next(), low: generator.next())
    }

    /// Parses 32 lower-case hexadecimal digits; `nil` for anything else.
    public init?(_ text: some StringProtocol) { self.init(String(text)) }

    /// Parses 32 lower-case hexadecimal digits; `nil` for anything else.
    ///
    /// Every row of every list has an id, so this reads bytes and allocates no strings.
    public init?(_ text: String) {
        var (halves, count) = ((high: UInt64(0), low: UInt64(0)), 0)
        for byte in text.utf8 {
            guard count < 32, let digit = byte.lowercaseHexDigit else { return nil }
            if count < 16 { halves.high = halves.high << 4 | digit } else { halves.low = halves.low << 4 | digit }
            count += 1
        }
        guard count == 32 else { return nil }
        self.init(high: halves.high, low: halves.low)
    }

    /// The 32 digits.
    public var description: String { StoryID.digits(high) + StoryID.digits(low) }

    private static func digits(_ value: UInt64) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }

    /// Orders ids by their digits.
    public static func < (a: StoryID, b: StoryID) -> Bool {
        (a.high, a.low) < (b.high, b.low)
    }
}

extension UInt8 {
    /// The value of a digit `0-9a-f`; `nil` for any other byte.
    fileprivate var lowercaseHexDigit: UInt64? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(self - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(self - UInt8(ascii: "a") + 10)
        default: nil
        }
    }
}

/// The id of a user: 1–64 characters of `A-Za-z0-9._-`.
public struct UserID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The characters.
    public let rawValue: String

    /// Creates an id, or `nil` if the text is empty, over 64 characters or contains other characters.
    public init?(_ text: some StringProtocol) { self.init(String(text)) }

    /// Creates an id, or `nil` if the text is empty, over 64 characters or contains other characters.
    public init?(_ text: String) {
        guard isToken(text) else { return nil }
        rawValue = text
    }

    private init(known: String) { rawValue = known }

    /// The built-in user who owns imports without an owner.
    public static let archive = UserID(known: "archive")

    /// The characters.
    public var description: String { rawValue }

    /// Orders ids by their bytes.
    public static func < (a: UserID, b: UserID) -> Bool { a.rawValue < b.rawValue }
}

/// The id of a family group: 1–64 characters of `A-Za-z0-9._-`.
public struct FamilyID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The characters.
    public let rawValue: String

    /// Creates an id, or `nil` if the text is empty, over 64 characters or contains other characters.
    public init?(_ text: some StringProtocol) { self.init(String(text)) }

    /// Creates an id, or `nil` if the text is empty, over 64 characters or contains other characters.
    public init?(_ text: String) {
        guard isToken(text) else { return nil }
        rawValue = text
    }

    /// The characters.
    public var description: String { rawValue }

    /// Orders ids by their bytes.
    public static func < (a: FamilyID, b: FamilyID) -> Bool { a.rawValue < b.rawValue }
}

/// The kind of content of a story: 1–32 characters of `a-z0-9_`, beginning with a letter.
public struct StoryKind: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The characters.
    public let rawValue: String

    /// Creates a kind, or `nil` if the text has another form or is `family_object`, which represents three kinds and is
    /// not a kind itself.
    public init?(_ text: some StringProtocol) { self.init(String(text)) }

    /// Creates a kind, or `nil` if the text has another form or is `family_object`, which represents three kinds and is
    /// not a kind itself.
    public init?(_ text: String) {
        guard (1...StoryLimits.kindLength).contains(text.utf8.count), let first = text.utf8.first,
            isLowercaseLetter(first)
        else { return nil }
        for byte in text.utf8 {
            guard isLowercaseLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "_") else { return nil }
        }
        guard text != StoryKind.familyObjectName else { return nil }
        rawValue = text
    }

    private init(known: String) { rawValue = known }

    /// The characters.
    public var description: String { rawValue }

    /// A recorded or written life story.
    public static let interview = StoryKind(known: "interview")
    /// A photograph.
    public static let photo = StoryKind(known: "photo")
    /// A document.
    public static let document = StoryKind(known: "document")
    /// A film of an object.
    public static let videoObject = StoryKind(known: "video_object")
    /// A sighting, for example of a bird.
    public static let observation = StoryKind(known: "observation")
    /// Something that takes place; the only kind whose date may be in the future.
    public static let event = StoryKind(known: "event")

    /// The name that represents ``familyObjects`` in filters and settings.
    public static let familyObjectName = "family_object"
    /// The kinds that are family objects.
    public static let familyObjects: [StoryKind] = [.photo, .document, .videoObject]
    /// The kinds known to every installation, in display order.
    public static let known: [StoryKind] = [.interview, .photo, .document, .videoObject, .observation, .event]

    /// Returns the kinds that a name represents, or `nil` if it is invalid.
    public static func named(_ text: some StringProtocol) -> [StoryKind]? {
        if text == familyObjectName { return familyObjects }
        return StoryKind(text).map { [$0] }
    }

    /// Orders kinds by their bytes.
    public static func < (a: StoryKind, b: StoryKind) -> Bool { a.rawValue < b.rawValue }
}

private func isLowercaseLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
private func isUppercaseLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

/// Returns whether `text` is 1–64 characters of `A-Za-z0-9._-`.
///
/// Takes a `String`: for a generic text each byte costs calls, and this runs for the owner of every row that is read.
private func isToken(_ text: String) -> Bool {
    guard (1...StoryLimits.idLength).contains(text.utf8.count) else { return false }
    for byte in text.utf8 {
        guard isLowercaseLetter(byte) || isUppercaseLetter(byte) || isDigit(byte) || isMark(byte) else { return false }
    }
    return true
}

private func isMark(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
}

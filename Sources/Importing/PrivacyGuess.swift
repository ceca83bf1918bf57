/// Whether a column that is not read seems to say who may see a story.
///
/// Ignoring such a column would publish stories meant to be private, so an import with one is refused until the
/// operator decides. Whole words of the name count, so that "Accession Number" and "confidence" are no privacy settings,
/// and the values of columns whose name says little.
struct PrivacyGuess {
    private enum Name {
        /// The name alone is enough.
        case clear
        /// The name may mean other things; a value decides.
        case doubtful
        /// All values are levels of privacy, one of them a restricting one.
        case silent
    }

    private let name: Name
    private var isExcluded = false
    private var hasRestriction = false

    /// Whether a column is worth looking at beside one that already says the privacy: only another clear name is, and
    /// not the marks of a viewer in our own exports.
    static func isLeft(_ column: String) -> Bool {
        PrivacyGuess(column: column).name == .clear
            && !["hidden", "auto_private"].contains(ImportField.normalized(column))
    }

    init(column: String) {
        let words = PrivacyGuess.words(column)
        name =
            words.contains(where: PrivacyGuess.isClear) || PrivacyGuess.isAccess(words)
            ? .clear : words.contains(where: PrivacyGuess.doubtful.contains) ? .doubtful : .silent
    }

    /// Whether the column seems to say who may see a story, by its name and the values so far.
    var isLikely: Bool {
        switch name {
        case .clear: true
        case .doubtful: hasRestriction
        case .silent: hasRestriction && !isExcluded
        }
    }

    /// Looks at the value of a row.
    mutating func see(_ value: String) {
        guard name != .clear, !isExcluded || name == .doubtful, !value.isEmpty else { return }
        guard value.utf8.count <= 40 else {
            isExcluded = true
            return
        }
        let plain = ImportField.normalized(value)
        if PrivacyGuess.restricting.contains(plain) || (name == .doubtful && PrivacyGuess.closed.contains(plain)) {
            hasRestriction = true
        } else if !PrivacyGuess.open.contains(plain) {
            isExcluded = true
        }
    }

    private static let doubtful: Set<String> = [
        "public", "published", "publish", "publication", "audience", "permission", "permissions", "status", "release",
        "rights", "viewers", "viewable", "classification", "share", "sharing", "shared", "living", "consent", "resn",
    ]
    private static let restricting: Set<String> = [
        "private", "family", "family_only", "restricted", "confidential", "secret", "members_only", "staff_only",
        "not_public", "non_public", "unpublished", "internal", "for_family_only", "embargoed", "friends", "only_me",
    ]
    /// What restricts only in a column that may be about privacy.
    private static let closed: Set<String> = [
        "0", "no", "false", "closed", "hidden", "draft", "sealed", "withheld", "living", "locked",
    ]
    private static let open: Set<String> = ["public", "open", "published", "everyone", "all", "unrestricted", "anyone"]

    private static func isClear(_ word: String) -> Bool {
        if word.hasPrefix("priv") { return !word.hasPrefix("privileg") }
        if word.hasPrefix("confiden") { return !word.hasPrefix("confidence") }
        if word.hasPrefix("visib") || word.hasPrefix("restrict") || word.hasPrefix("embargo") { return true }
        return ["secret", "secrecy", "hidden", "sensitive", "sensitivity"].contains(word)
    }

    /// Returns whether the words speak of access to the story, and not of a way to a file.
    private static func isAccess(_ words: [String]) -> Bool {
        let technical: Set<String> = ["uri", "url", "point", "date", "time", "copy", "file", "number", "no", "id"]
        guard words.contains("access") || words.contains("accessrights") else { return false }
        return !words.contains(where: technical.contains)
    }

    /// Returns the words of a column name in lower case: "isPrivate" and "IS_PRIVATE" are "is" and "private".
    private static func words(_ name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var wasLower = false
        for character in name {
            if !character.isLetter && !character.isNumber || (wasLower && character.isUppercase) {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if character.isLetter || character.isNumber { word += character.lowercased() }
            wasLower = character.isLowercase
        }
        return word.isEmpty ? words : words + [word]
    }
}

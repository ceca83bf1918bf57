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
    /// Whether a tick in the column restricts, as in "draft".
    private let isInverse: Bool
    private var isExcluded = false
    private var hasRestriction = false
    /// Whether a value says in so many words that something is not to be published.
    private var hasPlea = false
    /// Whether some rows have a tick and others are empty, as where only those that may be published are marked.
    private var hasTicks = false
    private var hasGaps = false

    /// Whether a column is worth looking at beside one that already says the privacy: only another clear name is, and
    /// not the marks of a viewer in our own exports.
    static func isLeft(_ column: String) -> Bool {
        PrivacyGuess(column: column).name == .clear
            && !["hidden", "auto_private"].contains(ImportField.normalized(column))
    }

    /// Returns whether a text outside of any column seems to say who may see the stories.
    ///
    /// The longer it is, the more it has to say: "Hidden" restricts, "The hidden history of Auburn Avenue" does not.
    static func isAbout(_ text: String) -> Bool {
        guard text.utf8.count <= longestNote else { return false }
        if PrivacyWords.isPlea(text) { return true }
        let (words, plain) = (PrivacyWords.words(text), ImportField.normalized(text))
        guard words.count <= mostNoteWords, !PrivacyWords.deniesRestriction(text) else { return false }
        if PrivacyWords.namesRestriction(text) || PrivacyWords.isNote(words, plain) { return true }
        return words.count <= 3 && (PrivacyWords.isClear(words) || PrivacyWords.restricting.contains(plain))
    }

    /// The maximum length in bytes of a note that is read.
    private static let longestNote = 1_000
    /// More words than that are a text about something, and not a note.
    private static let mostNoteWords = 8

    /// Returns whether a name with a value, both about a whole file, seem to say who may see the stories.
    static func isAbout(_ name: String, _ value: String) -> Bool {
        // "Private schools" is what an interview is about, "Private" is not.
        if name == "keyword" { return PrivacyWords.marksRow(value) }
        if PrivacyWords.deniesRestriction(value) { return false }
        var guess = PrivacyGuess(column: name)
        guess.see(value)
        return guess.isLikely || isAbout(value)
    }

    init(column: String) {
        let words = PrivacyWords.words(column)
        isInverse = PrivacyWords.isInverse(words)
        name = PrivacyWords.isClear(words) ? .clear : PrivacyWords.isDoubtful(words) ? .doubtful : .silent
    }

    /// Whether the column seems to say who may see a story, by its name and the values so far.
    var isLikely: Bool {
        switch name {
        case .clear: true
        case .doubtful: hasRestriction || hasPlea || (hasTicks && hasGaps)
        case .silent: hasPlea || (hasRestriction && !isExcluded)
        }
    }

    /// Looks at the value of a row.
    mutating func see(_ value: String) {
        guard name != .clear, !hasPlea else { return }
        guard !value.isEmpty else {
            hasGaps = true
            return
        }
        if PrivacyWords.isPlea(value) || PrivacyWords.isLimit(value) { hasPlea = true }
        guard !isExcluded || name == .doubtful else { return }
        let plain = value.utf8.count <= 40 ? ImportField.normalized(value) : ""
        if PrivacyWords.ticks.contains(plain) { hasTicks = true }
        if PrivacyWords.restricting.contains(plain) || (name == .doubtful && restrictsHere(plain, value)) {
            hasRestriction = true
        } else if !PrivacyWords.open.contains(plain) {
            isExcluded = true
        }
    }

    /// Returns whether a value restricts in a column that may be about privacy.
    private func restrictsHere(_ plain: String, _ value: String) -> Bool {
        if isInverse { return PrivacyWords.ticks.contains(plain) || PrivacyWords.namesRestriction(value) }
        return PrivacyWords.closed.contains(plain) || PrivacyWords.isAnswerNo(value)
            || PrivacyWords.namesRestriction(value)
    }
}

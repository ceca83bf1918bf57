import Stories

/// Whether a column that is not read seems to say who may see a story.
///
/// Ignoring such a column would publish stories meant to be private, so an import with one is refused until the
/// operator decides. Whole words of the name count, so that "Accession Number" and "confidence" are no privacy settings,
/// and the values of columns whose name says little.
struct PrivacyGuess {
    private enum Name {
        /// The name alone is enough.
        case clear
        /// The name is about access or restrictions: every value counts that does not plainly open.
        case vague
        /// The name may mean other things; a value decides.
        case doubtful
        /// All values are levels of privacy, one of them a restricting one.
        case silent
    }

    /// What the values so far show.
    private struct Signs: OptionSet {
        let rawValue: Int
        static let restriction = Signs(rawValue: 1)
        /// A value says in so many words that something is not to be published.
        static let plea = Signs(rawValue: 1 << 1)
        /// Some rows have a tick, as where only those that may be published are marked.
        static let tick = Signs(rawValue: 1 << 2)
        static let gap = Signs(rawValue: 1 << 3)
        static let open = Signs(rawValue: 1 << 4)
        /// A value neither opens nor restricts.
        static let other = Signs(rawValue: 1 << 5)
        /// A place is closed, or a story is.
        static let closed = Signs(rawValue: 1 << 6)
        /// A value is none of OpenStreetMap's `access`.
        static let noWay = Signs(rawValue: 1 << 7)
        /// A value is about places, and no story has it.
        static let place = Signs(rawValue: 1 << 8)
    }

    private let name: Name
    private let topic: ColumnTopic
    /// Whether a tick in the column restricts, as in "draft".
    private let isInverse: Bool
    private let today: CalendarDay?
    private var signs: Signs = []
    /// The number of values seen, empty ones included.
    private var count = 0

    /// Whether a column is worth looking at beside one that already says the privacy: only another name about privacy is,
    /// and not the marks of a viewer in our own exports.
    static func isLeft(_ column: String) -> Bool {
        [.clear, .vague].contains(PrivacyGuess(column: column, on: nil).name)
            && !["hidden", "auto_private"].contains(ImportField.normalized(column))
    }

    /// Returns whether a text outside of any column seems to say who may see the stories.
    ///
    /// The longer it is, the more it has to say: "Hidden" restricts, "The hidden history of Auburn Avenue" does not.
    static func isAbout(_ text: String, on today: CalendarDay?) -> Bool {
        guard text.utf8.count <= longestNote else { return false }
        if PrivacyWords.isPlea(text) { return true }
        if PrivacyTerm.isOver(text, on: today) { return false }
        let text = PrivacyTopics.removed(from: text)
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
    static func isAbout(_ name: String, _ value: String, on today: CalendarDay?) -> Bool {
        // "Private schools" is what an interview is about, "Private" is not.
        if name == "keyword" { return PrivacyWords.marksRow(value, on: today) }
        if PrivacyWords.deniesRestriction(value) { return false }
        var guess = PrivacyGuess(column: name, on: today)
        guess.see(value)
        return guess.isLikely() || isAbout(value, on: today)
    }

    /// Begins with no values; a term that has passed on the given day restricts nothing, and without a day none has.
    init(column: String, on today: CalendarDay?) {
        let words = PrivacyWords.words(column)
        topic = ColumnTopic(column, words)
        self.today = today
        isInverse = PrivacyWords.isInverse(words)
        if PrivacyWords.isClear(words) {
            name = PrivacyWords.isVague(words) ? .vague : .clear
        } else {
            name = PrivacyWords.isDoubtful(words) ? .doubtful : .silent
        }
    }

    /// Returns whether the column seems to say who may see a story, by its name and the values so far.
    ///
    /// - Parameters:
    ///   - rows: the number of rows, if those without a value were not seen.
    ///   - neighbours: the other columns, if they are known.
    /// - Returns: whether an import has to ask what the column means.
    func isLikely(rows: Int = 0, beside neighbours: ColumnNeighbours? = nil) -> Bool {
        if name == .clear || signs.contains(.plea) { return true }
        let isAboutPlace = signs.contains(.place)
        switch name {
        case .clear: return true
        case .vague:
            let isMap = topic.isTag || isAboutPlace || neighbours?.isMap == true
            if topic.isWay, isMap, !signs.contains(.noWay) { return false }
            // Where some rows are open, those without a value may not be.
            let hasGaps = signs.contains(.gap) || rows > count
            return signs.contains(.other) || (signs.contains(.open) && hasGaps && !topic.namesRestrictions)
        case .doubtful:
            let isShut = signs.contains(.closed) && !isAboutPlace && neighbours?.isOpened != true
            return isShut || signs.contains(.restriction) || signs.isSuperset(of: [.tick, .gap])
        case .silent: return signs.contains(.restriction) && !signs.contains(.other)
        }
    }

    /// Looks at the value of a row.
    mutating func see(_ value: String) {
        guard name != .clear, !signs.contains(.plea) else { return }
        count += 1
        guard !value.isEmpty else {
            signs.insert(.gap)
            return
        }
        let isLimit = PrivacyWords.isLimit(value)
        let isOver = (isLimit || name != .silent) && PrivacyTerm.isOver(value, on: today)
        if PrivacyWords.isPlea(value) || (isLimit && !isOver) {
            signs.insert(.plea)
        } else if isOver {
            signs.insert(.open)
        } else if name == .vague {
            seeAccess(value)
        } else if name == .doubtful || !signs.contains(.other) {
            seeLevel(value)
        }
    }

    /// Looks at a value under a name of access or restrictions.
    private mutating func seeAccess(_ value: String) {
        let isOpen = OpenWords.isOpen(value, namesRestrictions: topic.namesRestrictions)
        signs.insert(isOpen ? .open : .other)
        guard topic.isWay else { return }
        let plain = PrivacyGuess.plain(value)
        if ColumnTopic.waysAlone.contains(plain) { signs.insert(.place) }
        if !ColumnTopic.ways.contains(plain) { signs.insert(.noWay) }
    }

    /// Looks at a value under a name that may mean other things.
    private mutating func seeLevel(_ value: String) {
        let plain = PrivacyGuess.plain(value)
        if topic.harmless.contains(plain) { return }
        let isTick = PrivacyWords.ticks.contains(plain)
        if isTick, !topic.isClosing { signs.insert(.tick) }
        if topic.isCondition, ColumnTopic.conditions.contains(plain) { signs.insert(.place) }
        if (topic.isCondition && plain == "closed") || (topic.isClosing && isTick) {
            signs.insert(.closed)
        } else if PrivacyWords.restricting.contains(plain) || (name == .doubtful && restrictsHere(plain, value)) {
            signs.insert(.restriction)
        } else if !PrivacyWords.open.contains(plain) {
            signs.insert(.other)
        }
    }

    private static func plain(_ value: String) -> String {
        value.utf8.count <= 40 ? ImportField.normalized(value) : ""
    }

    /// Returns whether a value restricts in a column that may be about privacy.
    private func restrictsHere(_ plain: String, _ value: String) -> Bool {
        if isInverse {
            return PrivacyWords.ticks.contains(plain) || PrivacyWords.namesRestriction(value)
                || PrivacyTerm.isAhead(value, on: today)
        }
        let isRefusal = !topic.isState && PrivacyWords.isRefusal(value, isAnswer: topic.isAsking)
        return isRefusal || PrivacyWords.closed.contains(plain) || PrivacyWords.isAnswerNo(value)
            || PrivacyWords.namesRestriction(value)
    }
}

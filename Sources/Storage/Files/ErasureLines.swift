import Stories

/// The lines of a list of erasures in memory.
struct ErasureLines: Sendable {
    /// Those that hold, the oldest first.
    private(set) var entries: [ErasureList.Entry] = []
    /// How many lines there are, taken back or not.
    private(set) var count = 0
    /// How many there have ever been.
    private(set) var total = 0
    /// How many bytes of the file they are.
    var size: Int
    /// The last of these bytes: of the lines that the database has not committed yet.
    var open: [UInt8] = []
    /// When the account of a digest was erased last.
    private(set) var accounts: [StoryID: Timestamp] = [:]
    /// When what was derived from the whereabouts of a digest was erased last.
    private(set) var locations: [StoryID: Timestamp] = [:]
    /// The last line that says a story was deleted.
    private(set) var deletions: [StoryID: ErasureList.Entry] = [:]

    init(_ entries: [ErasureList.Entry], size: Int) {
        self.size = size
        for entry in entries { add(entry) }
    }

    mutating func add(_ entry: ErasureList.Entry) {
        if entry.kind == .counted {
            total = max(total, entry.until.map { Int(clamping: $0.milliseconds) } ?? 0)
            return
        }
        count += 1
        total = max(total, total &+ 1)
        guard entry.kind == .takenBack else {
            entries.append(entry)
            return note(entry)
        }
        entries.removeAll { $0.id == entry.id }
        (accounts, locations, deletions) = ([:], [:], [:])
        for entry in entries { note(entry) }
    }

    private mutating func note(_ entry: ErasureList.Entry) {
        switch entry.kind {
        case .account: accounts[entry.subject] = max(accounts[entry.subject] ?? entry.at, entry.at)
        case .locationData: locations[entry.subject] = max(locations[entry.subject] ?? entry.at, entry.at)
        case .storyDeleted: deletions[entry.subject] = entry
        default: break
        }
    }

    /// The lines without which an older copy of the database could not be brought to the same state.
    func needed(at now: Timestamp) -> [ErasureList.Entry] {
        // By subject and what is said of it: the latest instant up to which a later line says the same or more.
        var covered: [Claim: Timestamp] = [:]
        var kept: [ErasureList.Entry] = []
        for entry in entries.reversed() {
            if let until = entry.until, until <= now { continue }
            let claim = Claim(subject: entry.subject, kind: entry.kind)
            if let later = covered[claim], entry.at <= later { continue }
            kept.append(entry)
            for kind in entry.kind.covered {
                let claim = Claim(subject: entry.subject, kind: kind)
                covered[claim] = max(covered[claim] ?? entry.at, entry.at)
            }
        }
        return kept.reversed()
    }

    private struct Claim: Hashable {
        let subject: StoryID
        let kind: ErasureList.Kind
    }
}

extension ErasureList.Kind {
    /// What earlier lines about the same subject need not say any more.
    fileprivate var covered: [ErasureList.Kind] {
        switch self {
        case .account: [.account, .locationData, .consent, .signOut]
        case .locationData: [.locationData, .consent]
        case .storyPurged: [.storyPurged, .storyDeleted]
        case .consent, .key, .signIn, .signOut, .storyDeleted, .retention: [self]
        case .takenBack, .counted: []
        }
    }
}

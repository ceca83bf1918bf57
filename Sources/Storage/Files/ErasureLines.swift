import Stories

/// The lines of a list of erasures in memory.
struct ErasureLines: Sendable {
    /// The valid lines, oldest first.
    private(set) var entries: [ErasureList.Entry] = []
    /// The number of lines, including those taken back.
    private(set) var count = 0
    /// The total number of lines ever added.
    private(set) var total = 0
    /// The number of bytes the lines take up in the file.
    var size: Int
    /// The last of these bytes: the lines that the database has not committed yet.
    var open: [UInt8] = []
    /// The time of the last erasure of an account, by the digest of its user.
    private(set) var accounts: [StoryID: Timestamp] = [:]
    /// The time of the last erasure of the data derived from a user's whereabouts, by the digest of the user.
    private(set) var locations: [StoryID: Timestamp] = [:]
    /// The last line recording that a story was deleted, by the digest of the story.
    private(set) var deletions: [StoryID: ErasureList.Entry] = [:]
    /// The last narrowing of each subject.
    private(set) var narrowings: [ErasureList.Claim: ErasureList.Entry] = [:]
    /// The number of lines about narrowings, including those made redundant by a later one.
    private(set) var narrowingCount = 0

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
        if entry.state != nil {
            narrowingCount += 1
            narrowings[ErasureList.Claim(subject: entry.subject, kind: entry.kind)] = entry
            return
        }
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
        case .account:
            accounts[entry.subject] = max(accounts[entry.subject] ?? entry.at, entry.at)
            // Nothing of the account is left to be limited.
            for kind in [ErasureList.Kind.silence, .accountHold] {
                narrowings[ErasureList.Claim(subject: entry.subject, kind: kind)] = nil
            }
        case .locationData: locations[entry.subject] = max(locations[entry.subject] ?? entry.at, entry.at)
        case .storyDeleted: deletions[entry.subject] = entry
        default: break
        }
    }

    /// Returns the lines needed to bring an older copy of the database to the same state.
    func needed(at now: Timestamp) -> [ErasureList.Entry] {
        // For each subject and kind: lines up to this instant are made redundant by a line later in the list.
        var covered: [ErasureList.Claim: Timestamp] = [:]
        var kept: [ErasureList.Entry] = []
        for entry in entries.reversed() {
            if let until = entry.until, until <= now { continue }
            let claim = ErasureList.Claim(subject: entry.subject, kind: entry.kind)
            if let later = covered[claim], entry.at <= later { continue }
            kept.append(entry)
            for kind in entry.kind.covered {
                let claim = ErasureList.Claim(subject: entry.subject, kind: kind)
                covered[claim] = max(covered[claim] ?? entry.at, entry.at)
            }
        }
        return kept.reversed()
    }

    /// The last narrowing of each subject that still limits something, oldest first.
    var neededNarrowings: [ErasureList.Entry] {
        narrowings.values.filter { $0.state != ErasureList.unlimited }.sorted { $0.number < $1.number }
    }

    /// The number of superseded narrowings up to which the list is not rewritten for their sake.
    private static let spare = 1_000

    /// Returns whether an erasure is redundant, or as many narrowings as there are in force.
    func isWorthCompacting(at now: Timestamp) -> Bool {
        guard needed(at: now).count == count - narrowingCount else { return true }
        let redundant = narrowingCount - narrowings.count
        return redundant > max(ErasureLines.spare, narrowings.count)
    }

    /// Returns lines with the numbers that they get when they are added.
    func numbered(_ lines: [ErasureList.Entry]) -> [ErasureList.Entry] {
        lines.enumerated()
            .map { index, line in
                var line = line
                if line.state != nil { line.number = total + index + 1 }
                return line
            }
    }
}

extension ErasureList {
    /// A subject and what is said of it.
    struct Claim: Hashable, Sendable {
        let subject: StoryID
        let kind: Kind
    }
}

extension ErasureList.Kind {
    /// The kinds of earlier lines about the same subject that this one makes redundant.
    fileprivate var covered: [ErasureList.Kind] {
        switch self {
        case .account: [.account, .locationData, .consent, .signOut]
        case .locationData: [.locationData, .consent]
        case .storyPurged: [.storyPurged, .storyDeleted]
        case .consent, .key, .signIn, .signOut, .storyDeleted, .retention: [self]
        case .takenBack, .counted, .begun, .storyReach, .placeReach, .accountHold, .membership, .invitation, .hide,
            .channel, .silence:
            []
        }
    }
}

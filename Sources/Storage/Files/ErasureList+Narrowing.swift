public import Stories
import Synchronization

// Narrowings: the present state of everything that became narrower, so that an older copy of the database is never
// wider than what replaced it.
extension ErasureList {
    /// Returns the narrowings that a copy of the database has not seen, oldest first; `seen` is the number of lines that
    /// it has.
    public func narrowings(after seen: Int) -> [Entry] {
        contents.withLock { $0.neededNarrowings.filter { $0.number > seen && $0.kind != .begun } }
    }

    /// The number of the line from which on every narrowing is on the list; `nil` if there is none yet.
    package var begun: Int? {
        let claim = Claim(subject: digest(of: .retained), kind: .begun)
        return contents.withLock { $0.narrowings[claim]?.number }
    }

    /// The number of lines up to here, including removed ones: a copy that has this many is the present one.
    public var narrowingEnd: Int { total }

    /// Returns the digest of a family, as narrowings name it.
    public func digest(ofFamily family: FamilyID) -> StoryID { digest(of: .family(family)) }

    /// The number of subjects that are limited.
    package var narrowingCount: Int { contents.withLock { $0.neededNarrowings.count } }

    /// Returns the state of a subject on the list; `nil` if it never became narrower.
    func state(_ kind: Kind, of subject: StoryID) -> String? {
        contents.withLock { $0.narrowings[Claim(subject: subject, kind: kind)]?.state }
    }

    /// Creates a line with the present state of a subject.
    func narrowing(_ kind: Kind, of subject: Subject, state: String, isNarrower: Bool, at now: Timestamp) -> Entry {
        var line = entry(kind, of: subject, at: now)
        line.state = state
        line.isWithdrawal = isNarrower
        return line
    }

    /// Creates the line from which on every narrowing is on the list.
    public func beginning(at now: Timestamp) -> Entry {
        var line = narrowing(.begun, of: .retained, state: "1", isNarrower: false, at: now)
        line.isWithdrawal = false
        return line
    }
}

import GRDB
import Notifications
public import Stories

// What became narrower here must not be wider in an older copy of the database. A widening is recorded only if the list
// already limits its subject.
extension StoreTransaction {
    /// Records the present state of a subject that was changed.
    private func note(
        _ kind: ErasureList.Kind,
        of subject: ErasureList.Subject,
        state: @autoclosure () -> String,
        isNarrower: Bool
    ) {
        let digest = erasureList.digest(of: subject)
        let claim = ErasureList.Claim(subject: digest, kind: kind)
        let known = afterCommit.narrowed[claim] ?? erasureList.state(kind, of: digest)
        guard isNarrower || known != nil else { return }
        let state = state()
        guard known != state else { return }
        afterCommit.narrowed[claim] = state
        afterCommit.lines.append(
            erasureList.narrowing(kind, of: subject, state: state, isNarrower: isNarrower, at: clock.time)
        )
    }

    /// Records who may see a story after a change; `old` is `nil` if another program changed it, so that nobody knows
    /// what it was.
    func noteReach(of story: Story, replacing old: Story?) throws {
        let isAccountHeld = try (story.autoPrivate || old?.autoPrivate == true) && isAutoPrivate(account: story.owner)
        func reach(_ story: Story) -> StoryReach {
            let family = story.family.map { erasureList.digest(of: .family($0)) }
            return StoryReach(story, family: family, isAccountHeld: isAccountHeld)
        }
        let now = reach(story)
        let isNarrower = old.map { now.isNarrower(than: reach($0)) } ?? (now.text != ErasureList.unlimited)
        note(.storyReach, of: .story(story.id), state: now.text, isNarrower: isNarrower)
        notePlaces(of: story, replacing: old)
    }

    /// Records who may see the further places of a story after a change.
    private func notePlaces(of story: Story, replacing old: Story?) {
        let before = (old?.places ?? []).map { ($0.id, PlaceReach($0)) }
        let after = Dictionary(story.places.map { ($0.id, PlaceReach($0)) }, uniquingKeysWith: { first, _ in first })
        for (id, reach) in before {
            let now = after[id] ?? .removed
            note(.placeReach, of: .storyPlace(id), state: now.text, isNarrower: now.isNarrower(than: reach))
        }
        let known = Set(before.map(\.0))
        for place in story.places where !known.contains(place.id) {
            let now = PlaceReach(place)
            let isNarrower = old == nil && now.text != ErasureList.unlimited
            note(.placeReach, of: .storyPlace(place.id), state: now.text, isNarrower: isNarrower)
        }
    }

    /// Records whether all stories of an account are temporarily private.
    func noteHold(of account: UserID, isHeld: Bool) throws {
        let wasHeld = try isAutoPrivate(account: account)
        let state = isHeld ? erasureList.digest(of: .user(account)).description : ErasureList.unlimited
        note(.accountHold, of: .user(account), state: state, isNarrower: isHeld && !wasHeld)
    }

    /// Records the role of a member of a family, or `nil` for the end of the membership; `old` is the role before.
    func noteMembership(of user: UserID, in family: FamilyID, role: FamilyRole?, replacing old: FamilyRole?) {
        // The roles are listed from the highest to the lowest.
        let ranks: [FamilyRole] = [.owner, .admin, .member]
        func rank(_ role: FamilyRole?) -> Int { role.flatMap { ranks.firstIndex(of: $0) } ?? ranks.count }
        let names = [erasureList.digest(of: .user(user)), erasureList.digest(of: .family(family))]
        let state = names.map(\.description) + [role?.rawValue ?? "none"]
        note(
            .membership,
            of: .member(user, family),
            state: role == .owner ? ErasureList.unlimited : state.joined(separator: ","),
            isNarrower: old != nil && rank(role) > rank(old)
        )
    }

    /// Records that an invitation has ended.
    func noteEnd(of invitation: String) {
        note(.invitation, of: .invitation(invitation), state: "ended", isNarrower: true)
    }

    /// Records whether a person hides a story.
    func noteHide(of story: StoryID, from user: UserID, isHidden: Bool) {
        let names = [erasureList.digest(of: .user(user)), erasureList.digest(of: .story(story))]
        note(
            .hide,
            of: .hidden(story, user),
            state: isHidden ? names.map(\.description).joined(separator: ",") : ErasureList.unlimited,
            isNarrower: isHidden
        )
    }

    /// Records what is sent through a channel after a change; `channel` is `nil` if it is removed.
    func noteChannel(_ channel: ChannelRow?, replacing old: ChannelRow) {
        // A channel for a single message is nobody's channel.
        guard old.state != .single else { return }
        let (before, now) = (ChannelReach(old), channel.map { ChannelReach($0) } ?? .removed)
        note(
            .channel,
            of: .channel(old.id),
            state: now == .active ? ErasureList.unlimited : now.rawValue,
            isNarrower: now > before
        )
    }

    /// Records what a person does not want to be notified of after a change.
    func noteSilence(of user: UserID, _ settings: NotificationSettings, replacing old: NotificationSettings) {
        note(
            .silence,
            of: .user(user),
            state: SettingsReach.text(settings, on: erasureList),
            isNarrower: SettingsReach.isNarrower(settings, than: old)
        )
    }
}

/// How much may be sent through a channel, from all of it to nothing.
public enum ChannelReach: String, Comparable, CaseIterable, Sendable {
    /// Whatever its user chose.
    case active
    /// Nothing, until its user switches it on.
    case off
    /// Nothing, until its endpoint is confirmed.
    case unproven
    /// Nothing, until it is checked again.
    case disabled
    /// It is gone.
    case removed

    /// Returns the reach of a channel.
    init(_ channel: ChannelRow) {
        switch channel.state {
        case .active, .single: self = channel.isEnabled ? .active : .off
        case .unproven: self = .unproven
        case .disabled: self = .disabled
        }
    }

    /// Returns whether more may be sent through the left one.
    public static func < (left: ChannelReach, right: ChannelReach) -> Bool {
        let all = ChannelReach.allCases
        return (all.firstIndex(of: left) ?? 0) < (all.firstIndex(of: right) ?? 0)
    }
}

extension StoreReader {
    /// Returns the number of lines up to which this copy of the database has every narrowing on the list.
    public func narrowedLines() throws -> Int { try Int.fetchOne(db, sql: "SELECT narrowed FROM erasure_commits") ?? 0 }

    /// Returns whether the database holds nothing that belongs to anybody.
    func isUnused() throws -> Bool {
        let sql = """
            SELECT EXISTS (SELECT 1 FROM users WHERE id <> 'archive') OR EXISTS (SELECT 1 FROM stories)
            OR EXISTS (SELECT 1 FROM sealed_stories)
            """
        return try Bool.fetchOne(db, sql: sql) != true
    }
}

extension StoreTransaction {
    /// Puts on the list that every narrowing is on it from here on.
    public func begin(at now: Timestamp) {
        afterCommit.lines.append(erasureList.beginning(at: now))
    }

    /// Records that this copy of the database has every narrowing among the first `lines` lines of the list.
    public func markNarrowed(upTo lines: Int) throws {
        try db.execute(
            sql: """
                INSERT INTO erasure_commits (id, token, lines, narrowed) VALUES (1, '', ?1, ?1)
                ON CONFLICT (id) DO UPDATE SET lines = max(lines, excluded.lines), narrowed = excluded.narrowed
                """,
            arguments: [lines]
        )
    }
}

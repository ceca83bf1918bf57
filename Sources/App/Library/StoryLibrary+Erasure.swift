import Crypto
import Formats
public import Notifications
public import Storage
public import Stories
import StoryMap

/// What was erased: counts, no names.
public struct ErasureReceipt: Sendable {
    /// The number of the receipt, on the list of erasures too.
    public let id: StoryID
    /// What.
    public let kind: ErasureList.Kind
    /// When it was asked for.
    public let at: Timestamp
    /// How many of what, in the order of the catalogue.
    public let counts: [(name: String, count: Int)]
    /// Whether the file and its log have been overwritten already; if not, the service does so within minutes.
    public let isOverwritten: Bool
}

extension StoryLibrary {
    /// Up to this size of the file, in bytes, an erasure waits until it has been overwritten.
    private static let promptSweepSize = 64 << 20

    /// Erases an account with everything of it, at once for everybody.
    ///
    /// The list of erasures knows of it before the database does. Returns `nil` when there is no such user.
    ///
    /// - Throws: ``StoreError``; nothing is erased then, or all of it when the library is next opened.
    public func eraseAccount(of user: UserID) async throws -> ErasureReceipt? {
        try await erase(.account, of: user) { [self] transaction, now in
            guard try transaction.user(user) != nil else { return nil }
            return try eraseAccount(of: user, at: now, in: transaction)
        }
    }

    /// Deletes everything that was derived from where a user was, and ends their consent to more.
    ///
    /// The ledger goes as well: whoever opts in again can be told again of what they were told before. The file is written
    /// anew unless it cannot hold anything of that: nothing is there, and nothing was agreed to since the last time.
    public func eraseLocationData(of user: UserID) async throws -> ErasureReceipt {
        let receipt = try await erase(.locationData, of: user) { [self] transaction, now in
            try eraseLocationData(of: user, at: now, source: .erasure, in: transaction)
        }
        guard let receipt else { throw Problem.notFound }
        return receipt
    }

    /// Withdraws every consent of a user at once.
    public func withdrawConsents(of user: UserID, source: ConsentRecord.Source) async throws {
        _ = try await changeSettings(of: user, source: source) { settings, _ in
            if settings.enabled { settings.optOut() }
        }
    }

    /// Changes the notification settings of a user and remembers what they agree to.
    public func changeSettings(
        of user: UserID,
        source: ConsentRecord.Source,
        _ change: @escaping @Sendable (inout NotificationSettings, Timestamp) throws -> Void
    ) async throws -> NotificationSettings {
        let (now, id) = (now(), newID())
        let settings = try await store.write { [store, desk] transaction in
            var settings = try transaction.notificationSettings(of: user)
            try change(&settings, now)
            try store.save(settings, of: user, at: now, source: source, erasure: id, in: transaction)
            try transaction.dropKeptFixes(of: user, receivedBefore: settings.keptSince(now))
            // What waits for quiet hours may not have to any more.
            try transaction.wakeDeferred(of: user, at: now)
            transaction.afterCommit { desk.callOff(of: user) }
            return settings
        }
        if !settings.enabled { fenceMemory.forget(user) }
        return settings
    }

    private func erase(
        _ kind: ErasureList.Kind,
        of user: UserID,
        _ work: @escaping @Sendable (StoreTransaction, Timestamp) throws -> [(name: String, count: Int)]?
    ) async throws -> ErasureReceipt? {
        let (now, id) = (now(), newID())
        let counts = try await store.write { [store, desk] transaction -> [(name: String, count: Int)]? in
            guard let counts = try work(transaction, now) else { return nil }
            transaction.afterCommit { desk.callOff(of: user) }
            let isEmpty =
                try kind == .locationData && counts.allSatisfy { $0.count == 0 }
                && !transaction.hasConsented(user, since: store.erasures.locationErasure(of: user))
            try transaction.put(store.erasures.entry(kind, of: .user(user), at: now, id: id), isSwept: isEmpty)
            return counts
        }
        guard let counts else { return nil }
        notedAccesses.removeAll()
        fenceMemory.forget(user)
        let isSwept = store.size <= StoryLibrary.promptSweepSize ? (try? await store.sweep()) ?? false : false
        return ErasureReceipt(id: id, kind: kind, at: now, counts: counts, isOverwritten: isSwept)
    }

    private func newID() -> StoryID {
        var generator = random
        return StoryID(using: &generator)
    }

    private func eraseLocationData(
        of user: UserID,
        at now: Timestamp,
        source: ConsentRecord.Source,
        in transaction: StoreTransaction
    ) throws -> [(name: String, count: Int)] {
        // Counted before the consent ends, which takes the states of the devices with it.
        let counts = try transaction.eraseLocationData(of: user)
        let old = try transaction.notificationSettings(of: user)
        var settings = old
        let places = settings.forgetPlaces()
        if old.enabled { settings.optOut() }
        if settings != old { try store.restore(settings, of: user, at: now, source: source, in: transaction) }
        return counts + [("place_settings", places), ("consents_withdrawn", old.enabled ? 1 : 0)]
    }

    func eraseAccount(
        of user: UserID,
        at time: Timestamp,
        in transaction: StoreTransaction
    ) throws -> [(name: String, count: Int)] {
        let rows = try transaction.personalCounts(of: user)
        try forgetFeeds(tellingOf: user, in: transaction)
        try forgetInvitations(of: user, in: transaction)
        for place in try transaction.namedPlaces(of: user) { try remove(place, in: transaction) }
        try leaveAllFamilies(of: user, in: transaction)
        var count = 0
        while true {
            let ids = try transaction.storyIDs(of: user, after: nil, limit: 500)
            guard !ids.isEmpty else { break }
            try transaction.eraseStories(ids)
            count += ids.count
            try publish(ids.map { .remove($0) }, after: transaction)
        }
        transaction.afterCommit { [textSearch] in textSearch.startAnew() }
        try transaction.erasePersonalRows(of: user)
        try AccessEnd(user: user, keys: store.keys).record(at: time, in: transaction)
        return [("stories", count)] + rows
    }

    /// Takes the stories of `owner` out of what others were told: titles, texts and places of them stand in their feeds.
    private func forgetFeeds(tellingOf owner: UserID, in transaction: StoreTransaction) throws {
        for (user, id) in try transaction.noticesOfOthers(tellingOf: owner) {
            guard let viewer = try transaction.viewer(user), let item = try transaction.notice(id, of: user) else {
                continue
            }
            let stories = try transaction.stories(item.content.map(\.id), withText: false)
                .filter { $0.value.owner != owner }
            let preview = try transaction.notificationSettings(of: user).preview
            let named = try transaction.namedPlaces(of: [item], visibleTo: viewer).filter { $0.value.owner != owner }
            let left = remaining(item, viewer: viewer, stories: stories, named: named, preview: preview)
            try transaction.replaceNotice(id, of: user, by: left)
        }
    }

    /// Takes the name out of what others were told of invitations; that there was one stays, and where it leads.
    ///
    /// The family's name goes as well: it can be that of its people.
    private func forgetInvitations(of user: UserID, in transaction: StoreTransaction) throws {
        for item in try transaction.noticesOfOthers(aboutInvitationsOf: user) {
            let reworded = item.reworded(
                item.subject,
                title: "Invitation",
                body: "An invitation was ended: an account it concerned was deleted."
            )
            try transaction.reword(item.id, of: item.user, as: reworded)
        }
    }
}

extension ErasureReceipt {
    /// The JSON of the receipt, signed: HMAC-SHA256 under the installation's key over the object without `signature`.
    public func json(key: [UInt8]) -> [UInt8] {
        let signed = json(signature: nil)
        let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: key))
        return json(
            signature: code.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
        )
    }

    private func json(signature: String?) -> [UInt8] {
        var json = JSONWriter(capacity: 1_000)
        json.beginObject()
        json.member("receipt_id", id.description)
        json.member("what", kind.rawValue)
        json.member("at", RFC3339.format(at))
        json.key("counts")
        json.beginObject()
        for (name, count) in counts { json.member(name, count) }
        json.endObject()
        json.member("overwritten", isOverwritten)
        json.member("note", note)
        if let signature { json.member("signature", signature) }
        json.endObject()
        return json.bytes
    }

    private var note: String {
        switch kind {
        case .account:
            "Everything of the account is deleted, for everybody, and an older backup put back deletes it again."
        case .locationData:
            "What was derived from where you were is deleted and notifications are off. Turned on again, they can tell "
                + "of stories you were told of before: what was told is not remembered any more."
        case .consent: "You are not told of nearby stories any more."
        case .key, .signIn, .signOut, .storyDeleted, .storyPurged, .retention, .takenBack: ""
        }
    }
}

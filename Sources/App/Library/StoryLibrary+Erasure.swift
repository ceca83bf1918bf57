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
        let settings = try await store.write { transaction in
            var settings = try transaction.notificationSettings(of: user)
            try change(&settings, now)
            try transaction.save(settings, of: user, at: now, source: source, erasure: id)
            try transaction.dropKeptFixes(of: user, receivedBefore: settings.keptSince(now))
            // What waits for quiet hours may not have to any more.
            try transaction.wakeDeferred(of: user, at: now)
            return settings
        }
        if !settings.enabled { fences.memory.forget(user) }
        return settings
    }

    func newID() -> StoryID {
        var generator = random
        return StoryID(using: &generator)
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
        case .key, .signIn, .signOut, .storyDeleted, .storyPurged, .retention, .takenBack, .counted: ""
        }
    }
}

import Stories

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Replaces a key beside a database by a new one, which keeps the old one known for a time.
///
/// Two files change, one after the other, each as a whole: first the old key is noted among the former ones, then the
/// new one takes its place. Whatever a crash leaves in between, every key that anything was made with is known.
public enum KeyRotation: Sendable {
    /// What happens to what was made with the old key.
    public enum Rule: Hashable, Sendable {
        /// It stays valid for a time, by default this number of days.
        case overlap(days: Int)
        /// Nothing that lasts is made with the key, so no old key is kept.
        case atOnce
        /// It would be lost; so the key cannot be rotated, for this reason.
        case never(String)
    }

    /// The days that an overlap may have; 0 ends what was made with the old key at once.
    public static let days = 0...366

    /// Replaces the key for a purpose.
    ///
    /// The caller holds the lock of the database.
    ///
    /// - Parameters:
    ///   - name: the purpose.
    ///   - current: the key to be replaced.
    ///   - path: the path of the database.
    ///   - now: when it is replaced.
    ///   - until: until when what was made with it is accepted; `nil` if the old key is not kept.
    ///   - step: called after each write; tests throw from it to stop there.
    /// - Throws: ``StoreError`` if a file cannot be written; the key is then still the old one.
    static func run(
        _ name: StoreKeys.Name,
        replacing current: [UInt8],
        besideDatabase path: String,
        at now: Timestamp,
        until: Timestamp?,
        step: (Int) throws -> Void
    ) throws {
        let folder = path + ".keys"
        let key = StoreKeys.random()
        if let until {
            let file = FormerKeyFile(name, folder: folder)
            let known = try file.read().filter { $0.key != current }
            guard known.count < FormerKeyFile.most else {
                throw StoreError(
                    .refused,
                    "\(name.rawValue) already has \(known.count) former keys, the maximum. Wait until the time of one of them "
                        + "has ended; 'waymark keys list' says when. Nothing was changed."
                )
            }
            try file.write(known + [FormerKey(key: current, replacedAt: now, until: until)])
            try step(1)
        }
        // Known before it is used, or the next start would take it for a damaged one.
        var checks = try KeyChecks(folder: folder)
        checks.accept(key, as: name)
        try checks.store()
        try step(2)
        try StoreKeys.write(key, to: "\(folder)/\(name.rawValue).key", in: folder)
        try step(3)
    }

    /// Forgets the former keys whose time has ended; returns the purposes of which some were forgotten.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written.
    static func forget(besideDatabase path: String, at now: Timestamp) throws -> [StoreKeys.Name] {
        try StoreKeys.Name.allCases.filter { name in
            guard name.isBeside else { return false }
            let file = FormerKeyFile(name, folder: path + ".keys")
            let known = try file.read()
            let kept = known.filter { now < $0.until }
            guard kept.count < known.count else { return false }
            try file.write(kept)
            return true
        }
    }
}

extension StoreKeys.Name {
    /// What the key protects, without a full stop.
    public var use: String {
        switch self {
        case .storyIDs: "derives the ids of imported stories, so that a repeated import finds them"
        case .ledger: "names in the ledger what was announced to whom"
        case .versions: "versions of the map, and ETags"
        case .cursors: "signs positions in lists and in syncs"
        case .tokens: "signs access tokens, and stands behind codes that are typed"
        case .erasures: "names persons in the list of erasures, and signs receipts"
        case .sealing: "seals deleted stories and the answers of repeated requests"
        case .channels: "seals addresses and secrets of channels, and signs links to unsubscribe"
        case .vapid: "identifies the service to browsers' push services"
        }
    }

    /// Whether the key can be rotated, and what that means for what was made with the old one.
    public var rotation: KeyRotation.Rule {
        switch self {
        case .tokens, .cursors: .overlap(days: 30)
        case .channels: .overlap(days: 60)
        case .sealing: .overlap(days: 2)
        case .vapid: .overlap(days: 90)
        case .versions: .atOnce
        case .storyIDs:
            .never(
                "ids of imported stories are derived from it, so with another key every repeated import would make all its "
                    + "stories again; it lies inside the database"
            )
        case .ledger:
            .never(
                "the ledger knows what was announced only by digests under it, so with another key everything would be "
                    + "announced again; it lies inside the database"
            )
        case .erasures:
            .never(
                "the list of erasures names persons and stories only by digests under it, and nothing else knows them any "
                    + "more, so with another key an older copy of the database could bring back what was erased"
            )
        }
    }

    /// What a rotation means for people, in sentences.
    public var rotationNote: String {
        switch self {
        case .tokens:
            "Access tokens, sign-in codes and invitation codes of before stay valid until then. Sessions of the page, share "
                + "links, refresh tokens, API keys and passkeys do not depend on this key."
        case .cursors:
            "Positions in lists and syncs of before are taken until then; later a client loads everything once more."
        case .channels:
            "The addresses of all channels are sealed with the new key. Links to unsubscribe in e-mails of before work until "
                + "then. The secrets with which webhooks are signed are others: their owners rotate them (POST "
                + "/v1/me/channels/ID/rotate)."
        case .sealing:
            "The deleted stories that are still kept are sealed with the new key. Repeated requests of before get their "
                + "answers until then."
        case .vapid:
            "Browsers that subscribed before are sent to with the old key until then. After that their subscriptions end, "
                + "because push services bind them to it: people must add these browsers again, and are notified of that."
        case .versions: "Clients load the map once more; nothing else depends on it."
        case .storyIDs, .ledger, .erasures: ""
        }
    }
}

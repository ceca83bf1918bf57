import Storage
import Stories

/// What becomes of a channel whose address was sealed under a key that is not beside the database any more.
enum LostSeal: Sendable {
    /// Why such a channel is disabled, in a word.
    static let reason = "secret_lost"

    /// The channel as it has to be, by whether its address can be read; `nil` when nothing changes.
    ///
    /// One that was proven is switched off, one that was not says why it never can be. Both are as they were once the
    /// key is back.
    static func change(_ channel: ChannelRow, isReadable: Bool) -> ChannelRow? {
        var changed = channel
        switch (channel.state, isReadable) {
        case (.active, false):
            changed.state = .disabled
            changed.reason = reason
        case (.unproven, false) where channel.reason != reason:
            changed.reason = reason
        case (.disabled, true) where channel.reason == reason:
            changed.state = .active
            changed.reason = nil
        case (.unproven, true) where channel.reason == reason:
            changed.reason = nil
        default:
            return nil
        }
        return changed
    }
}

extension StoryLibrary {
    /// How many channels are looked at in one transaction.
    private static let sealPage = 200

    /// Switches off the channels whose addresses cannot be read, tells their users, and switches those on again whose
    /// key is back; returns how many cannot be read.
    func checkSeals() async throws -> Int {
        var (last, lost) = ("", 0)
        let now = now()
        while true {
            let page = try await store.read { [last] in
                try $0.channels(after: last, limit: StoryLibrary.sealPage)
            }
            let isReadable = page.map { openTarget(of: $0) != nil }
            lost += isReadable.count { !$0 }
            let changed = zip(page, isReadable).compactMap { LostSeal.change($0, isReadable: $1) }
            if !changed.isEmpty {
                do {
                    try await store.write { [self] in try storeSeals(changed, at: now, in: $0) }
                } catch let error as StoreError where error.code == .diskFull {
                    // They are of no use either way; the next start says so to their users.
                }
            }
            guard page.count == StoryLibrary.sealPage, let next = page.last?.id else { return lost }
            last = next
        }
    }

    private func storeSeals(_ changed: [ChannelRow], at now: Timestamp, in transaction: StoreTransaction) throws {
        // All before anybody is told: what is told goes through the channels that are active then.
        for channel in changed { try transaction.save(channel) }
        for channel in changed where channel.state == .disabled {
            try tellSwitchedOff(channel, reason: LostSeal.reason, at: now, in: transaction)
        }
    }

    /// Whether there still are channels whose addresses cannot be read; costs nothing when there were none at the start.
    func hasLostSeals() async throws -> Bool {
        guard lostSeals > 0 else { return false }
        return try await store.read { try $0.hasChannels(withReason: LostSeal.reason) }
    }
}

extension Refusal {
    /// A channel whose address cannot be read is of no use any more.
    static let sealLost = Refusal(
        .conflict,
        "secret-lost",
        "This service has lost the key to the address of this channel. Remove the channel and add it again."
    )
}

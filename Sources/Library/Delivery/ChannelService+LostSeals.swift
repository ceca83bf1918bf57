import Storage
import Stories
import Synchronization

/// Decides about a channel whose target was sealed under a key that is no longer stored beside the database.
enum LostSeal: Sendable {
    /// The reason stored with such a channel.
    static let reason = "secret_lost"

    /// Returns the changed channel, depending on whether its target can be read; `nil` if nothing changes.
    ///
    /// An active channel is disabled; an unverified one gets the reason why it cannot be verified. Both changes are
    /// undone once the key is back.
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

extension ChannelService {
    /// The number of channels read in one transaction.
    private static let sealPage = 200

    /// Disables the channels whose targets cannot be read, notifies their users, and enables such channels again if
    /// their key is back.
    ///
    /// Called once, at the start; sets ``lostSeals``.
    func checkSeals() async throws {
        var (last, lost) = ("", 0)
        let now = now()
        while true {
            let page = try await store.read { [last] in
                try $0.channels(after: last, limit: ChannelService.sealPage)
            }
            let isReadable = page.map { seal.target(of: $0) != nil }
            lost += isReadable.count { !$0 }
            let changed = zip(page, isReadable).compactMap { LostSeal.change($0, isReadable: $1) }
            if !changed.isEmpty {
                do {
                    try await store.write { [self] in try storeSeals(changed, at: now, in: $0) }
                } catch let error as StoreError where error.code == .diskFull {
                    // Nothing can be sent to them either way; the next start stores the change.
                }
            }
            guard page.count == ChannelService.sealPage, let next = page.last?.id else { break }
            last = next
        }
        lostAtStart.withLock { [lost] in $0 = lost }
    }

    private func storeSeals(_ changed: [ChannelRow], at now: Timestamp, in transaction: StoreTransaction) throws {
        // All are stored before anybody is notified: a notification goes through the channels that are active then.
        for channel in changed { try transaction.save(channel) }
        for channel in changed where channel.state == .disabled {
            try announceSwitchedOff(channel, reason: LostSeal.reason, at: now, in: transaction)
        }
    }

    /// The number of channels whose targets could not be read at the start.
    package var lostSeals: Int { lostAtStart.withLock { $0 } }

    /// Returns whether the targets of some channels still cannot be read.
    ///
    /// Reads nothing if there were none at the start.
    package func hasLostSeals() async throws -> Bool {
        guard lostSeals > 0 else { return false }
        return try await store.read { try $0.hasChannels(withReason: LostSeal.reason) }
    }
}

extension Refusal {
    /// The target of the channel cannot be read.
    static let sealLost = Refusal(
        .conflict,
        "secret-lost",
        "This service has lost the key to the address of this channel. Remove the channel and add it again."
    )
}

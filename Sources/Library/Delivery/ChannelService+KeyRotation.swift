import Notifications
import Storage
import Stories

/// Decides about a browser's channel whose subscription belongs to a key of this service that is no longer used.
enum EndedSubscription: Sendable {
    /// The reason stored with such a channel.
    static let reason = "key_replaced"

    /// Returns whether the subscription of a channel ended with a former key.
    static func isEnded(_ channel: ChannelRow, formers: [FormerKey], at now: Timestamp) -> Bool {
        guard channel.kind == .webPush, channel.state == .active || channel.state == .unproven,
            let key = formers.filter({ channel.createdAt < $0.replacedAt })
                .min(by: { $0.replacedAt < $1.replacedAt })
        else { return false }
        return key.until <= now
    }
}

extension ChannelService {
    /// The number of channels looked at in one transaction.
    private static let rotationPage = 200

    /// What was done in one transaction.
    private struct Page: Sendable {
        /// The last channel that was looked at; `nil` if it was the last of all.
        var last: String?
        var resealed = 0
        var ended = 0
    }

    /// Seals the targets of channels with the present key where they are sealed with a former one, and switches off the
    /// browsers whose subscriptions ended with a former key; returns the numbers of both.
    package func finishKeyRotation() async throws -> (resealed: Int, ended: Int) {
        var (last, resealed, ended) = ("", 0, 0)
        let now = now()
        while true {
            let page = try await store.write { [self, last] transaction -> Page in
                let page = try transaction.channels(after: last, limit: ChannelService.rotationPage, withSingle: true)
                var done = Page()
                if page.count == ChannelService.rotationPage { done.last = page.last?.id }
                for var channel in page {
                    if let target = try seal.renewed(channel, random: random) {
                        channel.target = target
                        try transaction.save(channel)
                        done.resealed += 1
                    }
                    if EndedSubscription.isEnded(channel, formers: store.keys.formers(.vapid), at: now) {
                        try switchOff(&channel, reason: EndedSubscription.reason, at: now, in: transaction)
                        done.ended += 1
                    }
                }
                return done
            }
            resealed += page.resealed
            ended += page.ended
            guard let next = page.last else { break }
            last = next
        }
        return (resealed, ended)
    }
}

package import Notifications
package import Stories
import Storage

/// Delivers the entries of the outbox: claims due ones, attempts them, and stores the outcomes.
package struct DeliveryService: StoreService {
    package let context: StoreContext
    package let feed: FeedService
    package let channels: ChannelService
    package let egress: Egress
    /// The attempts under way, and the pace of each channel.
    package let state: DeliveryState
    /// Writes the messages.
    let composer: MessageComposer
    /// Enqueues digests.
    package let digests: DigestService
    /// Takes back what was withdrawn.
    let withdrawals: WithdrawalService

    /// Creates the service; it shares the attempts under way with `channels`.
    package init(_ context: StoreContext, feed: FeedService, channels: ChannelService, egress: Egress) {
        self.context = context
        self.feed = feed
        self.channels = channels
        self.egress = egress
        state = DeliveryState(register: channels.attempts)
        composer = MessageComposer(context: context, feed: feed, egress: egress)
        digests = DigestService(context: context, feed: feed)
        withdrawals = WithdrawalService(context: context, feed: feed, composer: composer)
    }

    /// Starts sending entries, with links to `address`; entries wait until this is called.
    package func open(_ sender: any ChannelSender, writer: ChannelWriter, address: @escaping @Sendable () -> String) {
        egress.open(sender, writer: writer, address: address)
    }

    /// Lets digests by e-mail show a small map of their stories from now on.
    package func drawMaps(by draw: @escaping Egress.MapDrawer) { egress.drawMaps(by: draw) }

    /// Allows links with these schemes to users' apps; replaces the schemes allowed before.
    package func allowLinks(of schemes: Set<String>) { egress.allowLinks(of: schemes) }

    /// The schemes of app links that the operator allows.
    package var linkSchemes: Set<String> { egress.linkSchemes }

    /// The operator's credentials.
    package var credentials: ChannelCredentials { egress.writer.credentials }

    /// Returns how many more attempts may begin at `now`, by ``DeliveryState/room(at:)``.
    package func room(at now: Timestamp) -> (working: Int, failing: Int, extra: Int) { state.room(at: now) }

    /// Waits until all attempts that were called off have ended.
    package func settled() async { await state.register.settled() }

    /// Removes deliveries that ended or were given up longer ago than ``keptDays``.
    package func forgetDeliveries() async throws {
        let now = context.certainTime
        let ended = now.advanced(byMilliseconds: -DeliveryService.keptDays.ended * 86_400_000)
        let dead = now.advanced(byMilliseconds: -DeliveryService.keptDays.dead * 86_400_000)
        try await store.write { try $0.dropOutbox(endedBefore: ended, dead: dead) }
    }

    /// The number of days for which deliveries are kept after they ended or were given up.
    private static let keptDays: (ended: Int64, dead: Int64) = (14, 90)
}

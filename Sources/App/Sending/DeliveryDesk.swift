public import Notifications
import Storage
package import Stories
import Synchronization

/// What the service sends with: the operator's keys, the door, and what is under way.
///
/// A library has one; without a sender nothing leaves and entries wait.
public final class DeliveryDesk: Sendable {
    /// How many attempts are made at a time.
    public struct Limits: Sendable {
        /// To endpoints that answered last time.
        public var working = 192
        /// To those of them that take longer than ``patience``: they give up their places to others.
        public var slow = 768
        /// How long an attempt keeps its place among those that work, in milliseconds.
        public var patience: Int64 = 2_000
        /// To endpoints that did not.
        public var failing = 64
        /// To channels that have others under way: what good endpoints get beyond the one attempt that each has, so that
        /// a few with thousands waiting that all stall at once cannot take every place.
        public var extra = 128
        /// How long a worker may keep an entry, in milliseconds; longer than any attempt lasts.
        public var lease: Int64 = 60_000

        /// Creates the default limits.
        public init() {}
    }

    let register = AttemptRegister()
    /// How many attempts each channel may have under way.
    let paces = DeliveryPaces()
    /// Wakes the workers.
    let bell = DeliveryBell()
    let limits: Limits
    let retries = RetryPolicy()
    /// What the door is opened with; a structure, because a closure right in a `Mutex` is wrapped anew at every look.
    private struct State: Sendable {
        var sender: (any ChannelSender)?
        var writer = ChannelWriter()
        var address: @Sendable () -> String = { "" }
    }

    private let state = Mutex(State())
    /// At which hosts something arrived.
    let hosts = HostTrust()
    /// The schemes of apps' links that the operator allows, in small letters.
    private let schemes = Mutex<Set<String>>([])
    /// When each user had an end asked for proof within the last hour.
    private let asked = Mutex<[UserID: [Timestamp]]>([:])
    /// The most ends a user can have asked in an hour: nobody's mailbox is flooded with questions.
    static let mostQuestions = 20

    /// Notes that a user has an end asked for proof; whether they may.
    func mayAsk(_ user: UserID, at now: Timestamp) -> Bool {
        asked.withLock { asked in
            let hourAgo = now.advanced(byMilliseconds: -3_600_000)
            if asked.count > 10_000 { asked = asked.filter { $0.value.contains { $0 > hourAgo } } }
            let recent = asked[user, default: []].filter { $0 > hourAgo }
            guard recent.count < DeliveryDesk.mostQuestions else { return false }
            asked[user] = recent + [now]
            return true
        }
    }

    /// Counts of outcomes since the start, for the metrics.
    let counts = Mutex<[String: Int]>([:])

    /// Creates a desk without a door.
    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Opens the door: from now on entries are sent, with links to `address`.
    public func open(_ sender: any ChannelSender, writer: ChannelWriter, address: @escaping @Sendable () -> String) {
        let opened = State(sender: sender, writer: writer, address: address)
        state.withLock { $0 = opened }
    }

    /// Lets users have links of these schemes sent to their apps; in place of those before.
    public func allowLinks(of schemes: Set<String>) { self.schemes.withLock { $0 = schemes } }

    var linkSchemes: Set<String> { schemes.withLock { $0 } }

    var sender: (any ChannelSender)? { state.withLock { $0.sender } }
    var writer: ChannelWriter { state.withLock { $0.writer } }
    /// Where people reach the service, without a slash at the end.
    package var address: String { state.withLock { $0 }.address() }

    /// How many more attempts may be begun: to endpoints that answered last time, to the others, and of all of them to
    /// channels that have some under way.
    ///
    /// An endpoint that accepts and says nothing holds nobody else up for longer than ``Limits/patience``.
    package func room(at now: Timestamp) -> (working: Int, failing: Int, extra: Int) {
        let counts = register.counts(slowBefore: now.advanced(byMilliseconds: -limits.patience))
        let working = limits.working - counts.quick - max(0, counts.slow - limits.slow)
        return (
            max(0, working), max(0, limits.failing - counts.failing), min(working, max(0, limits.extra - counts.extra))
        )
    }

    /// Calls off the attempts that a commit outdated, which are decided anew, and wakes deliveries that became due.
    func follow(_ change: StoreChange) {
        if change.hasDeliveries { bell.ring() }
        guard register.isBusy else { return }
        let (stories, outdated) = (Set(change.stories.map(\.id)), change.outdatedAttempts)
        register.callOff { attempt in
            change.isEverything || outdated.users.contains(attempt.user) || outdated.channels.contains(attempt.channel)
                || !attempt.stories.isDisjoint(with: stories)
                || !attempt.stories.isDisjoint(with: outdated.stories[attempt.user] ?? [])
        }
    }

    /// Waits until all that was called off has ended.
    func settled() async {
        if register.isBusy { await register.settled() }
    }

    /// The numbers of the outbox, as Prometheus reads them.
    func metrics(entries: [OutboxEntry.State: Int]) -> String {
        var lines = [
            "# HELP waymark_outbox_entries Entries of the outbox by state.", "# TYPE waymark_outbox_entries gauge",
        ]
        for state in OutboxEntry.State.allCases {
            lines.append("waymark_outbox_entries{state=\"\(state.rawValue)\"} \(entries[state] ?? 0)")
        }
        lines.append("# HELP waymark_delivery_attempts_total Attempts by channel and outcome since the start.")
        lines.append("# TYPE waymark_delivery_attempts_total counter")
        for (name, count) in counts.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            let words = name.split(separator: " ")
            lines.append("waymark_delivery_attempts_total{channel=\"\(words[0])\",outcome=\"\(words[1])\"} \(count)")
        }
        lines.append("# HELP waymark_delivery_under_way Attempts under way.")
        lines.append("# TYPE waymark_delivery_under_way gauge")
        lines.append("waymark_delivery_under_way \(register.count)")
        return lines.joined(separator: "\n") + "\n"
    }

    func count(_ outcome: String, of kind: ChannelKind) {
        counts.withLock { $0["\(kind.rawValue) \(outcome)", default: 0] += 1 }
    }
}

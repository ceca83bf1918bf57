public import Notifications
import Stories
import Synchronization

/// What the service sends with: the operator's keys, the door, and what is under way.
///
/// A library has one; without a sender nothing leaves and entries wait.
public final class DeliveryDesk: Sendable {
    /// How many attempts are made at a time.
    public struct Limits: Sendable {
        /// To endpoints that answered last time.
        public var working = 192
        /// To endpoints that did not.
        public var failing = 64
        /// How long a worker may keep an entry, in milliseconds; longer than any attempt lasts.
        public var lease: Int64 = 60_000

        /// Creates the default limits.
        public init() {}
    }

    let register = AttemptRegister()
    let limits: Limits
    let retries = RetryPolicy()
    private let state: Mutex<(sender: (any ChannelSender)?, writer: ChannelWriter, address: @Sendable () -> String)>
    /// Counts of outcomes since the start, for the metrics.
    let counts = Mutex<[String: Int]>([:])

    /// Creates a desk without a door.
    public init(limits: Limits = Limits()) {
        self.limits = limits
        state = Mutex((nil, ChannelWriter(), { "" }))
    }

    /// Opens the door: from now on entries are sent, with links to `address`.
    public func open(_ sender: any ChannelSender, writer: ChannelWriter, address: @escaping @Sendable () -> String) {
        state.withLock { $0 = (sender, writer, address) }
    }

    var sender: (any ChannelSender)? { state.withLock { $0.sender } }
    var writer: ChannelWriter { state.withLock { $0.writer } }
    /// Where people reach the service, without a slash at the end.
    var address: String { state.withLock { $0.address }() }

    /// Calls off what tells of stories that changed; it is decided anew.
    func callOff(tellingOf stories: [StoryID]) {
        guard register.isBusy else { return }
        let stories = Set(stories)
        register.callOff { !$0.stories.isDisjoint(with: stories) }
    }

    /// Calls off what is being sent to a user who changed what they want; it is decided anew.
    func callOff(of user: UserID) {
        guard register.isBusy else { return }
        register.callOff { $0.user == user }
    }

    /// Waits until all that was called off has ended.
    func settled() async {
        if register.isBusy { await register.settled() }
    }

    func count(_ outcome: String, of kind: ChannelKind) {
        counts.withLock { $0["\(kind.rawValue) \(outcome)", default: 0] += 1 }
    }
}

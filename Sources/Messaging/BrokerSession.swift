import Dispatch
import Foundation
import Synchronization

/// A lasting connection to the operator's broker (MQTT 3.1.1), on a thread of its own.
///
/// The session at the broker outlives the connection, because the id of the client stays the same: messages of quality 1
/// that come while the service is away wait there. A message is acknowledged when it was settled as taken, and not before;
/// one that is handed back comes again on the next connection. So a message can come twice, and none is lost.
package final class BrokerSession: Sendable {
    /// The messages, one at a time: the next one comes when this one is settled.
    package let messages: AsyncStream<BrokerMessage>
    /// The present state, whenever it changes.
    package let states: AsyncStream<BrokerState>

    private let options: BrokerOptions
    private let role: BrokerRole
    private let pace: BrokerPace
    private let post = BrokerPost()
    private let outbox = BrokerOutbox()
    private let arriving: AsyncStream<BrokerMessage>.Continuation
    private let changing: AsyncStream<BrokerState>.Continuation

    /// Creates a session; nothing is connected before ``start()``.
    ///
    /// - Parameters:
    ///   - options: the broker.
    ///   - role: what it is for.
    ///   - pace: how long is waited for what.
    package init(_ options: BrokerOptions, role: BrokerRole, pace: BrokerPace = BrokerPace()) {
        (self.options, self.role, self.pace) = (options, role, pace)
        (messages, arriving) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        (states, changing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Connects, and connects again whenever the connection ends, until ``stop()``.
    package func start() {
        guard post.begin() else { return }
        let (options, role, pace, post, outbox) = (options, role, pace, post, outbox)
        let (arriving, changing) = (arriving, changing)
        let thread = Thread {
            let loop = BrokerLoop(options, role: role, pace: pace, post: post, outbox: outbox)
            loop.run(messages: arriving, states: changing)
        }
        thread.name = "waymark-mqtt"
        thread.start()
    }

    /// Publishes a message of quality 1, and returns when the broker has confirmed it.
    ///
    /// - Throws: ``PublishingFailure``; `CancellationError` if the task was cancelled, after which the message may still
    ///   arrive.
    package func publish(_ payload: [UInt8], in topic: String, isRetained: Bool = false) async throws {
        let ticket = PublishTicket(topic: topic, payload: payload, isRetained: isRetained)
        outbox.submit(ticket)
        try await ticket.wait()
    }

    /// Ends the connection; what is not settled comes again.
    ///
    /// Returns when the thread has ended, or after three seconds.
    package func stop() async {
        post.stop()
        let post = post
        // A task of its own, because the caller's may be cancelled already.
        await Task.detached {
            for _ in 0..<60 where !post.hasEnded { try? await Task.sleep(for: .milliseconds(50)) }
        }
        .value
    }
}

/// What a session is for, and as whom the broker knows it.
package struct BrokerRole: Hashable, Sendable {
    /// The id of the client, at most 23 letters, digits and hyphens.
    let clientID: String
    /// What is subscribed to.
    let filters: [String]
    /// Whether the broker keeps messages while there is no connection.
    let isLasting: Bool

    /// Reads topics, and misses nothing in them.
    package static func reading(_ filters: [String], as clientID: String) -> BrokerRole {
        BrokerRole(clientID: clientID, filters: filters, isLasting: true)
    }

    /// Publishes, and repeats nothing on the next connection by itself: what was withdrawn meanwhile must not come.
    package static func publishing(reading filters: [String] = [], as clientID: String) -> BrokerRole {
        BrokerRole(clientID: clientID, filters: filters, isLasting: false)
    }
}

/// How long is waited for what.
package struct BrokerPace: Sendable {
    /// The time for a connection to be ready.
    package var connecting = Duration.seconds(20)
    /// The time for a message to be settled; it is handed back afterwards.
    package var settling = Duration.seconds(10)
    /// The time before the second attempt to connect; it doubles with each attempt.
    package var firstPause = Duration.seconds(1)
    /// The longest time between two attempts.
    package var longestPause = Duration.seconds(60)

    /// Creates the usual times.
    package init() {}

    /// Returns the time to wait after so many attempts in a row that came to nothing.
    func pause(after failures: Int) -> Duration {
        min(longestPause, firstPause * (1 << min(max(failures - 1, 0), 16)))
    }
}

/// What the owner of a session tells its thread, and the reverse.
final class BrokerPost: Sendable {
    private enum Phase: Sendable {
        case new
        case running
        case stopping
        case ended
    }

    private let phase = Mutex(Phase.new)
    private let alarm = DispatchSemaphore(value: 0)

    /// Begins; returns whether it had not begun before.
    func begin() -> Bool {
        phase.withLock { phase in
            guard phase == .new else { return false }
            phase = .running
            return true
        }
    }

    /// Asks the thread to end.
    func stop() {
        phase.withLock { phase in
            switch phase {
            case .new: phase = .ended
            case .running: phase = .stopping
            case .stopping, .ended: break
            }
        }
        alarm.signal()
    }

    /// Notes that the thread has ended.
    func end() { phase.withLock { $0 = .ended } }

    /// Whether the thread is to go on.
    var isRunning: Bool { phase.withLock { $0 == .running } }

    /// Whether there is no thread.
    var hasEnded: Bool { phase.withLock { $0 == .ended } }

    /// Waits on the thread, no longer than until ``stop()``.
    func pause(_ time: Duration) {
        guard isRunning else { return }
        _ = alarm.wait(timeout: .now() + .milliseconds(Int(time / .milliseconds(1))))
    }
}

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
    private let clientID: String
    private let filters: [String]
    private let pace: BrokerPace
    private let post = BrokerPost()
    private let arriving: AsyncStream<BrokerMessage>.Continuation
    private let changing: AsyncStream<BrokerState>.Continuation

    /// Creates a session that reads topics; nothing is connected before ``start()``.
    ///
    /// - Parameters:
    ///   - options: the broker.
    ///   - clientID: the id by which the broker knows this service, at most 23 letters, digits and hyphens.
    ///   - filters: what to subscribe to.
    ///   - pace: how long is waited for what.
    package init(_ options: BrokerOptions, clientID: String, filters: [String], pace: BrokerPace = BrokerPace()) {
        (self.options, self.clientID, self.filters, self.pace) = (options, clientID, filters, pace)
        (messages, arriving) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        (states, changing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Connects, and connects again whenever the connection ends, until ``stop()``.
    package func start() {
        guard post.begin() else { return }
        let (options, clientID, filters, pace) = (options, clientID, filters, pace)
        let (post, arriving, changing) = (post, arriving, changing)
        let thread = Thread {
            let loop = BrokerLoop(options, clientID: clientID, filters: filters, pace: pace, post: post)
            loop.run(messages: arriving, states: changing)
        }
        thread.name = "waymark-mqtt"
        thread.start()
    }

    /// Ends the connection; what is not settled comes again. Returns when the thread has ended, or after three seconds.
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

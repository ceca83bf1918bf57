public import Foundation

/// What a stream of notifications says.
public struct LiveEvent: Hashable, Sendable {
    /// What happened.
    public enum Content: Hashable, Sendable {
        /// A notification, new or changed: one with a known id replaces it.
        case notification(LiveNotification)
        /// How many notifications are not read and not seen.
        case badge(unread: Int, unseen: Int)
        /// Events are missing, because the stream was away for too long: read the feed again.
        case gap
        /// Anything else: `read` and `settings`, and what later versions of the service say, as JSON.
        case other(name: String, json: String)
    }

    /// The id; give it to ``Waymark/notifications(after:)`` to continue after this event.
    public let id: String?
    /// What happened.
    public let content: Content
}

/// A notification of the caller.
public struct LiveNotification: Hashable, Sendable, Decodable {
    /// The id, the same in the feed and on all channels.
    public let id: String
    /// The type, such as `story.nearby`.
    public let type: String
    /// The headline.
    public let title: String
    /// The text.
    public let body: String
    /// When it was made.
    public let createdAt: Date
    /// Whether it is read.
    public let read: Bool
    /// Where it leads, from the address of the service on.
    public let url: String
}

extension Waymark {
    /// The longest time between two attempts to connect.
    private static let longestWait = Duration.seconds(60)

    /// Follows the caller's notifications, each once, and connects again whenever the connection or the service was
    /// away.
    ///
    /// It waits as long as the service says, and after failures twice as long each time, up to a minute. It ends with
    /// an error if trying again cannot help, such as a token that is no longer valid, and when its reader stops.
    ///
    /// - Parameter last: the id of the last event that the caller has; `nil` begins with what is new.
    /// - Returns: the events, in order.
    public func notifications(after last: String? = nil) -> AsyncThrowingStream<LiveEvent, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    try await follow(after: last) { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error is CancellationError ? nil : error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func follow(after last: String?, _ pass: (LiveEvent) -> Void) async throws {
        var (last, usual, failures) = (last, Duration.seconds(3), 0)
        while true {
            var asked = 0
            do {
                let headers = ["Accept": "text/event-stream"].merging(last.map { ["Last-Event-ID": $0] } ?? [:]) { $1 }
                let answer = try await open("GET", "v1/notifications/stream", headers: headers)
                var parser = EventParser()
                for try await piece in answer.body {
                    failures = 0
                    for event in try parser.read(piece) { pass(try LiveEvent(event)) }
                    last = parser.lastID ?? last
                    if let retry = parser.retry { usual = .milliseconds(min(retry, 3_600_000)) }
                }
            } catch {
                let failure = Waymark.failure(error)
                guard let known = failure as? WaymarkFailure, known.isTemporary else { throw failure }
                failures += 1
                asked = known.retryAfter ?? 0
            }
            try Task.checkCancellation()
            var wait = usual
            if failures > 0 {
                let doubled = usual * (1 << min(failures - 1, 10))
                wait = max(min(doubled, max(usual, Waymark.longestWait)) * jitter(), .seconds(min(asked, 3_600)))
            }
            try await clock.sleep(for: wait)
        }
    }
}

extension LiveEvent {
    private struct Badge: Decodable {
        let unread: Int
        let unseen: Int
    }

    /// Reads an event of the stream.
    init(_ event: EventParser.Event) throws {
        id = event.id
        let data = Data(event.data.utf8)
        do {
            switch event.name {
            case "notification":
                content = .notification(try WaymarkJSON.decode(LiveNotification.self, from: data))
            case "badge":
                let badge = try WaymarkJSON.decode(Badge.self, from: data)
                content = .badge(unread: badge.unread, unseen: badge.unseen)
            case "gap": content = .gap
            default: content = .other(name: event.name, json: event.data)
            }
        } catch {
            throw WaymarkFailure(
                .unreadable,
                detail: "An event \(event.name) is not what this client expects: \(error)"
            )
        }
    }
}

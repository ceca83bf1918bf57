import App
import Library
import Formats
import Notifications
import Synchronization

/// Records what is sent in tests, and answers as the test says.
final class RecordingSender: ChannelSender {
    /// What it does with a message.
    typealias Behaviour = @Sendable (OutgoingMessage) async throws -> ChannelAnswer

    private let state: Mutex<(sent: [OutgoingMessage], behaviour: Behaviour)>

    /// A webhook's end that answers its challenge and takes everything else.
    init() {
        state = Mutex(([], { ChannelAnswer(status: 200, body: RecordingSender.echo(of: $0)) }))
    }

    /// Answers every message from now on like this.
    func behave(_ behaviour: @escaping Behaviour) { state.withLock { $0.behaviour = behaviour } }

    /// Answers every message from now on with a status; challenges too.
    func answer(_ status: Int, retryAfter: String? = nil) {
        behave { message in
            ChannelAnswer(status: status, retryAfter: retryAfter, body: RecordingSender.echo(of: message))
        }
    }

    func send(_ message: OutgoingMessage) async throws -> ChannelAnswer {
        let behaviour = state.withLock { state in
            state.sent.append(message)
            return state.behaviour
        }
        return try await behaviour(message)
    }

    /// Everything that left, in order.
    var sent: [OutgoingMessage] { state.withLock { $0.sent } }

    /// The webhook messages of a type: the ids and the data.
    func webhooks(_ type: String) -> [(id: String, data: JSONValue)] {
        sent.compactMap { message in
            guard case .http(let http) = message, let json = try? JSONValue(parsing: http.body),
                json["type"]?.string == type
            else { return nil }
            return (http[header: "webhook-id"] ?? "", json["data"] ?? .null)
        }
    }

    func forget() { state.withLock { $0.sent = [] } }

    /// What a webhook's end sends back: the challenge, if there is one.
    private static func echo(of message: OutgoingMessage) -> [UInt8] {
        guard case .http(let http) = message, let json = try? JSONValue(parsing: http.body) else { return [] }
        return Array((json["data"]?["challenge"]?.string ?? "").utf8)
    }
}

/// Something that happens once and can be waited for.
final class Signal: Sendable {
    private let state = Mutex<(isGiven: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    var isGiven: Bool { state.withLock { $0.isGiven } }

    func give() {
        let waiting = state.withLock { state in
            state.isGiven = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isGiven = state.withLock { state in
                if !state.isGiven { state.waiting.append(continuation) }
                return state.isGiven
            }
            if isGiven { continuation.resume() }
        }
    }
}

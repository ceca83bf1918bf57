import Formats
import Geometry
import Library
import Notifications
import Synchronization

/// The end of a webhook: takes, rejects, or takes without saying so, and remembers.
final class Receiver: ChannelSender {
    fileprivate struct State {
        var generator: SplitMix64
        var isGood = false
        /// How often each message was taken, and how often that could not be known by the sender.
        var taken: [String: Int] = [:]
        var excused: [String: Int] = [:]
        /// What each message announced.
        var contents: [String: Set<String>] = [:]
        var latest: [String] = []
    }

    private let state: Mutex<State>

    init(_ generator: SplitMix64) { state = Mutex(State(generator: generator)) }

    /// Takes everything from now on.
    func recover() { state.withLock { $0.isGood = true } }

    /// Excuses a repetition of what was taken since the last call: the sender ended before it could note it.
    func settle(isKnown: Bool) {
        state.withLock { state in
            if !isKnown { for id in state.latest { state.excused[id, default: 0] += 1 } }
            state.latest = []
        }
    }

    func send(_ message: OutgoingMessage) async throws -> ChannelAnswer {
        guard case .http(let http) = message, let json = try? JSONValue(parsing: http.body),
            let id = http[header: "webhook-id"]
        else { return ChannelAnswer(status: 400) }
        if let challenge = json["data"]?["challenge"]?.string {
            return ChannelAnswer(status: 200, body: Array(challenge.utf8))
        }
        let stories = Set((json["data"]?["content_ids"]?.array ?? []).compactMap(\.string))
        return try state.withLock { try $0.take(id, stories) }
    }

    /// The problems with the messages received: stories announced by more than one message, and needless repetitions.
    func problems() -> [String] {
        state.withLock { state in
            var messages: [String: Set<String>] = [:]
            for (id, stories) in state.contents where state.taken[id] != nil {
                for story in stories { messages[story, default: []].insert(id) }
            }
            let doubled = messages.filter { $0.value.count > 1 }.keys.sorted()
                .map { "doubled: two messages about \($0)" }
            let repeated = state.taken.filter { $0.value > 1 + state.excused[$0.key, default: 0] }.keys.sorted()
            return doubled + repeated.map { "doubled: the message \($0) was sent again without need" }
        }
    }

    /// The stories that arrived.
    var stories: Set<String> {
        state.withLock { state in
            state.contents.filter { state.taken[$0.key] != nil }.values.reduce(into: []) { $0.formUnion($1) }
        }
    }
}

extension Receiver.State {
    fileprivate mutating func take(_ id: String, _ stories: Set<String>) throws -> ChannelAnswer {
        contents[id, default: []].formUnion(stories)
        let chance = isGood ? 0 : Int.random(in: 0..<10, using: &generator)
        switch chance {
        case 7: return ChannelAnswer(status: 500)
        case 8: throw SendingError(.unreachable, "the connection failed")
        default:
            taken[id, default: 0] += 1
            latest.append(id)
            guard chance == 9 else { return ChannelAnswer(status: 204) }
            // Taken, and the answer was lost: the sender cannot know.
            excused[id, default: 0] += 1
            throw SendingError(.timedOut, "there was no answer in time")
        }
    }
}

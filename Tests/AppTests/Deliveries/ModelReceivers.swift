import App
import Library
import Formats
import Notifications
import Synchronization
import Geometry

/// The ends of all webhooks of a world: they behave badly, and remember what they have taken.
final class ModelReceivers: ChannelSender {
    /// What came to one end.
    struct End: Sendable {
        /// How often each message was taken.
        var taken: [String: Int] = [:]
        /// What each message that came told of.
        var contents: [String: Set<String>] = [:]
        /// The messages about places.
        var nearby: Set<String> = []
        fileprivate var failures: [String: Int] = [:]
        fileprivate var generator: SplitMix64
    }

    /// What must not go out any more.
    struct Ban: Hashable, Sendable {
        let person: String
        /// All that is about places, without one.
        let story: String?
    }

    private struct State: Sendable {
        var ends: [String: End] = [:]
        var isGood = false
        var bans: Set<Ban> = []
        var breaches: [String] = []
        var attempts = 0
    }

    private enum Behaviour: Sendable {
        case answer(ChannelAnswer)
        case fail(SendingError)
        case stall
    }

    private let state = Mutex(State())
    private let gate = ModelGate()
    private let seed: UInt64

    init(seed: UInt64) { self.seed = seed }

    func end(_ name: String) -> End? { state.withLock { $0.ends[name] } }
    /// How many attempts there were.
    var attempts: Int { state.withLock(\.attempts) }
    /// What went out although it must not.
    var breaches: [String] { state.withLock(\.breaches) }

    /// Says what must not begin to go out from here on.
    func ban(_ bans: Set<Ban>) { state.withLock { $0.bans = bans } }

    /// Lets all that stalls time out.
    func release() { gate.open() }

    /// Lets all that stalls time out at once until ``stallAgain()``.
    func stallNoMore() { gate.open(stays: true) }

    func stallAgain() { gate.shut() }

    /// Behaves well from here on.
    func recover() {
        state.withLock { $0.isGood = true }
        gate.open(stays: true)
    }

    func send(_ message: OutgoingMessage) async throws -> ChannelAnswer {
        guard case .http(let http) = message, let json = try? JSONValue(parsing: http.body),
            let name = http.url.split(separator: "/").last.map(String.init), let id = http[header: "webhook-id"]
        else { return ChannelAnswer(status: 400) }
        if let challenge = json["data"]?["challenge"]?.string {
            return ChannelAnswer(status: 200, body: Array(challenge.utf8))
        }
        let behaviour = state.withLock { take(id, json, at: name, &$0) }
        await Task.yield()
        switch behaviour {
        case .answer(let answer): return answer
        case .fail(let error): throw error
        case .stall:
            try await gate.wait()
            throw SendingError(.timedOut, "there was no answer in time")
        }
    }

    private func take(_ id: String, _ json: JSONValue, at name: String, _ state: inout State) -> Behaviour {
        state.attempts += 1
        let person = name.split(separator: "-").first.map(String.init) ?? ""
        let fresh = End(generator: SplitMix64(seed: seed &* 31 &+ UInt64(name.utf8.reduce(0) { $0 * 7 + Int($1) })))
        var end = state.ends[name] ?? fresh
        defer { state.ends[name] = end }
        let content = Set((json["data"]?["content_ids"]?.array ?? []).compactMap(\.string))
        end.contents[id, default: []].formUnion(content)
        if json["type"]?.string == "story.nearby" {
            end.nearby.insert(id)
            for ban in [Ban(person: person, story: nil)] + content.sorted().map({ Ban(person: person, story: $0) })
            where state.bans.contains(ban) {
                state.breaches.append("\(name) is told of \(ban.story ?? "a place") after it was withdrawn")
            }
        }
        // Nothing fails for so long that it is given up.
        var chance = Int.random(in: 0..<12, using: &end.generator)
        if state.isGood || end.failures[id, default: 0] >= 3 { chance = 0 }
        if chance >= 5 { end.failures[id, default: 0] += 1 }
        switch chance {
        case 0..<5:
            end.taken[id, default: 0] += 1
            return .answer(ChannelAnswer(status: [200, 202, 204][chance % 3]))
        case 5: return .answer(ChannelAnswer(status: 500))
        case 6: return .answer(ChannelAnswer(status: 301))
        case 7: return .answer(ChannelAnswer(status: 503, retryAfter: "30"))
        case 8:
            // Taken, and the answer came too late or was lost: the sender cannot know.
            end.taken[id, default: 0] += 1
            return .fail(SendingError(.timedOut, "there was no answer in time"))
        case 9: return .fail(SendingError(.unreachable, "the connection to the address failed"))
        case 10: return .stall
        default:
            end.taken[id, default: 0] += 1
            return .stall
        }
    }
}

/// Where messages stall: whoever waits goes on when it opens, or when they are called off.
final class ModelGate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var next = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Lets all through that waits; with `stays` also what comes until it is shut.
    func open(stays: Bool = false) {
        let waiting = state.withLock { state in
            state.isOpen = stays
            defer { state.waiting = [:] }
            return state.waiting.values.map { $0 }
        }
        for continuation in waiting { continuation.resume() }
    }

    func shut() { state.withLock { $0.isOpen = false } }

    func wait() async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    let mustWait = !Task.isCancelled && !state.isOpen
                    if mustWait { state.waiting[number] = continuation }
                    return mustWait
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
        try Task.checkCancellation()
    }
}

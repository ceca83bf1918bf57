import Web
import Library
import App
import Formats
import Stories
import Synchronization

/// What a client of server-sent events has understood so far; what comes to it waits while its gate is shut.
final class EventLog: Sendable {
    /// One event, as the standard has clients understand it.
    struct Event: Hashable, Sendable {
        let id: String
        let name: String
        let data: String

        var json: JSONValue { (try? JSONValue(parsing: Array(data.utf8))) ?? .null }
    }

    /// The connection is gone.
    struct Lost: Error {}

    private struct State: Sendable {
        var bytes: [UInt8] = []
        var rest: [UInt8] = []
        var events: [Event] = []
        var lastID: String?
        var beats = 0
        var isShut = false
        var isLost = false
        /// How many bytes more come through before the connection is lost.
        var allowance = Int.max
        var senders: [CheckedContinuation<Void, Never>] = []
        var readers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Everything that came, byte for byte.
    var bytes: [UInt8] { state.withLock(\.bytes) }
    /// The events that came whole.
    var events: [Event] { state.withLock(\.events) }
    /// Where to go on.
    var lastID: String? { state.withLock(\.lastID) }
    /// How many signs of life came.
    var beats: Int { state.withLock(\.beats) }
    /// How many pieces wait before the gate.
    var waiting: Int { state.withLock(\.senders.count) }

    /// The ids of the notifications that came, in order.
    var told: [String] { events.filter { $0.name == "notification" }.compactMap { $0.json["id"]?.string } }

    /// Lets nothing through from here on.
    func shut() { state.withLock { $0.isShut = true } }

    /// Lets everything through again.
    func open() {
        wake { state in
            state.isShut = false
            defer { state.senders = [] }
            return state.senders
        }
    }

    /// Breaks the connection: whoever sends learns of it.
    func lose() {
        wake { state in
            state.isLost = true
            defer { (state.senders, state.readers) = ([], []) }
            return state.senders + state.readers
        }
    }

    /// Begins a new connection, which is lost after so many bytes; what was not whole is forgotten.
    func reconnect(losingAfter bytes: Int = .max) {
        state.withLock { state in
            (state.rest, state.isLost, state.isShut, state.allowance) = ([], false, false, bytes)
        }
    }

    /// Takes what was sent.
    func accept(_ bytes: [UInt8]) async throws {
        while true {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    let mustWait = state.isShut && !state.isLost
                    if mustWait { state.senders.append(continuation) }
                    return mustWait
                }
                if mustWait { wake { state in EventLog.take(&state.readers) } } else { continuation.resume() }
            }
            let isDone = try state.withLock { state in
                guard !state.isLost else { throw Lost() }
                return !state.isShut
            }
            if isDone { break }
        }
        let isLost = state.withLock { state in
            let part = bytes.prefix(state.allowance)
            state.bytes += part
            state.allowance -= part.count
            state.rest += part
            EventLog.parse(&state)
            state.isLost = part.count < bytes.count
            return state.isLost
        }
        wake { state in EventLog.take(&state.readers) }
        if isLost { throw Lost() }
    }

    /// Waits until something holds of what came.
    func wait(until condition: @escaping @Sendable (EventLog) -> Bool) async {
        while true {
            // Before it is looked at, so that nothing falls in between.
            let seen = state.withLock { ($0.bytes.count, $0.senders.count, $0.isLost) }
            if condition(self) { return }
            await withCheckedContinuation { continuation in
                let hasMore = state.withLock { state in
                    let hasMore = seen != (state.bytes.count, state.senders.count, state.isLost)
                    if !hasMore { state.readers.append(continuation) }
                    return hasMore
                }
                if hasMore { continuation.resume() }
            }
        }
    }

    private static func take(_ list: inout [CheckedContinuation<Void, Never>]) -> [CheckedContinuation<Void, Never>] {
        defer { list = [] }
        return list
    }

    private func wake(_ body: (inout sending State) -> [CheckedContinuation<Void, Never>]) {
        for waiter in state.withLock({ body(&$0) }) { waiter.resume() }
    }

    /// Understands the lines that are whole: an event counts when the empty line after it has come.
    private static func parse(_ state: inout State) {
        while let end = state.rest.firstRange(of: [10, 10]) {
            let block = String(decoding: state.rest[..<end.lowerBound], as: UTF8.self)
            state.rest.removeSubrange(..<end.upperBound)
            var fields: [String: String] = [:]
            for line in block.split(separator: "\n", omittingEmptySubsequences: false) {
                if line.hasPrefix(":") {
                    state.beats += 1
                    continue
                }
                let sides = line.split(separator: ":", maxSplits: 1)
                guard sides.count == 2 else { continue }
                fields[String(sides[0])] = String(sides[1].drop { $0 == " " })
            }
            if let id = fields["id"] { state.lastID = id }
            guard let data = fields["data"] else { continue }
            state.events.append(
                Event(id: fields["id"] ?? "", name: fields["event"] ?? "message", data: data)
            )
        }
    }
}

/// The end of a connection at which an ``EventLog`` listens.
struct EventSink: PieceSink, Sendable {
    let log: EventLog

    @concurrent mutating func send(_ bytes: [UInt8]) async throws { try await log.accept(bytes) }
}

/// A live stream under test, without a network.
struct LiveRun: Sendable {
    let seat: LiveHub.Seat
    private let task: Task<Void, any Error>

    /// Begins a stream of a user's feed.
    static func feed(
        of user: UserID,
        in library: StoryLibrary,
        to log: EventLog,
        isGood: @escaping @Sendable () async -> Bool = { true }
    ) throws -> LiveRun {
        let seat = try library.live.open(.feed, for: LiveOwner(user))
        seat.client.onCut { log.lose() }
        let stream = FeedStream(
            library: library,
            user: user,
            client: seat.client,
            resume: FeedStream.position(ofID: log.lastID),
            isGood: isGood
        )
        return LiveRun(seat: seat) {
            try await stream.run(to: &$0)
        } log: {
            log
        }
    }

    init(
        seat: LiveHub.Seat,
        _ body: @escaping @concurrent @Sendable (_ sink: inout any PieceSink) async throws -> Void,
        log: @escaping @Sendable () -> EventLog
    ) {
        self.seat = seat
        task = Task {
            var sink: any PieceSink = EventSink(log: log())
            try await body(&sink)
        }
    }

    /// Waits for its end; `false` when the connection was lost.
    func end() async -> Bool {
        do {
            try await task.value
            return true
        } catch {
            return false
        }
    }

    /// Ends it and waits.
    @discardableResult
    func finish() async -> Bool {
        seat.client.signal(.end)
        return await end()
    }

    /// Waits until everything that was signalled has been done.
    func settle(_ log: EventLog) async {
        for _ in 0..<2 {
            let beats = log.beats
            seat.client.signal(.beat)
            await log.wait { $0.beats > beats }
        }
    }
}

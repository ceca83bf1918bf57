import Foundation
import Synchronization
import WaymarkClient

/// A service that answers as a script says, and keeps what it was asked.
final class ScriptedService: WaymarkTransport {
    /// One answer.
    struct Answer: Sendable {
        var status = 200
        var headers: [String: String] = [:]
        var pieces: [Data] = []
        /// How the body ends; `nil` for its regular end.
        var error: URLError?
        /// Whether the body does not end by itself.
        var isOpen = false

        init(_ status: Int = 200, _ text: String = "", headers: [String: String] = [:]) {
            (self.status, self.headers, pieces) = (status, headers, text.isEmpty ? [] : [Data(text.utf8)])
        }
    }

    private let state: Mutex<(answers: [Answer], asked: [WaymarkRequest])>
    /// One element for each open body that its reader gave up.
    let ends: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    init(_ answers: [Answer]) {
        state = Mutex((answers, []))
        (ends, end) = AsyncStream.makeStream()
    }

    var asked: [WaymarkRequest] { state.withLock { $0.asked } }

    func send(_ request: WaymarkRequest) async throws -> WaymarkAnswer {
        let answer = state.withLock { state -> Answer? in
            state.asked.append(request)
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        guard let answer else { throw URLError(.cannotConnectToHost) }
        let (body, pieces) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
        for piece in answer.pieces { pieces.yield(piece) }
        if answer.isOpen {
            pieces.onTermination = { [end] _ in end.yield() }
        } else {
            pieces.finish(throwing: answer.error)
        }
        return WaymarkAnswer(status: answer.status, headers: answer.headers, body: body)
    }
}

/// A clock on which nobody waits: it notes for how long somebody would have.
final class HastyClock: Clock {
    struct Instant: InstantProtocol {
        var time = Duration.zero
        func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
        func duration(to other: Instant) -> Duration { other.time - time }
        static func < (one: Instant, other: Instant) -> Bool { one.time < other.time }
    }

    private let state = Mutex<(now: Instant, waits: [Duration])>((Instant(), []))

    var waits: [Duration] { state.withLock { $0.waits } }
    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.waits.append(state.now.duration(to: deadline))
            state.now = max(state.now, deadline)
        }
    }
}

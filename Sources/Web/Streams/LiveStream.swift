package import Library
import Synchronization

/// The live events for one client, step by step.
package protocol LiveStream: Sendable {
    /// The progress of a client.
    associatedtype Progress: Sendable
    /// The client, with its pending reasons to run.
    var client: LiveClient { get }
    /// The data source and its clock.
    var library: StoryLibrary { get }
    /// Whether the token is still valid.
    var isGood: @Sendable () async -> Bool { get }
    /// Sends the initial events, after ``EventText/opening``; returns `nil` if the stream ends there.
    @concurrent func begin(to sink: inout any PieceSink) async throws -> Progress?
    /// Sends the events for these reasons; returns `nil` if the stream ends, for instance because the user is gone.
    @concurrent func tell(
        _ reasons: LiveClient.Reasons,
        _ progress: Progress,
        to sink: inout any PieceSink
    ) async throws -> Progress?
}

/// The progress of a client, and the number of heartbeats sent to it.
package struct LiveProgress<Told: Sendable>: Sendable {
    package var told: Told
    package var beats = 0
}

extension LiveStream {
    /// Sends the initial events; returns `nil` if the stream ends there.
    @concurrent package func start(to sink: inout any PieceSink) async throws -> LiveProgress<Progress>? {
        guard try await send(EventText.opening, to: &sink) else { return nil }
        return try await begin(to: &sink).map { LiveProgress(told: $0) }
    }

    /// Sends the events for these reasons; returns `nil` if the stream ends.
    ///
    /// It ends when it is closed, when the token becomes invalid, or when the user is gone; events pending by then are
    /// sent first.
    @concurrent package func serve(
        _ reasons: LiveClient.Reasons,
        _ progress: LiveProgress<Progress>,
        to sink: inout any PieceSink
    ) async throws -> LiveProgress<Progress>? {
        guard !client.isCut else { return nil }
        var progress = progress
        if reasons.contains(.beat) {
            progress.beats += 1
            guard try await send(EventText.beat, to: &sink) else { return nil }
        }
        // Also checked at every fourth heartbeat, because no event announces that a token expires.
        if reasons.contains(.access) || reasons.contains(.beat) && progress.beats.isMultiple(of: 4) {
            guard await isGood() else { return nil }
        }
        guard let told = try await tell(reasons, progress.told, to: &sink) else { return nil }
        progress.told = told
        guard reasons.contains(.end) else { return progress }
        if library.live.isEnding { _ = try await send(EventText.farewell(toClient: client.number), to: &sink) }
        return nil
    }

    /// Sends bytes that no withdrawal can invalidate; returns whether the client is still connected.
    @concurrent package func send(_ bytes: [UInt8], to sink: inout any PieceSink) async throws -> Bool {
        _ = client.beginSending(nil, at: library.clock.lasting)
        try await sink.send(bytes)
        client.endSending()
        return !client.isCut
    }

    /// Sends events until the stream ends.
    @concurrent package func run(to sink: inout any PieceSink) async throws {
        var progress = try await start(to: &sink)
        while let known = progress { progress = try await serve(await client.next(), known, to: &sink) }
    }

    /// Sends events whenever there are any, in a new task each time, and calls `end` once at the end.
    ///
    /// The argument of `end` is `false` if an error ended the stream, for instance because the connection was lost.
    package func start(to sink: any PieceSink & Sendable, end: @escaping @Sendable (_ isWhole: Bool) -> Void) {
        let work = LiveWork(stream: self, sink: sink, end: end)
        client.onWork { Task { await work.run() } }
        client.signal(.start)
    }
}

/// The work for one client: one task at a time, none while it is idle.
private final class LiveWork<Stream: LiveStream>: Sendable {
    private let stream: Stream
    private let sink: any PieceSink & Sendable
    private let end: @Sendable (_ isWhole: Bool) -> Void
    private let progress = Mutex<LiveProgress<Stream.Progress>?>(nil)

    init(stream: Stream, sink: any PieceSink & Sendable, end: @escaping @Sendable (_ isWhole: Bool) -> Void) {
        self.stream = stream
        self.sink = sink
        self.end = end
    }

    /// Works until nothing is pending.
    func run() async {
        while true {
            let reasons = stream.client.take()
            guard !reasons.isEmpty else { return }
            do {
                guard try await step(reasons) else { return finish(isWhole: true) }
            } catch {
                return finish(isWhole: false)
            }
        }
    }

    @concurrent private func step(_ reasons: LiveClient.Reasons) async throws -> Bool {
        var sink: any PieceSink = sink
        var known = progress.withLock { $0 }
        if known == nil { known = try await stream.start(to: &sink) }
        let others = reasons.subtracting(.start)
        if let begun = known, !others.isEmpty { known = try await stream.serve(others, begun, to: &sink) }
        progress.withLock { $0 = known }
        return known != nil
    }

    private func finish(isWhole: Bool) {
        stream.client.endWork()
        end(isWhole)
    }
}

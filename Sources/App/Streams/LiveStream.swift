import Synchronization

/// What one client is told live, step by step.
package protocol LiveStream: Sendable {
    /// How far a client is.
    associatedtype Progress: Sendable
    /// Why there is something to do for them.
    var client: LiveClient { get }
    /// What is looked at, and by which clock.
    var library: StoryLibrary { get }
    /// Whether the token is good still.
    var isGood: @Sendable () async -> Bool { get }
    /// Sends what there is at the beginning, after ``EventText/opening``; `nil` when it ends there.
    @concurrent func begin(to sink: inout any PieceSink) async throws -> Progress?
    /// Sends what there is for these reasons; `nil` when it ends, as for a user who is gone.
    @concurrent func tell(
        _ reasons: LiveClient.Reasons,
        _ progress: Progress,
        to sink: inout any PieceSink
    ) async throws -> Progress?
}

/// How far a client is, with the signs of life it had.
package struct LiveProgress<Told: Sendable>: Sendable {
    var told: Told
    var beats = 0
}

extension LiveStream {
    /// Sends what there is at the beginning; `nil` when it ends there.
    @concurrent func start(to sink: inout any PieceSink) async throws -> LiveProgress<Progress>? {
        guard try await send(EventText.opening, to: &sink) else { return nil }
        return try await begin(to: &sink).map { LiveProgress(told: $0) }
    }

    /// Sends what there is for these reasons; `nil` when it ends.
    ///
    /// Somebody ends it, the token is good no longer, or the user is gone; what there is by then is sent first.
    @concurrent func serve(
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
        // Also now and then without a hint: a token runs out by itself.
        if reasons.contains(.access) || reasons.contains(.beat) && progress.beats.isMultiple(of: 4) {
            guard await isGood() else { return nil }
        }
        guard let told = try await tell(reasons, progress.told, to: &sink) else { return nil }
        progress.told = told
        return reasons.contains(.end) ? nil : progress
    }

    /// Sends bytes that nothing withdrawn can make untrue; returns whether the client is there still.
    @concurrent func send(_ bytes: [UInt8], to sink: inout any PieceSink) async throws -> Bool {
        _ = client.beginSending(nil, at: library.clock.lasting)
        try await sink.send(bytes)
        client.endSending()
        return !client.isCut
    }

    /// Sends until it ends.
    @concurrent package func run(to sink: inout any PieceSink) async throws {
        var progress = try await start(to: &sink)
        while let known = progress { progress = try await serve(await client.next(), known, to: &sink) }
    }

    /// Sends whenever there is something to do, in a task of its own each time, and calls `end` once when it ends: with
    /// `false` when the connection was lost.
    func start(to sink: any PieceSink & Sendable, end: @escaping @Sendable (_ isWhole: Bool) -> Void) {
        let work = LiveWork(stream: self, sink: sink, end: end)
        client.onWork { Task { await work.run() } }
        client.signal(.start)
    }
}

/// What is done for one client: a task at a time, none while there is nothing to do.
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

    /// Does what there is to do until there is nothing.
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

import Synchronization

/// What one client is told live, step by step.
package protocol LiveStream: Sendable {
    /// How far a client is.
    associatedtype Progress: Sendable
    /// Why there is something to do for them.
    var client: LiveClient { get }
    /// Sends what there is at the beginning; `nil` when it ends there.
    @concurrent func begin(to sink: inout any PieceSink) async throws -> Progress?
    /// Sends what there is for these reasons; `nil` when it ends.
    @concurrent func serve(
        _ reasons: LiveClient.Reasons,
        _ progress: Progress,
        to sink: inout any PieceSink
    ) async throws -> Progress?
}

extension LiveStream {
    /// Sends until it ends.
    @concurrent package func run(to sink: inout any PieceSink) async throws {
        var progress = try await begin(to: &sink)
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
    private let progress = Mutex<Stream.Progress?>(nil)

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
        if known == nil { known = try await stream.begin(to: &sink) }
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

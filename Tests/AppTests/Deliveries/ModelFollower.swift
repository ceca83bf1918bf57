import App
import Library
import Stories

/// Somebody who follows their feed live, loses the connection again and again, and goes on where they were.
struct ModelFollower: Sendable {
    let user: UserID
    let log = EventLog()
    private var run: LiveRun?

    init(_ user: UserID) { self.user = user }

    /// A first connection that stays until it has said where to begin.
    func begin(in library: StoryLibrary) async throws {
        let first = try LiveRun.feed(of: user, in: library, to: log)
        await first.settle(log)
        await first.finish()
    }

    /// Leaves the connection there is, if any, and makes another, which is lost after some bytes; one that is `shut`
    /// accepts nothing.
    mutating func connect(to library: StoryLibrary, losingAfter bytes: Int, shut: Bool) async {
        await drop()
        log.reconnect(losingAfter: bytes)
        if shut { log.shut() }
        run = try? LiveRun.feed(of: user, in: library, to: log)
    }

    /// Loses the connection.
    mutating func drop() async {
        log.lose()
        _ = await run?.finish()
        run = nil
    }

    /// A last connection that stays until all there is has been said.
    mutating func finish(in library: StoryLibrary) async throws {
        await drop()
        log.reconnect()
        let last = try LiveRun.feed(of: user, in: library, to: log)
        await last.settle(log)
        await last.finish()
    }
}

/// A beat at a fixed interval, until the task is cancelled.
struct AsyncTimerSequence: AsyncSequence, Sendable {
    let every: Duration

    struct AsyncIterator: AsyncIteratorProtocol {
        let every: Duration

        func next() async -> Void? {
            do {
                try await Task.sleep(for: every)
                return ()
            } catch {
                return nil
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(every: every) }
}

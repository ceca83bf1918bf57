/// Elements at a fixed interval, until the task is cancelled.
package struct AsyncTimerSequence: AsyncSequence, Sendable {
    package let every: Duration

    /// Creates a value from its parts.
    package init(every: Duration) {
        self.every = every
    }

    package struct AsyncIterator: AsyncIteratorProtocol {
        package let every: Duration

        package func next() async -> Void? {
            do {
                try await Task.sleep(for: every)
                return ()
            } catch {
                return nil
            }
        }
    }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(every: every) }
}

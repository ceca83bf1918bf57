import Synchronization

/// Wakes the workers when there may be something to send, so that entries need not wait for the next regular check.
///
/// If it rings several times while a worker is busy, that worker checks once more.
final class DeliveryBell: Sendable {
    private let listeners = Mutex<(next: Int, all: [Int: AsyncStream<Void>.Continuation])>((0, [:]))

    /// Wakes all listeners.
    func ring() { for listener in listeners.withLock({ Array($0.all.values) }) { listener.yield() } }

    /// Starts listening.
    ///
    /// All rings since the last element was consumed are combined into one element of the stream.
    func listen() -> (rings: AsyncStream<Void>, listener: AsyncStream<Void>.Continuation) {
        let (rings, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = listeners.withLock { listeners in
            defer { listeners.next += 1 }
            listeners.all[listeners.next] = listener
            return listeners.next
        }
        listener.onTermination = { [weak self] _ in self?.listeners.withLock { _ = $0.all.removeValue(forKey: number) }
        }
        return (rings, listener)
    }
}

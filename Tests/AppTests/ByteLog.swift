import Library
import App
import Geometry
import Synchronization

/// Bytes put aside by a closure that runs elsewhere.
final class ByteLog: Sendable {
    private let all = Mutex<[[UInt8]]>([])

    func append(_ bytes: [UInt8]) { all.withLock { $0.append(bytes) } }

    /// The pieces, in the order they came.
    var parts: [[UInt8]] { all.withLock { $0 } }

    /// The pieces joined.
    var bytes: [UInt8] { parts.flatMap(\.self) }
}

/// Randomness that is the same in every run.
enum SeededRandom {
    /// A source that begins anew at `seed`.
    static func source(_ seed: UInt64) -> RandomSource {
        let generator = Shared(seed)
        return RandomSource { generator.next() }
    }

    private final class Shared: Sendable {
        private let generator: Mutex<SplitMix64>

        init(_ seed: UInt64) { generator = Mutex(SplitMix64(seed: seed)) }

        func next() -> UInt64 { generator.withLock { $0.next() } }
    }
}

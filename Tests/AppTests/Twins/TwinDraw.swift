import Library
import App
import Geometry
import Synchronization

/// Seeded choices: the same seed gives the same world and the same requests.
struct TwinDraw: RandomNumberGenerator {
    private var generator: SplitMix64

    init(seed: UInt64) { generator = SplitMix64(seed: SplitMix64.mix(seed)) }

    mutating func next() -> UInt64 { generator.next() }

    /// Whether something happens that does in so many of a hundred cases.
    mutating func chance(_ percent: Double) -> Bool { generator.unit() * 100 < percent }

    /// One of several values, which must not be empty.
    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &self)] }

    /// A number of a range.
    mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// A number in 0..<1.
    mutating func unit() -> Double { generator.unit() }

    /// So many hexadecimal digits.
    mutating func digits(_ count: Int) -> String {
        String((0..<count).map { _ in pick(Array("0123456789abcdef")) })
    }
}

/// The generator of one world's service.
///
/// What happens in one world alone draws from a second stream, so that the streams of twin worlds stay in step.
final class TwinRandom: Sendable {
    private struct State {
        var shared: SplitMix64
        var apart: SplitMix64
        var isApart = false
    }

    private let state: Mutex<State>

    init(seed: UInt64, apart: UInt64) {
        state = Mutex(State(shared: SplitMix64(seed: seed), apart: SplitMix64(seed: apart)))
    }

    /// Chooses the stream that is drawn from next.
    func setApart(_ isApart: Bool) { state.withLock { $0.isApart = isApart } }

    /// Begins both streams anew, so that what is drawn from here on depends on `seed` alone.
    func restart(seed: UInt64) {
        state.withLock { state in
            state.shared = SplitMix64(seed: SplitMix64.mix(seed))
            state.apart = SplitMix64(seed: SplitMix64.mix(~seed))
        }
    }

    /// The source to give to the service.
    var source: RandomSource {
        RandomSource { self.state.withLock { $0.isApart ? $0.apart.next() : $0.shared.next() } }
    }
}

/// A twin world that differs where it must not, or a harness that does not know what to do.
struct TwinFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

import Geometry

/// Damages bytes at random, the same way for the same seed.
struct Mutator {
    private var generator: SplitMix64

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    /// Returns the bytes with one to four places changed, doubled, taken out, swapped in or cut off.
    mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !damaged.isEmpty {
            let index = Int.random(in: damaged.indices, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: damaged[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: damaged.remove(at: index)
            case 2: damaged.insert(damaged[Int.random(in: damaged.indices, using: &generator)], at: index)
            case 3: damaged.removeLast(damaged.count - index)
            case 4: damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            default: damaged.insert(contentsOf: damaged[index...].prefix(20), at: index)
            }
        }
        return damaged
    }
}

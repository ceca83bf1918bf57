import Synchronization

/// Token buckets by name: each holds a maximum number of units and refills at a steady rate.
///
/// Memory is bounded to two generations of at most half the capacity each. A bucket unused for a whole generation is
/// removed; a removed bucket counts as full.
package final class TokenBuckets: Sendable {
    private struct Bucket: Sendable {
        var level: Double
        var at: Int64
    }

    private struct Generations: Sendable {
        var young: [String: Bucket] = [:]
        var old: [String: Bucket] = [:]
    }

    private let unitsPerSecond: Double
    private let burst: Double
    private let halfCapacity: Int
    private let buckets = Mutex(Generations())

    /// Creates buckets that hold `burst` units each and refill at `unitsPerSecond`; about `capacity` names are
    /// remembered.
    package init(unitsPerSecond: Double, burst: Double, capacity: Int = 32_768) {
        self.unitsPerSecond = unitsPerSecond
        self.burst = burst
        halfCapacity = max(1, capacity / 2)
    }

    /// The number of names remembered.
    package var count: Int { buckets.withLock { $0.young.count + $0.old.count } }

    /// Takes units from a bucket and returns `nil`; if there are too few, takes none and returns the seconds to wait.
    ///
    /// `now` is in milliseconds. A request for more than a bucket holds counts as a full bucket.
    package func take(_ units: Double, from name: String, now: Int64) -> Int? {
        let wanted = min(units, burst)
        return change(name, now: now) { level in
            guard level < wanted else {
                level -= wanted
                return nil
            }
            let seconds = ((wanted - level) / unitsPerSecond).rounded(.up)
            return max(1, Int(min(seconds, 86_400)))
        }
    }

    private func change(_ name: String, now: Int64, _ body: (inout Double) -> Int?) -> Int? {
        buckets.withLock { generations in
            var bucket = generations.young[name] ?? generations.old[name] ?? Bucket(level: burst, at: now)
            // A clock set back does not refill anything.
            let seconds = Double(max(0, now - bucket.at)) / 1_000
            bucket.level = min(burst, bucket.level + seconds * unitsPerSecond)
            bucket.at = now
            let answer = body(&bucket.level)
            if generations.young[name] == nil, generations.young.count >= halfCapacity {
                generations.old = generations.young
                generations.young = [:]
            }
            generations.young[name] = bucket
            return answer
        }
    }
}

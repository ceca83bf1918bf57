import Synchronization

/// Token buckets by name: each holds so many units at most and fills again at a steady rate.
///
/// Memory is bounded: two generations of at most half the capacity each. What was not used while a whole generation
/// passed is forgotten, which is as if it were full again.
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

    /// Creates buckets of `burst` units that fill at a rate.
    package init(unitsPerSecond: Double, burst: Double, capacity: Int = 32_768) {
        self.unitsPerSecond = unitsPerSecond
        self.burst = burst
        halfCapacity = max(1, capacity / 2)
    }

    /// How many names are remembered.
    package var count: Int { buckets.withLock { $0.young.count + $0.old.count } }

    /// Takes units out of a bucket; returns `nil`, or how many seconds later there will be enough of them.
    ///
    /// `now` is in milliseconds. More than a bucket holds is as much as it holds.
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
            // A clock that was put back fills nothing.
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

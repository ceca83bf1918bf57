import Geometry

/// Many places and many moving people, to measure how fast fixes are evaluated.
public struct FenceLoad: Sendable {
    /// All places.
    public let index: FenceIndex
    /// The number of people.
    public let people: Int
    private let towns: [Coordinate]
    private let seed: UInt64

    /// Creates a load with one town per thousand places: seven out of ten places lie in towns, the others anywhere;
    /// people walk in the towns.
    public init(places: Int, people: Int, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let towns = (0..<max(1, places / 1_000))
            .map { _ in
                Coordinate(wrappingLatitude: random.number(25, 49), longitude: random.number(-124, -70))
            }
        var points: [Coordinate] = []
        points.reserveCapacity(places)
        for number in 0..<places {
            guard number % 10 < 7 else {
                points.append(
                    Coordinate(wrappingLatitude: random.number(-60, 70), longitude: random.number(-180, 180))
                )
                continue
            }
            let place = SIMD2(random.normal(), random.normal()) * 2_000
            points.append(Plane(towns[number % towns.count]).coordinate(place))
        }
        index = FenceIndex(points)
        self.people = people
        self.towns = towns
        self.seed = seed
    }

    /// Returns the fences of a person, with that person's own radius.
    public func fences(of person: Int) -> PersonalFences { index.fences(radius: 100 + Double(person % 5) * 50) }

    /// Returns the fixes of a person who walks back and forth through a town, recorded every five seconds with urban
    /// errors.
    public func fixes(of person: Int, count: Int, start: Int64 = TraceWorld.usualStart) -> [Fix] {
        var random = SplitMix64(seed: SplitMix64.mix(seed) ^ UInt64(truncatingIfNeeded: person))
        var receiver = Receiver(.urban, seed: random.next())
        let plane = Plane(towns[person % towns.count])
        var position = SIMD2(random.normal(), random.normal()) * 1_500
        let angle = 2 * Double.pi * random.unit()
        let way = SIMD2(Math.sine(angle), Math.cosine(angle)) * (1.35 * 5)
        return (0..<count)
            .map { number in
                position += (number / 200).isMultiple(of: 2) ? way : SIMD2(-way.x, -way.y)
                let reading = receiver.read(after: 5)
                return Fix(
                    time: start + Int64(number) * 5_000 + Int64(person % 5_000),
                    coordinate: plane.coordinate(position + reading.error),
                    accuracy: reading.accuracy
                )
            }
    }
}

/// A source of ids and secrets: the system's generator, or a seeded one in a test.
public struct RandomSource: RandomNumberGenerator, Sendable {
    private let draw: @Sendable () -> UInt64

    /// Creates a source from a function that returns 64 uniformly random bits per call.
    public init(_ draw: @escaping @Sendable () -> UInt64) { self.draw = draw }

    /// The system's generator.
    public static let system = RandomSource { UInt64.random(in: .min ... .max) }

    /// Returns the next 64 bits.
    public func next() -> UInt64 { draw() }

    /// Returns `count` random bytes.
    public func bytes(_ count: Int) -> [UInt8] {
        var source = self
        return (0..<max(0, count)).map { _ in UInt8.random(in: .min ... .max, using: &source) }
    }
}

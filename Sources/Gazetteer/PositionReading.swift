import Geometry

/// What a text that is written like a position says.
struct PositionReading: Sendable {
    /// The position; `nil` when there is none of such degrees.
    let coordinate: Coordinate?
    /// How sure it is that the numbers mean this, 0...1.
    let sureness: Double
    /// What the same numbers mean with the longitude first, where nothing says which is which.
    let other: Coordinate?

    /// Creates a reading that is certain unless something else is said.
    init(_ coordinate: Coordinate?, sureness: Double = 1, other: Coordinate? = nil) {
        self.coordinate = coordinate
        self.sureness = sureness
        self.other = other
    }
}

extension GazetteerIndex {
    /// How much each of two orders counts when only the second leads to a settlement.
    private static let surenessOfOrders = (first: 0.55, second: 0.45)

    /// Returns what lies at a position that was typed; both orders of its numbers where only the second one, longitude
    /// first, leads to a settlement.
    func matches(for reading: PositionReading) -> [GazetteerMatch] {
        guard let coordinate = reading.coordinate else { return [] }
        var first = match(for: coordinate)
        first.confidence = reading.sureness
        guard let other = reading.other, other != coordinate, !isSettled(coordinate), isSettled(other) else {
            return [first]
        }
        var second = match(for: other)
        first.confidence = min(reading.sureness, Self.surenessOfOrders.first)
        second.confidence = Self.surenessOfOrders.second
        (first.isAmbiguous, second.isAmbiguous) = (true, true)
        return [first, second]
    }

    private func isSettled(_ coordinate: Coordinate) -> Bool {
        reverse(coordinate).map { $0.isSettlement && !$0.isNear } ?? false
    }

    /// Whether a text is written like a position, but there is none of such degrees: "120, 200".
    public static func isImpossiblePosition(_ text: String) -> Bool {
        CoordinateText.read(text).map { $0.coordinate == nil } ?? false
    }
}

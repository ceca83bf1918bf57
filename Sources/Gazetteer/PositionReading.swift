import Geometry

/// The meaning of a text that is written like a position.
struct PositionReading: Sendable {
    /// The position; `nil` if the degrees are out of range.
    let coordinate: Coordinate?
    /// The probability of this meaning, 0...1.
    let sureness: Double
    /// The position if the numbers are read with the longitude first; `nil` if their order is certain or this position
    /// is impossible.
    let other: Coordinate?

    /// Creates a reading that is certain by default.
    init(_ coordinate: Coordinate?, sureness: Double = 1, other: Coordinate? = nil) {
        self.coordinate = coordinate
        self.sureness = sureness
        self.other = other
    }
}

extension GazetteerIndex {
    /// The probabilities of the two orders of the numbers, if only the second order leads to a settlement.
    private static let surenessOfOrders = (first: 0.55, second: 0.45)

    /// Returns the places at a typed position, for both orders of its numbers if only the second one, longitude first,
    /// leads to a settlement.
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

    /// Returns whether a text is written like a position with degrees out of range: "120, 200".
    public static func isImpossiblePosition(_ text: String) -> Bool {
        CoordinateText.read(text).map { $0.coordinate == nil } ?? false
    }
}

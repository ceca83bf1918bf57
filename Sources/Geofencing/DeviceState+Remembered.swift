public import Geometry

extension DeviceState {
    /// A position that is remembered.
    public struct Position: Hashable, Sendable {
        /// When the device was there, milliseconds since 1970.
        public let time: Int64
        /// Where.
        public let coordinate: Coordinate
        /// The accuracy in metres that is reckoned with, or `nil` when the device did not say.
        public let accuracy: Double?
    }

    /// The last position that was believed.
    public var lastPosition: Position? {
        last.map { Position(time: $0.time, coordinate: $0.coordinate, accuracy: $0.accuracy) }
    }

    /// Every position in the state, the oldest first: the last one, those that speeds and crossings are measured from,
    /// suspects, what the filter supposes, where the device stays, and fixes that are held back for reordering.
    public var positions: [Position] {
        let anchors = [last, clear, paceAnchor, steadyAnchor].compactMap(\.self) + suspects + supposed + stayed
        let all =
            anchors.map { Position(time: $0.time, coordinate: $0.coordinate, accuracy: $0.accuracy) }
            + pending.map { Position(time: $0.time, coordinate: $0.coordinate, accuracy: $0.accuracy) }
        return Set(all)
            .sorted { a, b in
                (a.time, a.coordinate.latitude, a.coordinate.longitude, a.accuracy ?? -1)
                    < (b.time, b.coordinate.latitude, b.coordinate.longitude, b.accuracy ?? -1)
            }
    }

    /// Where the device has stayed.
    private var stayed: [Anchor] {
        guard let stay else { return [] }
        let accuracy = Inside.deviationsPerAccuracy * stay.variance.squareRoot()
        return [stay.mean, stay.recent]
            .map { Anchor(time: stay.time, coordinate: $0, accuracy: accuracy, isSimulated: false) }
    }

    /// Where the filter supposes the device to be.
    private var supposed: [Anchor] {
        guard let track else { return [] }
        let frame = LocalFrame(track.origin)
        return track.suppositions.map {
            Anchor(
                time: track.time,
                coordinate: frame.coordinate($0.position),
                accuracy: Inside.deviationsPerAccuracy * $0.deviation,
                isSimulated: false
            )
        }
    }

    /// How many places the state remembers the device to be at, or likely at.
    public var placeCount: Int { places.count }

    /// How many of the latest fixes it knows again by their digests.
    public var digestCount: Int { digests.count }
}

public import Geometry

extension DeviceState {
    /// A remembered position.
    public struct Position: Hashable, Sendable {
        /// The time at which the device was there, milliseconds since 1970.
        public let time: Int64
        /// The position.
        public let coordinate: Coordinate
        /// The accuracy used in calculations, in metres, or `nil` if the device reported none.
        public let accuracy: Double?
    }

    /// The last accepted position.
    public var lastPosition: Position? {
        last.map { Position(time: $0.time, coordinate: $0.coordinate, accuracy: $0.accuracy) }
    }

    /// Every position in the state, oldest first: the last one, the anchors for speeds and crossings, suspects, the
    /// filter's estimates, the position of the stay, and fixes held back for reordering.
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

    /// The positions of the stay.
    private var stayed: [Anchor] {
        guard let stay else { return [] }
        let accuracy = Inside.deviationsPerAccuracy * stay.variance.squareRoot()
        return [stay.mean, stay.recent]
            .map { Anchor(time: stay.time, coordinate: $0, accuracy: accuracy, isSimulated: false) }
    }

    /// The filter's estimates of the device's position.
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

    /// The number of places the device is at, or likely at.
    public var placeCount: Int { places.count }

    /// The number of recent fixes whose digests are stored to recognise duplicates.
    public var digestCount: Int { digests.count }
}

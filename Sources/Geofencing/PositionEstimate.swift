public import Geometry

/// The evaluator's best estimate of a device's position from all fixes so far.
public struct PositionEstimate: Hashable, Sendable {
    /// The likeliest position.
    public let coordinate: Coordinate
    /// The radius in metres that contains the device with a probability of 68 %.
    public let accuracy: Double
    /// The likeliest speed in metres per second, in steps of 0.01.
    public let speed: Double
}

extension DeviceState {
    /// Returns the estimate on which decisions are based, or `nil` before the first accepted fix.
    func estimate(_ options: FenceOptions) -> PositionEstimate? {
        guard let track else { return nil }
        let anchor = track.best(leastDeviation: options.leastDeviation, isSimulated: last?.isSimulated ?? false).anchor
        return PositionEstimate(coordinate: anchor.coordinate, accuracy: anchor.accuracy, speed: track.speed)
    }
}

/// The rules for when a position belongs to a part of a settlement.
package enum PartRule: Sendable {
    /// The maximum distance in kilometres from a position to the part it belongs to.
    package static let reach = 1.5
    /// The extra distance in kilometres counted for streets, landmarks and former places, which are named only if
    /// nothing else is near.
    static let streetDistance = 1.1
    static let landmarkDistance = 1.3
    static let formerDistance = 0.8

    /// The unit of streets and landmarks listed by an operator, in files without outlines.
    package static let ownSite: UInt16 = 1
    /// The distance in kilometres within which a site listed by an operator names a position, regardless of the
    /// neighbourhood.
    static let siteReach = 0.15

    /// Returns the extra distance in kilometres counted for a part, compared with a neighbourhood.
    package static func distance(of kind: PlaceKind, isFormer: Bool) -> Double {
        let far =
            switch kind {
            case .street: streetDistance
            case .landmark: landmarkDistance
            default: 0.0
            }
        return isFormer ? max(far, formerDistance) : far
    }
}

extension PlaceKind {
    /// Whether it is part of a settlement.
    package var isPart: Bool { self == .neighbourhood || self == .street || self == .landmark }
}

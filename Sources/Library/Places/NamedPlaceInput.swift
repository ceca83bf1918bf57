import Geometry
import Notifications
import Storage
public import Stories

/// What is given of a named place, or of a change of one; `nil` leaves what there is.
public struct NamedPlaceInput: Sendable {
    /// What it is called.
    public var name: String?
    /// The latitude of its middle in degrees.
    public var latitude: Double?
    /// The longitude of its middle in degrees.
    public var longitude: Double?
    /// How far it reaches in metres.
    public var radius: Double?
    /// Who may know of it.
    public var privacy: Privacy?
    /// The one family that may know of it; `.some(nil)` means all the owner's.
    public var family: FamilyID??

    /// Creates an input that leaves everything.
    public init() {}

    /// Applies it to a place of somebody of these families.
    ///
    /// - Throws: ``NamedPlaceRefusal``; `place` is then to be discarded.
    package func apply(to place: inout NamedPlace, ownerFamilies: Set<FamilyID>) throws(NamedPlaceRefusal) {
        if let name {
            guard let name = DisplayName(name) else { throw .badName }
            place.name = name.text
        }
        let (latitude, longitude) = (latitude ?? place.coordinate.latitude, longitude ?? place.coordinate.longitude)
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { throw .badPosition }
        place.coordinate = coordinate
        if let radius {
            guard NamedPlace.radii.contains(radius) else { throw .badRadius }
            place.radius = radius
        }
        if let privacy { place.privacy = privacy }
        if let family { place.family = family }
        guard place.family != nil else { return }
        guard place.privacy == .familyOnly else {
            // Another level than before takes the family along, unless both were asked for.
            if let family, family != nil { throw .familyNotAsked }
            place.family = nil
            return
        }
        guard place.family.map(ownerFamilies.contains) ?? true else { throw .notYourFamily }
    }
}

/// Why a named place is not made or changed.
public enum NamedPlaceRefusal: Error, Hashable, Sendable {
    /// The name is no ``DisplayName``.
    case badName
    /// The position is beyond the globe.
    case badPosition
    /// The radius is out of bounds.
    case badRadius
    /// A family is named for a level that is not a family's.
    case familyNotAsked
    /// The owner does not belong to the family.
    case notYourFamily
    /// Its owner is no operator, and everybody would be told its name.
    case notForEverybody
    /// The owner has as many as one can have.
    case tooMany

    /// The field it is about, and what is wrong with that.
    public var problem: (field: String, message: String) {
        switch self {
        case .badName: ("name", DisplayName.rule())
        case .badPosition: ("lat", "must be a latitude, with lon a longitude")
        case .badRadius:
            (
                "radius",
                "must be \(Int(NamedPlace.radii.lowerBound)) to \(Int(NamedPlace.radii.upperBound)) metres"
            )
        case .familyNotAsked: ("family", "is only for the level family_only")
        case .notYourFamily: ("family", "is not a family that its owner belongs to")
        case .notForEverybody:
            (
                "privacy",
                "can be public only for a service's key or on the command line, and a public place is changed there alone:"
                    + " everybody is told its name"
            )
        case .tooMany: ("place", "is one too many: nobody has more than \(StoryLimits.namedPlaceCount) named places")
        }
    }
}

extension NamedPlaceRefusal: RefusalConvertible {
    /// Something the caller may not do, a conflict with what they have, or a wrong field.
    package var refusal: Refusal {
        let (field, message) = problem
        return switch self {
        case .notForEverybody: Refusal(.forbidden, "not-for-everybody", "The \(field) \(message).")
        case .tooMany: Refusal(.conflict, "too-many-named-places", "The \(field) \(message).")
        default: .body([FieldProblem(field: field, message: message)])
        }
    }
}

import Geometry
import Notifications
import Storage
public import Stories

/// The fields of a new named place or of a change; `nil` keeps the current value.
public struct NamedPlaceInput: Sendable {
    /// The name.
    public var name: String?
    /// The latitude of the centre in degrees.
    public var latitude: Double?
    /// The longitude of the centre in degrees.
    public var longitude: Double?
    /// The radius in metres.
    public var radius: Double?
    /// The audience of the place.
    public var privacy: Privacy?
    /// The only family that may see the place; `.some(nil)` means all the owner's families.
    public var family: FamilyID??

    /// Creates an input that changes nothing.
    public init() {}

    /// Applies the input to a place whose owner belongs to these families.
    ///
    /// - Throws: ``NamedPlaceRefusal``; `place` must then be discarded.
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
            // Changing to another level drops the family, unless the input contains both.
            if let family, family != nil { throw .familyNotAsked }
            place.family = nil
            return
        }
        guard place.family.map(ownerFamilies.contains) ?? true else { throw .notYourFamily }
    }
}

/// The reason a named place or a change of one is rejected.
public enum NamedPlaceRefusal: Error, Hashable, Sendable {
    /// The name is not a valid ``DisplayName``.
    case badName
    /// The coordinates are out of range.
    case badPosition
    /// The radius is out of range.
    case badRadius
    /// A family is given, but the level is not `family_only`.
    case familyNotAsked
    /// The owner does not belong to the family.
    case notYourFamily
    /// The place would be public, which only a service or the operator may request: everyone is shown its name.
    case notForEverybody
    /// The owner has the maximum number of named places.
    case tooMany

    /// The invalid field and the problem with it.
    public var problem: (field: String, message: String) {
        switch self {
        case .badName: ("name", DisplayName.rule())
        case .badPosition: ("lat", "must be a latitude in degrees, and lon a longitude")
        case .badRadius:
            (
                "radius",
                "must be between \(Int(NamedPlace.radii.lowerBound)) and \(Int(NamedPlace.radii.upperBound)) metres"
            )
        case .familyNotAsked: ("family", "is allowed only with the privacy family_only")
        case .notYourFamily: ("family", "is not a family that the owner of the place belongs to")
        case .notForEverybody:
            (
                "privacy",
                "can be set to public only with a service's key or on the command line, which are also the only ways "
                    + "to change a public place, because everyone is shown its name"
            )
        case .tooMany:
            ("place", "cannot be added: a user can have at most \(StoryLimits.namedPlaceCount) named places")
        }
    }
}

extension NamedPlaceRefusal: RefusalConvertible {
    /// A forbidden request, a conflict with the caller's existing places, or an invalid field.
    package var refusal: Refusal {
        let (field, message) = problem
        return switch self {
        case .notForEverybody: Refusal(.forbidden, "not-for-everybody", "The \(field) \(message).")
        case .tooMany: Refusal(.conflict, "too-many-named-places", "The \(field) \(message).")
        default: .body([FieldProblem(field: field, message: message)])
        }
    }
}

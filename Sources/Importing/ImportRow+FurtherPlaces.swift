import Formats
import Geometry
import Stories

extension ImportRow {
    /// Returns the places besides the location; each problem names the place and its member.
    mutating func furtherPlaces(_ options: StoryImporter.Options, hasLocation: Bool) -> [ImportedPlace] {
        guard !record.places.isEmpty else { return [] }
        guard record.places.count <= StoryLimits.placeCount else {
            let counts = "has \(record.places.count) places, more than the limit of \(StoryLimits.placeCount)"
            record.fail(.places, counts)
            return []
        }
        var places: [ImportedPlace] = []
        for (index, value) in record.places.enumerated() {
            var reader = PlaceReader(value, index: index, keepsIDs: options.keepsIDs)
            let place = reader.place(from: options.locationSource, hasLocation: hasLocation)
            record.problems += reader.problems
            if let place { places.append(place) }
        }
        return places
    }
}

// The line or the area of a row's own geometry.
extension ImportRow {
    /// Returns the places with the extent of the location, which is shown, confirmed and named as the location is.
    mutating func places(
        _ places: [ImportedPlace],
        withExtent shape: PlaceShape?,
        of location: StoryLocation?,
        isConfirmed: Bool
    ) -> [ImportedPlace] {
        guard let shape, let location else { return places }
        guard places.count < StoryLimits.placeCount else {
            record.warn(.places, "has \(places.count) places, so only one point of the \(shape.type) is kept")
            return places
        }
        var own = StoryLocation(
            coordinate: location.coordinate,
            source: location.source,
            accuracy: location.accuracy,
            precision: location.precision,
            familySeesExact: location.familySeesExact
        )
        own.names = location.names
        return places + [
            ImportedPlace(
                role: .extent,
                seconds: nil,
                location: own,
                shape: shape,
                isConfirmed: isConfirmed || location.source != .aiExtracted,
                keptID: nil
            )
        ]
    }
}

/// Reads one further place of a row.
private struct PlaceReader {
    private let value: JSONValue
    private let index: Int
    private let keepsIDs: Bool
    private(set) var problems: [ImportRecord.Finding] = []

    init(_ value: JSONValue, index: Int, keepsIDs: Bool) {
        (self.value, self.index, self.keepsIDs) = (value, index, keepsIDs)
    }

    private mutating func fail(_ member: String, _ message: String) {
        problems.append(.init(severity: .error, field: .places, member: "[\(index)].\(member)", message: message))
    }

    /// Returns the member, or `nil` if it is missing or null.
    private func given(_ member: String) -> JSONValue? { value[member].flatMap { $0.isNull ? nil : $0 } }

    /// Returns the place; `nil` if it has a problem.
    mutating func place(from source: LocationSource, hasLocation: Bool) -> ImportedPlace? {
        let role = role()
        let seconds = number("seconds", 0...StoryLimits.recordingSeconds)
        let (point, shape) = position()
        var location = StoryLocation(
            coordinate: point ?? Coordinate(wrappingLatitude: 0, longitude: 0),
            source: self.source() ?? source,
            accuracy: number("accuracy", 0...StoryLimits.accuracy),
            precision: precision(),
            familySeesExact: flag("family_sees_exact") ?? false,
            names: names()
        )
        let isConfirmed = flag("confirmed") ?? (location.source != .aiExtracted)
        let id = keptID()
        if keepsIDs {
            (location.createdAt, location.updatedAt) = (time("created_at"), time("updated_at"))
        }
        if role == .recorded, location.precision == .hidden, !hasLocation {
            let message = "must not be recorded for a hidden place of a story without a location"
            fail("role", message + "; give it as the location")
        }
        guard problems.isEmpty, let role, point != nil else { return nil }
        return ImportedPlace(
            role: role,
            seconds: seconds.map { ($0 * 1_000).rounded() / 1_000 },
            location: location,
            shape: shape,
            isConfirmed: isConfirmed,
            keptID: id
        )
    }

    private mutating func role() -> PlaceRole? {
        guard let role = given("role") else { return .spokenOf }
        if let known = role.string.flatMap({ PlaceRole($0) }) { return known }
        fail("role", "must be a word of small letters, digits and underscores, such as born or spoken_of")
        return nil
    }

    /// Reads the geometry as GeoJSON or well-known text, or latitude and longitude without one; our own exports have both.
    private mutating func position() -> (point: Coordinate?, shape: PlaceShape?) {
        if let geometry = given("geometry") {
            do throws(PlaceGeometry.Invalid) {
                let (point, shape) = try PlaceGeometry.readGiven(PlaceReader.geometry(geometry))
                return (point, shape)
            } catch {
                fail("geometry", error.reason)
                return (nil, nil)
            }
        }
        let latitude = number("lat", -90...90, isRequired: true)
        let longitude = number("lon", -180...180, isRequired: true)
        guard let latitude, let longitude else { return (nil, nil) }
        return (Coordinate(latitude: latitude, longitude: longitude), nil)
    }

    /// Returns a geometry as GeoJSON: well-known text, as tables of other programs have it, is one too unless it says
    /// another reference system.
    private static func geometry(_ value: JSONValue) -> JSONValue {
        guard let text = value.string.flatMap({ WellKnownText($0) }), text.srid ?? 4326 == 4326 else { return value }
        return text.geometry ?? value
    }

    private mutating func number(
        _ member: String,
        _ range: ClosedRange<Double>,
        isRequired: Bool = false
    ) -> Double? {
        if let number = given(member)?.number, range.contains(number) { return number == 0 ? 0 : number }
        guard isRequired || given(member) != nil else { return nil }
        let (least, most) = (Int(range.lowerBound), Int(range.upperBound))
        fail(member, (given(member) == nil ? "is missing; give" : "is not") + " a number between \(least) and \(most)")
        return nil
    }

    private mutating func flag(_ member: String) -> Bool? {
        guard let flag = given(member) else { return nil }
        if let flag = flag.bool { return flag }
        fail(member, "must be true or false")
        return nil
    }

    private mutating func source() -> LocationSource? {
        guard let word = given("source") else { return nil }
        if let source = word.string.flatMap(LocationSource.init) { return source }
        fail("source", "must be one of \(LocationSource.allCases.map(\.rawValue).joined(separator: ", "))")
        return nil
    }

    /// Returns the precision; anything unknown is an error, so that nothing is revealed by mistake.
    private mutating func precision() -> LocationPrecision {
        guard let word = given("precision") else {
            guard given("cell") != nil else { return .exact }
            fail("cell", "belongs to an approximate place; set precision to approximate")
            return .hidden
        }
        switch word.string {
        case "exact": return .exact
        case "hidden": return .hidden
        case "approximate":
            guard let cell = given("cell") else { return .approximate(.hundredth) }
            if let size = cell.number.flatMap({ PublishedCell(degrees: $0) }) { return .approximate(size) }
            fail("cell", "must be 0.01, 0.1 or 1")
        default: fail("precision", "must be exact, approximate or hidden")
        }
        return .hidden
    }

    /// Returns the names, except those derived from the position.
    private mutating func names() -> [LocationName: String] {
        let derived = Set(value["derived"]?.array?.compactMap(\.string) ?? [])
        var names: [LocationName: String] = [:]
        for name in LocationName.allCases where !derived.contains(name.rawValue) {
            guard let text = given(name.rawValue) else { continue }
            let line = text.string.map(ImportText.line) ?? ""
            guard text.string != nil, StoryLimits.fits(line, characters: StoryLimits.nameLength) else {
                fail(name.rawValue, "must be text of at most \(StoryLimits.nameLength) characters")
                continue
            }
            if !line.isEmpty { names[name] = line }
        }
        return names
    }

    private mutating func keptID() -> StoryID? {
        guard keepsIDs else { return nil }
        if let id = given("id")?.string.flatMap({ StoryID($0) }) { return id }
        fail("id", "is not the id of a place: --keep-ids is for files that 'waymark export' wrote")
        return nil
    }

    /// Returns a time of our own export; without one the place was shown without it.
    private mutating func time(_ member: String) -> Timestamp? {
        guard let time = given(member) else { return nil }
        if let time = time.string.flatMap({ RFC3339.parse($0) }) { return time }
        fail(member, "is not a time")
        return nil
    }
}

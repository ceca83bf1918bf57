import Geometry
import Library
import Storage
import Stories

/// A further place of a story as its viewer may see it: one row of a layer that has a geometry for each.
struct ExportedPlace {
    /// The place as the viewer may see it.
    let place: StoryPlace
    /// Its story.
    let story: Story

    /// The name of the layer.
    static let layer = "story_places"

    /// The best name, or `nil`.
    var name: String? { place.location.bestName }
}

extension StoryView {
    /// The further places as the viewer may see them.
    var exportedPlaces: [ExportedPlace] { places.map { ExportedPlace(place: $0, story: story) } }
}

extension ExportedStory {
    /// The further places as the viewer may see them.
    var places: [ExportedPlace] { view.exportedPlaces }
}

/// A column of the layer of further places.
struct PlaceColumn: Sendable {
    let name: String
    let kind: ExportColumn.Kind
    let value: @Sendable (ExportedPlace) -> ExportColumn.Value

    private init(
        _ name: String,
        _ kind: ExportColumn.Kind,
        _ value: @escaping @Sendable (ExportedPlace) -> ExportColumn.Value
    ) {
        (self.name, self.kind, self.value) = (name, kind, value)
    }

    private static func text(_ name: String, _ value: @escaping @Sendable (ExportedPlace) -> String?) -> PlaceColumn {
        PlaceColumn(name, .text) { value($0).map(ExportColumn.Value.text) ?? .none }
    }

    private static func number(_ name: String, _ value: @escaping @Sendable (StoryPlace) -> Double?) -> PlaceColumn {
        PlaceColumn(name, .number) { value($0.place).map(ExportColumn.Value.number) ?? .none }
    }

    private static func flag(_ name: String, _ value: @escaping @Sendable (StoryPlace) -> Bool) -> PlaceColumn {
        PlaceColumn(name, .flag) { .flag(value($0.place)) }
    }

    private static func placeName(_ column: String, _ name: LocationName) -> PlaceColumn {
        text(column) { $0.place.location.names[name] }
    }

    /// All columns; those that stories have as well are named as theirs.
    ///
    /// A placemark with the first is no story: imports leave it out, because its story brings it along.
    static let all: [PlaceColumn] = [
        text("story_place") { $0.place.id.description }, text("story_id") { $0.story.id.description },
        text("title") { $0.story.title }, text("role") { $0.place.role.rawValue }, number("seconds", \.seconds),
        number("accuracy", \.location.accuracy), text("precision") { $0.place.location.precision.name },
        number("cell") { $0.location.precision.cell?.degrees },
        flag("family_sees_exact", \.location.familySeesExact),
        text("location_source") { $0.place.location.source.rawValue }, flag("location_confirmed", \.isConfirmed),
        placeName("place_name", .name), placeName("address", .address), placeName("city", .city),
        placeName("state", .state), placeName("country", .country),
    ]
}

extension ExportedPlace {
    /// Returns the geometry in the reference system of an export; `nil` if one of its positions is undefined there.
    func shape(_ options: ExportOptions) -> GeoPackageShape? {
        shape { options.position($0, isPoint: $1) }
    }

    /// Returns the geometry at the positions of its corners, for which it asks in their order; `nil` if one is undefined.
    func shape(
        at position: (_ corner: PlaceShape.Corner, _ isPoint: Bool) -> SIMD2<Double>?
    ) -> GeoPackageShape? {
        func line(_ corners: [PlaceShape.Corner]) -> [SIMD2<Double>]? {
            ExportedPlace.all(corners) { position($0, false) }
        }
        func lines(_ lines: [[PlaceShape.Corner]]) -> [[SIMD2<Double>]]? {
            ExportedPlace.all(lines) { line($0) }
        }
        let point = place.location.coordinate
        switch place.shape {
        case nil:
            let corner = PlaceShape.Corner(longitude: point.longitude, latitude: point.latitude)
            return position(corner, true).map(GeoPackageShape.point)
        case .line(let corners): return line(corners).map(GeoPackageShape.line)
        case .polygon(let rings): return lines(rings).map(GeoPackageShape.polygon)
        case .multiPoint(let points): return line(points).map(GeoPackageShape.multiPoint)
        case .multiLine(let all): return lines(all).map(GeoPackageShape.multiLine)
        case .multiPolygon(let areas):
            return ExportedPlace.all(areas) { lines($0) }.map(GeoPackageShape.multiPolygon)
        }
    }

    /// Returns the elements converted; `nil` if one of them cannot be.
    private static func all<Element, Converted>(
        _ elements: [Element],
        _ convert: (Element) -> Converted?
    ) -> [Converted]? {
        var all: [Converted] = []
        for element in elements {
            guard let converted = convert(element) else { return nil }
            all.append(converted)
        }
        return all
    }
}

extension ExportOptions {
    /// Returns a position with seven decimals, as in all answers: no format says more than another.
    static func rounded(_ value: Double) -> Double {
        let units = (value * 1e7).rounded()
        return abs(units) < 1e15 ? units / 1e7 : value
    }

    /// Returns the position of a corner: on WGS 84 as given, that of a point or in another system with seven decimals.
    fileprivate func position(_ corner: PlaceShape.Corner, isPoint: Bool = false) -> SIMD2<Double>? {
        guard let reference else {
            let (x, y) = (corner.longitude, corner.latitude)
            return isPoint ? SIMD2(ExportOptions.rounded(x), ExportOptions.rounded(y)) : SIMD2(x, y)
        }
        let coordinate = Coordinate(wrappingLatitude: corner.latitude, longitude: corner.longitude)
        guard let (x, y) = reference.position(coordinate) else { return nil }
        // Beyond the antimeridian longitudes continue past 180 degrees, so that no line runs around the globe.
        let turns = reference.isGeographic ? ((corner.longitude - coordinate.longitude) / 360).rounded() * 360 : 0
        return SIMD2(ExportOptions.rounded(x + turns), ExportOptions.rounded(y))
    }
}

import Formats
import Storage
import Stories

/// Writes stories as the layer `stories` of a GeoPackage, and their further places as the layer `story_places`.
///
/// Many programs read the first layer alone, and some convert no file with two. So the second is there only if the viewer
/// sees a further place.
struct PackageWriter: StoryWriter {
    private static let columns = ExportColumn.front + ExportColumn.days + ExportColumn.rest + ExportColumn.milliseconds

    private let options: ExportOptions
    private let writer: GeoPackageWriter
    private let stories: GeoPackageLayer
    private var places: GeoPackageLayer?
    private var newest: Timestamp?

    /// Creates the file, which must not exist.
    init(path: String, _ options: ExportOptions) throws {
        self.options = options
        writer = try GeoPackageWriter(path: path, system: options.reference?.system ?? .wgs84)
        stories = try writer.addLayer(
            "stories",
            of: .point,
            columns: PackageWriter.columns.map { .init(name: $0.name, type: PackageWriter.type($0.kind)) }
        )
    }

    mutating func add(_ story: ExportedStory) throws -> Bool {
        let point = story.position.map { SIMD2(ExportOptions.rounded($0.x), ExportOptions.rounded($0.y)) }
        try stories.add(
            point.map(GeoPackageShape.point),
            values: PackageWriter.columns.map { PackageWriter.value($0.value(story)) }
        )
        for place in story.places { try add(place) }
        newest = max(newest ?? story.times.updatedAt, story.times.updatedAt)
        return true
    }

    private mutating func add(_ place: ExportedPlace) throws {
        let layer =
            try places
            ?? writer.addLayer(
                ExportedPlace.layer,
                of: .any,
                columns: PlaceColumn.all.map { .init(name: $0.name, type: PackageWriter.type($0.kind)) }
            )
        places = layer
        try layer.add(
            place.shape(options),
            values: PlaceColumn.all.map { PackageWriter.value($0.value(place)) }
        )
    }

    mutating func finish() throws {
        // The time of the content and not of the export, so that the same stories give the same bytes.
        try writer.finish(lastChange: PackageWriter.instant(newest ?? Timestamp(milliseconds: 0)))
    }

    private static func type(_ kind: ExportColumn.Kind) -> String {
        switch kind {
        case .text: "TEXT"
        case .flag: "BOOLEAN"
        case .whole: "INTEGER"
        case .number: "DOUBLE"
        case .day: "DATE"
        case .instant: "DATETIME"
        }
    }

    private static func value(_ value: ExportColumn.Value) -> GeoPackageLayer.Value {
        switch value {
        case .none: .none
        case .text(let text): .text(text)
        case .flag(let flag): .whole(flag ? 1 : 0)
        case .whole(let number): .whole(number)
        case .number(let number), .degrees(let number): .number(number)
        // A DATE has four digits for the year, and no sign.
        case .day(let day): day.components.year >= 1 ? .text(day.description) : .none
        case .instant(let instant): .text(PackageWriter.instant(instant))
        }
    }

    /// Returns a time with milliseconds, as GeoPackage wants it.
    private static func instant(_ instant: Timestamp) -> String {
        let text = RFC3339.format(instant)
        return text.contains(".") ? text : String(text.dropLast()) + ".000Z"
    }
}

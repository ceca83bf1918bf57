import Formats
import Storage
import Stories

/// Writes stories as the layer `stories` of a GeoPackage.
struct PackageWriter: StoryWriter {
    private static let columns = ExportColumn.front + ExportColumn.days + ExportColumn.rest + ExportColumn.milliseconds

    private let writer: GeoPackageWriter
    private var newest: Timestamp?

    /// Creates the file, which must not exist.
    init(path: String, _ options: ExportOptions) throws {
        writer = try GeoPackageWriter(
            path: path,
            table: "stories",
            columns: PackageWriter.columns.map { GeoPackageWriter.Column(name: $0.name, type: PackageWriter.type($0)) },
            system: options.reference?.system ?? .wgs84
        )
    }

    mutating func add(_ story: ExportedStory) throws -> Bool {
        let point = story.position.map { (x: PackageWriter.rounded($0.x), y: PackageWriter.rounded($0.y)) }
        try writer.add(point: point, values: PackageWriter.columns.map { PackageWriter.value($0.value(story)) })
        newest = max(newest ?? story.times.updatedAt, story.times.updatedAt)
        return true
    }

    mutating func finish() throws {
        // The time of the content and not of the export, so that the same stories give the same bytes.
        try writer.finish(lastChange: PackageWriter.instant(newest ?? Timestamp(milliseconds: 0)))
    }

    /// Returns a position with seven decimals, as in all answers: no format says more than another.
    private static func rounded(_ value: Double) -> Double {
        let units = (value * 1e7).rounded()
        return abs(units) < 1e15 ? units / 1e7 : value
    }

    private static func type(_ column: ExportColumn) -> String {
        switch column.kind {
        case .text: "TEXT"
        case .flag: "BOOLEAN"
        case .whole: "INTEGER"
        case .number: "DOUBLE"
        case .day: "DATE"
        case .instant: "DATETIME"
        }
    }

    private static func value(_ value: ExportColumn.Value) -> GeoPackageWriter.Value {
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

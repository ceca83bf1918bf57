import Formats
import Geometry
public import Stories

/// Reads an operator's list of sensitive areas from GeoJSON (RFC 7946).
///
/// Each feature is a Polygon or MultiPolygon on WGS 84 with the properties `precision` (approximate or hidden), `cell`
/// (0.01, 0.1 or 1; by default 0.01) and `name`.
public struct SensitiveAreaReader: Sendable {
    /// The maximum size of a file, in bytes.
    public static let byteLimit = 100 * 1024 * 1024

    /// Creates a reader.
    public init() {}

    /// Returns the areas of a file in order, or the errors in its features.
    ///
    /// A file with any error yields no areas: an incomplete list would reveal positions it was meant to cover.
    public func read(_ bytes: [UInt8], fileName: String) -> (areas: [SensitiveArea], problems: [ImportProblem]) {
        var areas: [SensitiveArea] = []
        var problems: [ImportProblem] = []
        func problem(_ row: Int?, _ field: String?, _ message: String) {
            problems.append(
                ImportProblem(file: fileName, row: row, field: field, severity: .error, message: message)
            )
        }
        do throws(JSONError) {
            guard bytes.count <= SensitiveAreaReader.byteLimit else {
                problem(nil, nil, "the file has more than \(SensitiveAreaReader.byteLimit >> 20) MB; split it")
                return ([], problems)
            }
            var reader = try GeoJSONReader(bytes)
            if reader.referenceSystem != nil {
                problem(nil, "crs", "areas must be in longitude and latitude on WGS 84; convert the file first")
            }
            while problems.count < 100, let feature = try reader.next() {
                do throws(AreaProblem) {
                    areas.append(try area(of: feature))
                } catch {
                    problem(feature.number, error.field, error.message)
                }
            }
        } catch {
            problem(nil, nil, "the file is not GeoJSON: \(error)")
        }
        if areas.isEmpty, problems.isEmpty {
            problem(nil, nil, "the file has no features; 'waymark areas clear' empties the list")
        }
        if areas.count > StoryLimits.areas { problem(nil, nil, "the file has more than \(StoryLimits.areas) areas") }
        return problems.isEmpty ? (areas, []) : ([], problems)
    }

    private struct AreaProblem: Error {
        let field: String?
        let message: String
    }

    private func area(of feature: GeoJSONFeature) throws(AreaProblem) -> SensitiveArea {
        guard let geometry = feature.geometry else {
            throw AreaProblem(field: nil, message: feature.problem ?? "the feature has no geometry")
        }
        let precision = try precision(of: feature.properties)
        do throws(SensitiveArea.Invalid) {
            return try SensitiveArea(
                name: ImportText.line(feature.properties["name"].flatMap(\.plainText) ?? ""),
                precision: precision,
                polygons: try polygons(of: geometry)
            )
        } catch {
            throw AreaProblem(field: nil, message: error.description)
        }
    }

    private func precision(of properties: [String: JSONValue]) throws(AreaProblem) -> LocationPrecision {
        switch properties["precision"]?.string {
        case "hidden": return .hidden
        case "approximate":
            guard let cell = properties["cell"], !cell.isNull else { return .approximate(.hundredth) }
            guard let degrees = cell.number ?? cell.string.flatMap({ DecimalText.number($0) }),
                let size = PublishedCell(degrees: degrees)
            else { throw AreaProblem(field: "cell", message: "must be 0.01, 0.1 or 1") }
            return .approximate(size)
        default: throw AreaProblem(field: "precision", message: "must be approximate or hidden")
        }
    }

    private func polygons(of geometry: JSONValue) throws(SensitiveArea.Invalid) -> [[SensitiveArea.Ring]] {
        let coordinates = geometry["coordinates"]
        switch geometry["type"]?.string {
        case "Polygon": return [try rings(coordinates)]
        case "MultiPolygon":
            var polygons: [[SensitiveArea.Ring]] = []
            for polygon in coordinates?.array ?? [] { polygons.append(try rings(polygon)) }
            return polygons
        default: throw SensitiveArea.Invalid(description: "the geometry must be a Polygon or a MultiPolygon")
        }
    }

    private func rings(_ value: JSONValue?) throws(SensitiveArea.Invalid) -> [SensitiveArea.Ring] {
        var rings: [SensitiveArea.Ring] = []
        for ring in value?.array ?? [] {
            var corners: SensitiveArea.Ring = []
            for position in ring.array ?? [] {
                guard let longitude = position[0]?.number, let latitude = position[1]?.number else {
                    throw SensitiveArea.Invalid(
                        description: "a position is not an array of two numbers, longitude and latitude"
                    )
                }
                corners.append(SensitiveArea.Corner(longitude: longitude, latitude: latitude))
            }
            rings.append(corners)
        }
        return rings
    }
}

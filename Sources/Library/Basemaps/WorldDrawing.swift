import Basemap
import Formats
import Foundation

/// The borders and the names of countries, states and oceans in `tiles/world.geojson`.
struct WorldDrawing {
    /// A line as positions in degrees.
    typealias Line = [(longitude: Double, latitude: Double)]

    /// The lines between countries.
    private(set) var borders: [Line] = []
    /// The lines between the states of a country, without those of ``outlined``.
    private(set) var regions: [Line] = []
    /// The names, those of the largest countries first.
    private(set) var labels: [MapLabel] = []

    /// The code of the country whose lines of states are among the outlines, where they are more exact.
    private static let outlined = "USA"

    /// Reads the file in the folder `tiles`.
    ///
    /// - Throws: ``BasemapFiles/Failure`` if it is missing or damaged.
    init(folder: URL) throws {
        let damage = BasemapFiles.Failure(
            description: "tiles/world.geojson is missing or damaged. Restore it from the release."
        )
        guard let data = try? Data(contentsOf: folder.appendingPathComponent("world.geojson")),
            let json = try? JSONValue(parsing: [UInt8](data), limits: .init(bytes: 20 << 20)),
            let features = json["features"]?.array
        else { throw damage }
        for feature in features {
            guard let properties = feature["properties"], let geometry = feature["geometry"] else { throw damage }
            switch properties["layer"]?.string {
            case "border": borders += WorldDrawing.lines(geometry)
            case "admin1" where properties["name"]?.string != WorldDrawing.outlined:
                regions += WorldDrawing.lines(geometry)
            case "label": if let label = WorldDrawing.label(properties, geometry) { labels.append(label) }
            default: continue
            }
        }
        // A stable order: those that appear first, then as in the file.
        labels = labels.enumerated().sorted { ($0.element.floor, $0.offset) < ($1.element.floor, $1.offset) }
            .map(\.element)
    }

    private static func lines(_ geometry: JSONValue) -> [Line] {
        (geometry["coordinates"]?.array ?? []).map { ($0.array ?? []).compactMap(position) }.filter { $0.count >= 2 }
    }

    private static func position(_ pair: JSONValue) -> (longitude: Double, latitude: Double)? {
        guard let longitude = pair[0]?.number, let latitude = pair[1]?.number else { return nil }
        return (longitude, latitude)
    }

    private static func label(_ properties: JSONValue, _ geometry: JSONValue) -> MapLabel? {
        guard let name = properties["name"]?.string,
            let kind = properties["class"]?.string.flatMap(MapLabel.Class.init),
            let point = geometry["coordinates"].flatMap(position), let zoom = properties["min_zoom"]?.number
        else { return nil }
        return MapLabel(
            text: name,
            kind: kind,
            longitude: point.longitude,
            latitude: point.latitude,
            floor: Int(max(0, min(20, zoom.rounded(.up))))
        )
    }
}

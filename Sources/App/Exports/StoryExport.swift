package import Library
import Formats
package import Geometry
package import Stories

/// The format of exported stories.
public enum ExportFormat: String, CaseIterable, Sendable {
    /// One FeatureCollection.
    case geojson
    /// A table with a header; lists are separated by semicolons.
    case csv
    /// One GeoJSON feature per line.
    case ndjson
}

/// Writes the stories that a viewer may see in formats for other programs.
package struct StoryExport: Sendable {
    private let maps: MapService

    /// Creates an export of the stories that a map service finds.
    package init(maps: MapService) { self.maps = maps }

    /// Writes all stories that a viewer may see and that match the search, newest first; with a box, only those in it,
    /// including its edges.
    ///
    /// Stories are written in pieces as they are read: only their ids are held in memory. `progress` receives the
    /// number of stories done and the total. Returns the number of stories written.
    package func write(
        _ format: ExportFormat,
        in box: BoundingBox?,
        search: StorySearch,
        viewer: Viewer,
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in },
        to output: ([UInt8]) -> Void
    ) async throws -> Int {
        var written = 0
        switch format {
        case .geojson: output(Array("{\"type\":\"FeatureCollection\",\"features\":[\n".utf8))
        case .csv: output(CSVWriter.row(StoryTable.columns))
        case .ndjson: break
        }
        try await maps.forEachStory(in: box, search: search, viewer: viewer) { stories, done, total in
            for story in stories {
                if format == .csv {
                    output(CSVWriter.row(StoryTable.row(of: story)))
                } else {
                    var json = JSONWriter(capacity: 2_048)
                    StoryJSON.writeFeature(story, to: &json)
                    let separator = format == .geojson && written > 0 ? ",\n" : ""
                    output(Array(separator.utf8) + json.bytes + (format == .ndjson ? [10] : []))
                }
                written += 1
            }
            progress(done, total)
        }
        if format == .geojson { output(Array("\n]}\n".utf8)) }
        return written
    }
}

/// Stories as rows of a table, with the column names that imports recognize.
enum StoryTable: Sendable {
    static let columns = [
        "id", "kind", "title", "date", "lat", "lon", "accuracy", "precision", "cell", "family_sees_exact",
        "location_source", "location_confirmed", "place_name", "address", "city",
        "state", "country", "tags", "people", "mentions", "collection", "privacy", "text", "media_url", "thumbnail_url",
        "alt", "owner", "owner_name", "created_at",
    ]

    /// Returns the fields of ``columns`` as the viewer may see them.
    static func row(of view: StoryView) -> [String] {
        let (story, viewer) = (view.story, view.viewer)
        let location = story.location(for: viewer)
        let times = story.times(for: viewer)
        let point = location?.coordinate
        let place: [String?] = [
            point.map { StoryTable.degrees($0.latitude) }, point.map { StoryTable.degrees($0.longitude) },
            location?.accuracy.map { "\($0)" }, location?.precision.name,
            location?.precision.cell.map { "\($0.degrees)" }, location.map { "\($0.familySeesExact)" },
            location?.source.rawValue, location.map { _ in "true" },
        ]
        let names = [LocationName.name, .address, .city, .state, .country].map { location?.names[$0] }
        let lists = [story.tags, story.people, story.mentions].map { $0.joined(separator: ";") }
        let fields: [String?] =
            [story.id.description, story.kind.rawValue, story.title, times.date?.text] + place + names + lists
            + [story.collection, story.privacy.rawValue, story.text, story.mediaURL, story.thumbnailURL, story.alt]
            + [story.owner.rawValue, view.ownerName, RFC3339.format(times.createdAt)]
        return fields.map { $0 ?? "" }
    }

    /// Formats degrees as in all answers.
    private static func degrees(_ value: Double) -> String {
        var json = JSONWriter()
        json.degrees(value)
        return json.text
    }
}

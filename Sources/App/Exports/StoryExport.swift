package import Geometry
package import Library
package import Stories

/// Writes the stories that a viewer may see in formats for other programs.
package struct StoryExport: Sendable {
    /// The numbers of stories of an export.
    package struct Outcome: Equatable, Sendable {
        /// The number of stories written.
        package var written = 0
        /// The number of stories left out, because they have no place for this viewer or none in the reference system.
        package var leftOut = 0
        /// The number of stories written without their place, because the reference system does not reach it.
        package var outside = 0
    }

    /// The error for a format that cannot be written to a stream.
    package struct NeedsFile: Error {
        /// The format.
        package let format: ExportFormat
    }

    private let maps: MapService

    /// Creates an export of the stories that a map service finds.
    package init(maps: MapService) { self.maps = maps }

    /// Writes all stories that a viewer may see and that match the search, newest first, Linked Places by place; with a
    /// box, only those in it, including its edges.
    ///
    /// Stories are written in pieces as they are read: only their ids are held in memory. `current` is asked before each
    /// piece who the viewer is by then. `progress` receives the number of stories done and the total after each piece, and
    /// at the end. Returns the number of stories written.
    ///
    /// - Throws: ``NeedsFile`` for a format that is not streamed; errors of the database, of the output and of `progress`.
    package func write(
        _ format: ExportFormat,
        in box: BoundingBox?,
        search: StorySearch,
        viewer: Viewer,
        options: ExportOptions = ExportOptions(),
        current: (() async throws -> Viewer)? = nil,
        progress: (_ done: Int, _ total: Int) async throws -> Void = { _, _ in },
        to output: @escaping ([UInt8]) throws -> Void
    ) async throws -> Outcome {
        let writer = try StoryExport.writer(format, options, to: output)
        return try await write(
            by: writer,
            in: box,
            search: search,
            viewer: viewer,
            byPlace: format == .linkedPlaces,
            options: options,
            current,
            progress
        )
    }

    /// Writes the same as a GeoPackage into a file that must not exist.
    package func writePackage(
        toFile path: String,
        in box: BoundingBox?,
        search: StorySearch,
        viewer: Viewer,
        options: ExportOptions = ExportOptions(),
        current: (() async throws -> Viewer)? = nil,
        progress: (_ done: Int, _ total: Int) async throws -> Void = { _, _ in }
    ) async throws -> Outcome {
        let writer = try PackageWriter(path: path, options)
        return try await write(
            by: writer,
            in: box,
            search: search,
            viewer: viewer,
            byPlace: false,
            options: options,
            current,
            progress
        )
    }

    private func write(
        by writer: any StoryWriter,
        in box: BoundingBox?,
        search: StorySearch,
        viewer: Viewer,
        byPlace: Bool,
        options: ExportOptions,
        _ current: (() async throws -> Viewer)?,
        _ progress: (_ done: Int, _ total: Int) async throws -> Void
    ) async throws -> Outcome {
        var writer = writer
        var outcome = Outcome()
        var whole = 0
        try await maps.forEachStory(
            in: box,
            search: search,
            viewer: viewer,
            byPlace: byPlace,
            current: current
        ) { stories, done, total in
            let words = try await WaitingWords.read(of: stories, in: maps)
            for view in stories {
                let story = ExportedStory(view, words: words[view.story.id], options, maps: maps)
                guard try writer.add(story) else {
                    outcome.leftOut += 1
                    continue
                }
                outcome.written += 1
                if story.location != nil, story.position == nil { outcome.outside += 1 }
            }
            whole = total
            try await progress(done, total)
        }
        if writer.wantsPlaces {
            // They are read again: held until now, they could need any amount of memory.
            try await maps.forEachStory(in: box, search: search, viewer: viewer, current: current) { stories, _, _ in
                for view in stories { try writer.addPlaces(of: view) }
                try await progress(whole, whole)
            }
        }
        try writer.finish()
        try await progress(whole, whole)
        return outcome
    }

    private static func writer(
        _ format: ExportFormat,
        _ options: ExportOptions,
        to output: @escaping ([UInt8]) throws -> Void
    ) throws -> any StoryWriter {
        switch format {
        case .geojson: try TextWriter(GeoJSONForm(options: options, isSequence: false), to: output)
        case .ndjson: try TextWriter(GeoJSONForm(options: options, isSequence: true), to: output)
        case .csv: try TextWriter(TableForm(options), to: output)
        case .kml: try KMLWriter(to: output)
        case .gpx: try TextWriter(GPXForm(options: options), to: output)
        case .linkedPlaces: try LinkedPlacesWriter(options, to: output)
        case .navPlace: try TextWriter(NavPlaceForm(options: options), to: output)
        case .geoPackage, .mbtiles, .pmtiles: throw NeedsFile(format: format)
        }
    }
}

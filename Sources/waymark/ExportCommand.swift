import Library
import App
import ArgumentParser
import Foundation
import Geometry
import Projections
import Storage
import Stories

/// `waymark export`.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes all stories that a viewer may see, newest first, or their map as tiles.",
        discussion: """
            CSV, GeoJSON, NDJSON, KML and GeoPackage have the columns that 'waymark import' reads. GPX and LPF (Linked \
            Places) have only stories with a place; navplace is a IIIF collection. pmtiles and mbtiles are the map with its \
            clusters, for a site without a service. To export all data of one person, use 'waymark users export'.

            Example: waymark export --as ana --bbox -85,33,-84,34 -o atlanta.gpkg
            """
    )

    @Option(
        parsing: .unconditional,
        help: "Only stories in this box, west,south,east,north in degrees; by default all, even without a location."
    )
    var bbox: String?
    @Option(help: "The format: \(ExportCommand.formats); by default that of the output's ending, else geojson.")
    var format: String?
    @Option(name: [.customShort("o"), .long], help: "The file to write; by default, and for -, standard output.")
    var output: String?
    @Option(help: "The reference system of geojson, ndjson, csv and gpkg, such as EPSG:26918; by default WGS 84.")
    var crs: String?
    @Option(help: "The address of the service, by which lpf, navplace and JSON-LD name stories.")
    var url: String?
    @Option(parsing: .unconditional, help: "The deepest zoom of pmtiles and mbtiles, 0 to \(TileExport.deepestZoom).")
    var maxZoom: Int?
    @OptionGroup var search: SearchOptionsGroup
    @OptionGroup var database: DatabaseOptions

    private static let formats = ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")

    func run() async throws {
        let format = try chosenFormat()
        let wanted = try search.search()
        let box = try bbox.map { try boundingBox($0) }
        let options = try exportOptions(format)
        let deepest = try zoom(format, box)
        let file = try output.flatMap { try $0 == "-" ? nil : OutputFile($0) }
        guard file != nil || format.isStreamed else {
            throw CommandFailure.usage("\(format.rawValue) is not written to standard output; give a file with -o.")
        }
        Interruption.listen()
        let library = try await database.library(
            .readOnly,
            gazetteer: hasCounty(format) ? gazetteerIfPossible(database) : nil
        )
        let viewer = try await search.viewer(in: library)
        do {
            if format.isTiles, let file {
                try await writeTiles(format, deepest, wanted, viewer, library, to: file)
            } else {
                let outcome = try await writeStories(format, in: box, wanted, viewer, library, options, to: file)
                remark(on: outcome, options)
            }
        } catch is Interruption.Ended {
            throw CommandFailure.failed("Ended on request; nothing was left behind.")
        }
    }

    private func chosenFormat() throws -> ExportFormat {
        let ending = output.flatMap { URL(fileURLWithPath: $0).pathExtension }.flatMap { $0.isEmpty ? nil : $0 }
        guard let format else {
            guard let ending else { return .geojson }
            guard let known = ExportFormat(fileExtension: ending) else {
                throw CommandFailure.usage(
                    "--output: .\(excerpt(ending)) is the ending of no format. Give --format with one of "
                        + "\(ExportCommand.formats), or another ending."
                )
            }
            return known
        }
        guard let known = ExportFormat(rawValue: format) else {
            throw CommandFailure.usage("--format must be one of \(ExportCommand.formats).")
        }
        return known
    }

    private func hasCounty(_ format: ExportFormat) -> Bool { [.csv, .kml, .geoPackage].contains(format) }

    private func zoom(_ format: ExportFormat, _ box: BoundingBox?) throws -> Int {
        guard format.isTiles else {
            if maxZoom != nil { throw CommandFailure.usage("--max-zoom is for pmtiles and mbtiles.") }
            return 0
        }
        if box != nil { throw CommandFailure.usage("Tiles are of the whole map; leave out --bbox.") }
        let zoom = maxZoom ?? TileExport.usualZoom
        guard (0...TileExport.deepestZoom).contains(zoom) else {
            throw CommandFailure.usage("--max-zoom must be 0 to \(TileExport.deepestZoom).")
        }
        return zoom
    }

    private func exportOptions(_ format: ExportFormat) throws -> ExportOptions {
        var options = ExportOptions()
        if let url {
            guard url.hasPrefix("https://") || url.hasPrefix("http://"),
                !url.contains(where: { " \"<>\\".contains($0) })
            else { throw CommandFailure.usage("--url must be an address such as https://stories.example.org.") }
            options.address = String(url.reversed().drop { $0 == "/" }.reversed())
        }
        guard let crs else { return options }
        do throws(ProjectionError) {
            options.reference = try ExportReference(named: crs)
        } catch {
            throw CommandFailure.usage("--crs: \(error).")
        }
        guard options.reference != nil else { return options }
        guard format.takesReferenceSystem else {
            throw CommandFailure.usage(
                "\(format.rawValue) is always in longitude and latitude on WGS 84; leave out --crs."
            )
        }
        if format == .geojson || format == .ndjson {
            Console.remark(
                "GeoJSON is defined in longitude and latitude on WGS 84 (RFC 7946); many programs will misplace \(crs).",
                quiet: database.quiet
            )
        }
        if format == .ndjson {
            Console.remark(
                "A line of ndjson cannot name its reference system; give --crs when importing it.",
                quiet: database.quiet
            )
        }
        return options
    }

    private func writeStories(
        _ format: ExportFormat,
        in box: BoundingBox?,
        _ wanted: StorySearch,
        _ viewer: Viewer,
        _ library: StoryLibrary,
        _ options: ExportOptions,
        to file: OutputFile?
    ) async throws -> StoryExport.Outcome {
        let bar = ProgressBar("export", quiet: database.quiet || (file == nil && Console.isTerminal))
        defer { bar.end() }
        func progress(_ done: Int, _ total: Int) throws {
            try Interruption.check()
            bar.show(done: done, of: total, count: done, unit: "stories")
        }
        let export = StoryExport(maps: library.maps)
        guard let file else {
            return try await export.write(
                format,
                in: box,
                search: wanted,
                viewer: viewer,
                options: options,
                progress: progress,
                to: Console.write
            )
        }
        return try await file.write(isPrivate: viewer.user != nil) {
            guard format.isStreamed else {
                return try await export.writePackage(
                    toFile: file.draft,
                    in: box,
                    search: wanted,
                    viewer: viewer,
                    options: options,
                    progress: progress
                )
            }
            let stream = try BufferedFile(file.draft)
            let outcome = try await export.write(
                format,
                in: box,
                search: wanted,
                viewer: viewer,
                options: options,
                progress: progress,
                to: stream.write
            )
            try stream.close()
            return outcome
        }
    }

    private func writeTiles(
        _ format: ExportFormat,
        _ deepest: Int,
        _ wanted: StorySearch,
        _ viewer: Viewer,
        _ library: StoryLibrary,
        to file: OutputFile
    ) async throws {
        let bar = ProgressBar("export", quiet: database.quiet)
        defer { bar.end() }
        let count = try await file.write(isPrivate: viewer.user != nil) {
            try await TileExport(maps: library.maps)
                .write(format, deepest: deepest, search: wanted, viewer: viewer, toFile: file.draft) { zoom, tiles in
                    try Interruption.check()
                    bar.show(done: zoom, of: max(1, deepest), count: tiles, unit: "tiles")
                }
        }
        Console.remark("\(counted(count, "tile", "tiles")) written.", quiet: database.quiet)
    }

    private func remark(on outcome: StoryExport.Outcome, _ options: ExportOptions) {
        var words = "\(counted(outcome.written, "story", "stories")) written"
        if outcome.leftOut > 0 { words += "; \(outcome.leftOut) without a place left out" }
        if outcome.outside > 0, let reference = options.reference {
            words += "; \(outcome.outside) without their place, which \(reference.name) does not reach"
        }
        Console.remark(words + ".", quiet: database.quiet)
    }
}

/// Writes a file in large pieces.
private final class BufferedFile {
    private let file: FileHandle
    private var waiting: [UInt8] = []

    private static let piece = 1 << 18

    /// Creates the file.
    init(_ path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
        else { throw CocoaError(.fileWriteUnknown) }
        self.file = file
    }

    func write(_ bytes: [UInt8]) throws {
        waiting += bytes
        if waiting.count >= BufferedFile.piece { try flush() }
    }

    func close() throws {
        try flush()
        try file.close()
    }

    private func flush() throws {
        do { try file.write(contentsOf: Data(waiting)) } catch { throw CocoaError(.fileWriteUnknown) }
        waiting.removeAll(keepingCapacity: true)
    }
}

@available(*, unavailable)
extension BufferedFile: Sendable {}

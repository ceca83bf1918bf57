import Library
import App
import ArgumentParser
import Foundation
import Geometry
import MapDrawing
import Rasters
import Storage
import Stories

/// `waymark render`.
struct RenderCommand: AsyncParsableCommand {
    /// The format of a picture, by the ending of its file.
    enum Format: String, CaseIterable {
        case svg, png
    }

    /// The colours of a picture.
    enum Look: String, ExpressibleByArgument, CaseIterable {
        case light, dark

        var colours: MapLook { self == .light ? .light : .dark }
    }

    static let configuration = CommandConfiguration(
        commandName: "render",
        abstract: "Draws the map with the stories of a viewer as a picture, SVG or PNG.",
        discussion: """
            Example: waymark render --bbox -86.6,32.1,-86.0,32.6 --zoom 11 -o montgomery.png

            With --zoom the picture shows exactly the box; with --size it has that size and shows at least the box; with \
            both it has that size at that zoom, around the middle of the box. The counts are those of 'waymark clusters'.
            """
    )

    @Option(
        parsing: .unconditional,
        help: "west,south,east,north in degrees; west > east crosses the antimeridian."
    )
    var bbox: String
    @Option(
        parsing: .unconditional,
        help: "The zoom of 512-pixel tiles, 0 to 20; clusters are those of the zoom rounded down.",
        transform: givenNumber
    )
    var zoom: Double?
    @Option(help: "The size in pixels, such as 960x640, which is the default without --zoom.")
    var size: String?
    @Option(
        name: .shortAndLong,
        help: "The file to write; its ending, .svg or .png, decides the format. For -, SVG goes to standard output."
    )
    var output: String
    @Option(help: "The colours: light or dark.")
    var look = Look.light
    @Option(help: "The same as --as: show what this user may see.")
    var user: String?
    @OptionGroup var search: SearchOptionsGroup
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        let isStandard = output == standardStream
        let ending = URL(fileURLWithPath: output).pathExtension.lowercased()
        guard let format = isStandard ? Format.svg : Format(rawValue: ending) else {
            throw CommandFailure.usage("--output \(output): the file must end in .svg or .png.")
        }
        let box = try boundingBox(bbox)
        let given = try size.map(RenderCommand.size)
        if let zoom, !(0...MapView.deepestZoom).contains(zoom) {
            throw CommandFailure.usage("--zoom must be between 0 and \(Int(MapView.deepestZoom)).")
        }
        if let user, let other = search.viewer, user != other {
            throw CommandFailure.usage("--user and --as name two users; give one of them.")
        }
        let wanted = try search.search()
        let library = try await database.library(.readOnly)
        let viewer = try await namedViewer(user ?? search.viewer, in: library)
        let basemaps = try basemaps()
        let pictures = MapPictures(maps: library.maps, tiles: { basemaps.all })
        let view = try view(of: box, given, credits: pictures.tiles(in: box))
        let picture: MapPicture
        do {
            picture = try await pictures.picture(of: view, search: wanted, viewer: viewer, look: look.colours)
        } catch MapPicture.Failure.tooDetailed {
            throw CommandFailure.failed("There is too much to draw in this box. Lower --zoom or make --bbox smaller.")
        }
        try write(picture, as: format)
        if size != nil || zoom == nil, let remark = RenderCommand.remark(on: view, showing: box) {
            Console.remark(remark, quiet: database.quiet)
        }
        let size = "\(picture.view.width) × \(picture.height) pixels"
        let counts =
            "\(counted(picture.markerCount, "marker", "markers")), "
            + counted(picture.storyCount, "story", "stories")
        Console.remark("\(output): \(size), \(counts).", quiet: database.quiet)
    }

    /// Returns what the picture shows.
    private func view(
        of box: BoundingBox,
        _ size: (width: Int, height: Int)?,
        credits: [DrawnTiles]
    ) throws -> MapView {
        let edge = WebMercator.maximumLatitude
        do {
            guard box.south < edge, box.north > -edge else { throw MapView.Failure.empty }
            if let zoom, size == nil { return try MapView(box: box, zoom: zoom) }
            let (width, height) = size ?? (960, 640)
            let map = height - MapPicture.creditHeight(of: credits, width: width)
            guard map >= 50 else {
                throw CommandFailure.usage(
                    "--size \(width)x\(height) leaves no room for a map above its sources; give a larger height."
                )
            }
            if let zoom {
                let middle = MapView.middle(of: box)
                return try MapView(center: middle, zoom: zoom, width: width, height: map)
            }
            return try MapView(fitting: box, width: width, height: map)
        } catch let failure as MapView.Failure {
            throw CommandFailure.usage(RenderCommand.words(for: failure))
        }
    }

    /// Says which latitudes of a box the picture leaves out; `nil` if it shows all that the map has.
    private static func remark(on view: MapView, showing box: BoundingBox) -> String? {
        let edge = WebMercator.maximumLatitude
        guard view.box.north < min(box.north, edge) - 0.01 || view.box.south > max(box.south, -edge) + 0.01 else {
            return nil
        }
        let (south, north) = (Int(view.box.south.rounded(.up)), Int(view.box.north.rounded(.down)))
        return "The picture shows only latitudes \(south) to \(north) of --bbox. Give a --size that is higher for its "
            + "width, or --zoom without --size."
    }

    private static func words(for failure: MapView.Failure) -> String {
        switch failure {
        case .zoom: "--zoom must be between 0 and \(Int(MapView.deepestZoom)); such a small box needs --zoom."
        case .tooLarge(let width, let height):
            "The picture would be \(Int(width.rounded(.up))) × \(Int(height.rounded(.up))) pixels; the maximum is "
                + "\(MapView.longestSide) on a side and \(MapView.mostPixels / 1_000_000) million in all. Lower --zoom, "
                + "or make --bbox or --size smaller."
        case .empty: "--bbox has no area on the map, which ends at 85.0511 degrees. Give a larger box."
        case .widerThanWorld(let pixels):
            "At this zoom the whole world is \(pixels) pixels wide. Raise --zoom or lower the width in --size."
        }
    }

    /// Parses a size such as `960x640`.
    private static func size(_ text: String) throws -> (width: Int, height: Int) {
        let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]), width > 0, height > 0,
            width <= 1_000_000, height <= 1_000_000
        else { throw CommandFailure.usage("--size: \(excerpt(text)) is not a size such as 960x640.") }
        return (width, height)
    }

    /// Opens the basemaps, or builds those that have not been built, and the tiles that the operator added.
    private func basemaps() throws -> Basemaps {
        let files = BasemapFiles(folders: DataFolders(), logger: database.logger())
        let basemaps = Basemaps()
        for part in BasemapFiles.Part.allCases {
            if let ready = try files.open(part) {
                basemaps.add(ready)
                continue
            }
            Console.remark("Building \(part.rawValue) …", quiet: database.quiet)
            basemaps.add(try files.compile(part, gazetteer: part == .names ? try loadGazetteer(database) : nil))
        }
        let added = AddedTiles(beside: database.path)
        basemaps.replaceAdded(
            by: added.versions()
                .compactMap { name, version in
                    if let tiles = try? added.open(name, version: version) { return tiles }
                    Console.remark("The added tiles \(name) cannot be read; drawing without.", quiet: database.quiet)
                    return nil
                }
        )
        return basemaps
    }

    /// Writes the picture beside its place and renames it: the complete file is there, or none.
    private func write(_ picture: MapPicture, as format: Format) throws {
        let bytes: [UInt8]
        do {
            bytes =
                format == .svg
                ? picture.svg : try Raster.png(of: picture.svg, width: picture.view.width, height: picture.height)
        } catch {
            throw CommandFailure.failed("\(output) cannot be drawn: \(error).")
        }
        guard output != standardStream else { return Console.write(bytes) }
        let target = try OutputFile.target(of: output)
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: target), options: .atomic)
        } catch {
            throw CommandFailure.failed(
                "\(output) cannot be written; check that its folder exists, its permissions, and the room on the disk."
            )
        }
    }
}

import Library
import App
import ArgumentParser
import Formats
import Geometry
import Storage
import Stories

/// `waymark histogram`.
struct HistogramCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "histogram",
        abstract: "Counts stories over time, in equal periods, each with the stories whose date overlaps it.",
        discussion: "Example: waymark histogram --bbox -85,33,-84,34 --from 1930 --to 1949 --bins 20"
    )

    @Option(
        parsing: .unconditional,
        help: "Only stories in this box, west,south,east,north in degrees; by default all, even without a location."
    )
    var bbox: String?
    @Option(parsing: .unconditional, help: "The number of periods, at most 1000, and at most one per day.")
    var bins = 50
    @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
    var format: PlaceFormat?
    @OptionGroup var search: SearchOptionsGroup
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        guard (1...MapService.mostBins).contains(bins) else {
            throw CommandFailure.usage("--bins must be between 1 and \(MapService.mostBins).")
        }
        let box = try bbox.map { try boundingBox($0) }
        let wanted = try search.search()
        let library = try await database.library(.readOnly)
        let viewer = try await search.viewer(in: library)
        let histogram = try await library.maps.histogram(in: box, bins: bins, search: wanted, viewer: viewer)
        let bytes = MapJSON.histogram(histogram)
        switch format ?? (Console.isTerminal ? .text : .json) {
        case .json: Console.write(bytes + Array("\n".utf8))
        case .text: try draw(bytes)
        }
    }

    private func draw(_ bytes: [UInt8]) throws {
        let json = try JSONValue(parsing: bytes, limits: .init(bytes: .max))
        let bins = json["bins"]?.array ?? []
        let most = bins.compactMap { $0["count"]?.integer }.max() ?? 0
        for bin in bins {
            let count = bin["count"]?.integer ?? 0
            // Every non-zero count gets a visible bar.
            let bar = String(repeating: "█", count: most == 0 ? 0 : (40 * count + most - 1) / most)
            Console.line("\(bin["from"]?.string ?? "") – \(bin["to"]?.string ?? "")  \(count)  \(bar)")
        }
        let dated = counted(json["numberMatched"]?.integer ?? 0, "story", "stories")
        Console.line("\(dated) in this period, \(json["undated"]?.integer ?? 0) without a date")
    }
}

/// `waymark bounds`.
struct BoundsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bounds",
        abstract: "Prints the smallest box around all stories that the viewer may see on the map.",
        discussion: "Example: waymark bounds --as ana --tag church"
    )

    @Option(help: "The output format: text (W,S,E,N) or json; by default, text on a terminal, otherwise json.")
    var format: PlaceFormat?
    @OptionGroup var search: SearchOptionsGroup
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        let wanted = try search.search()
        let library = try await database.library(.readOnly)
        let viewer = try await search.viewer(in: library)
        let bytes = MapJSON.bounds(try await library.maps.bounds(wanted, viewer: viewer))
        switch format ?? (Console.isTerminal ? .text : .json) {
        case .json: Console.write(bytes + Array("\n".utf8))
        case .text:
            let edges = try JSONValue(parsing: bytes)["bbox"]?.array?.compactMap(\.number) ?? []
            if edges.isEmpty { return Console.remark("There are no stories on the map.", quiet: database.quiet) }
            Console.line(edges.map { "\($0)" }.joined(separator: ","))
        }
    }
}

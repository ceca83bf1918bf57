import Basemap
package import Gazetteer
package import Logging
import ServiceLifecycle
import Synchronization

/// The basemaps that are ready to be served.
package final class Basemaps: Sendable {
    private struct Sets: Sendable {
        var bundled: [TileSet] = []
        var added: [TileSet] = []
    }

    private let ready = Mutex(Sets())

    /// Creates an empty collection.
    package init() {}

    /// All of them, those to be drawn first in front: land, what the operator added with images over lines, names.
    package var all: [TileSet] {
        let sets = ready.withLock { $0 }
        func bundled(_ part: BasemapFiles.Part) -> [TileSet] { sets.bundled.filter { $0.name == part.rawValue } }
        let lines = sets.added.filter { $0.archive.kind == .vector }
        let images = sets.added.filter { $0.archive.kind != .vector }
        return bundled(.land) + lines + images + bundled(.names)
    }

    /// Those that the operator added, in alphabetical order.
    package var added: [TileSet] { ready.withLock { $0.added } }

    /// Returns a basemap by its name, or `nil` if there is none or it is not ready.
    package func named(_ name: String) -> TileSet? {
        ready.withLock { sets in
            sets.bundled.first { $0.name == name } ?? sets.added.first { $0.name == name }
        }
    }

    /// Adds a bundled basemap, or replaces the one of the same name.
    package func add(_ basemap: TileSet) {
        ready.withLock { sets in
            sets.bundled.removeAll { $0.name == basemap.name }
            sets.bundled.append(basemap)
        }
    }

    /// Replaces those that the operator added.
    package func replaceAdded(by sets: [TileSet]) { ready.withLock { $0.added = sets } }
}

/// Opens the bundled basemaps when the service starts, and compiles those that are not in the cache.
package struct BasemapPreparation: Service {
    private let basemaps: Basemaps
    private let files: BasemapFiles
    private let gazetteer: GazetteerIndex?
    private let logger: Logger

    /// Creates the preparation of `basemaps`.
    package init(basemaps: Basemaps, files: BasemapFiles, gazetteer: GazetteerIndex?, logger: Logger) {
        self.basemaps = basemaps
        self.files = files
        self.gazetteer = gazetteer
        self.logger = logger
    }

    package func run() async throws {
        for part in BasemapFiles.Part.allCases where part != .names || gazetteer != nil {
            do {
                // A service that is stopped does not wait for a map; the next one compiles it.
                try await cancelWhenGracefulShutdown { try await prepare(part) }
            } catch is CancellationError {
                break
            } catch {
                // The page then draws its simple map of the world.
                logger.warning("a basemap is missing", metadata: ["basemap": "\(part.rawValue)", "why": "\(error)"])
            }
        }
        // If this service ended, so would the others.
        try await gracefulShutdown()
    }

    /// Opens a basemap or compiles it, outside of the threads that answer requests.
    package func prepare(_ part: BasemapFiles.Part) async throws {
        let basemap = try await LongWork.run { [files, gazetteer, logger] in
            if let compiled = try files.open(part) { return compiled }
            logger.notice(
                "compiling a basemap (done once; takes half a minute)",
                metadata: ["basemap": "\(part.rawValue)"]
            )
            return try files.compile(part, gazetteer: gazetteer)
        }
        basemaps.add(basemap)
    }
}

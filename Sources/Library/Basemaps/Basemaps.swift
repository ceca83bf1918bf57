package import Gazetteer
package import Logging
import ServiceLifecycle
import Synchronization

/// The basemaps that are ready to be served.
package final class Basemaps: Sendable {
    private let ready = Mutex<[TileSet]>([])

    /// Creates an empty collection.
    package init() {}

    /// All of them, those to be drawn first in front.
    package var all: [TileSet] { ready.withLock { $0 } }

    /// Returns a basemap by its name, or `nil` if there is none or it is not ready.
    package func named(_ name: String) -> TileSet? { ready.withLock { $0.first { $0.name == name } } }

    /// Adds a basemap, or replaces the one of the same name.
    package func add(_ basemap: TileSet) {
        ready.withLock { ready in
            ready.removeAll { $0.name == basemap.name }
            ready.append(basemap)
            let order = BasemapFiles.Part.allCases.map(\.rawValue)
            ready.sort { order.firstIndex(of: $0.name) ?? .max < order.firstIndex(of: $1.name) ?? .max }
        }
    }
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
                try await prepare(part)
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

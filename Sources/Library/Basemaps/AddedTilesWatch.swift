package import Logging
import ServiceLifecycle

/// Looks every few seconds which tiles the operator has added or removed.
package struct AddedTilesWatch: Service {
    private let basemaps: Basemaps
    private let added: AddedTiles
    private let logger: Logger

    /// Creates the watch of the tiles beside the database.
    package init(basemaps: Basemaps, added: AddedTiles, logger: Logger) {
        self.basemaps = basemaps
        self.added = added
        self.logger = logger
    }

    package func run() async throws {
        var seen = try await look(after: [])
        for await _ in AsyncTimerSequence(every: .seconds(3)).cancelOnGracefulShutdown() {
            seen = try await look(after: seen)
        }
    }

    /// Opens what is new or changed and drops what was removed, outside of the threads that answer requests.
    ///
    /// - Parameter seen: What the last call returned; if nothing has changed since, nothing is opened.
    /// - Returns: What was seen, for the next call.
    /// - Throws: `CancellationError` if the service ends.
    package func look(after seen: [String]) async throws -> [String] {
        let versions = added.versions()
        let found = versions.map { "\($0.name) \($0.version)" }
        guard found != seen else { return seen }
        let present = basemaps.added
        let opened = try await LongWork.run { [added, logger] in
            versions.compactMap { name, version -> TileSet? in
                if let known = present.first(where: { $0.name == name && $0.version == version }) { return known }
                do {
                    return try added.open(name, version: version)
                } catch {
                    logger.warning("added tiles cannot be read", metadata: ["tiles": "\(name)", "why": "\(error)"])
                    return nil
                }
            }
        }
        basemaps.replaceAdded(by: opened)
        return found
    }
}

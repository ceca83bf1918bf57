package import Basemap
import Crypto
import Formats
package import Foundation
package import Gazetteer
package import Logging

/// A set of tiles under the stories, the same for everyone.
package struct TileSet: Sendable {
    /// The name in addresses: `land`, `names`, or one that the operator chose.
    package let name: String
    /// The tiles.
    package let archive: TileArchive
    /// Changes with the content; part of every ETag.
    package let version: String
    /// The sources to be named on the map.
    package let attribution: String

    /// Creates a set from its parts.
    package init(name: String, archive: TileArchive, version: String, attribution: String) {
        self.name = name
        self.archive = archive
        self.version = version
        self.attribution = attribution
    }
}

/// Finds the bundled basemaps in the cache, and compiles them from `tiles` and the gazetteer on first use.
package struct BasemapFiles: Sendable {
    /// The reason why a basemap cannot be compiled or opened, described for the operator.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// One or two sentences: the problem and the remedy.
        package let description: String
    }

    /// The bundled basemaps.
    package enum Part: String, CaseIterable, Sendable {
        /// Land, lakes, rivers, and the lines of states and counties.
        case land
        /// The names of places, from the gazetteer.
        case names
    }

    /// Changes when the same sources give other tiles.
    private static let formatVersion = 1
    private let folders: DataFolders
    private let logger: Logger

    /// Creates files that look for `tiles` and `geodata` in `folders` and keep the tiles in their cache.
    package init(folders: DataFolders, logger: Logger) {
        self.folders = folders
        self.logger = logger
    }

    /// Opens a basemap if it has been compiled from the present sources; returns `nil` otherwise.
    package func open(_ part: Part) throws -> TileSet? {
        let version = try version(of: part)
        let file = location(of: part, version)
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        do {
            return try open(part, at: file, version)
        } catch {
            logger.warning("a compiled basemap is damaged and will be compiled again", metadata: ["basemap": "\(part)"])
            return nil
        }
    }

    /// Compiles a basemap, even if it has been compiled before, and opens it.
    ///
    /// - Throws: ``Failure`` if the sources are missing or damaged, or the cache cannot be written.
    /// - Complexity: some ten seconds for `land`, and a few for `names`.
    package func compile(_ part: Part, gazetteer: GazetteerIndex?) throws -> TileSet {
        let version = try version(of: part)
        var bytes: [UInt8]
        switch part {
        case .land: bytes = try LandTiles(folder: sources(part)[0].deletingLastPathComponent()).archive()
        case .names:
            guard let gazetteer else { throw Failure(description: "The names of the map need the gazetteer.") }
            let folder = try sources(part)[0].deletingLastPathComponent()
            bytes = try NameTiles(gazetteer: gazetteer, folder: folder).archive()
        }
        SealedFile.seal(&bytes)
        let file = location(of: part, version)
        do {
            try FileManager.default.createDirectory(at: folders.cache, withIntermediateDirectories: true)
            // Written next to its destination and renamed: another process sees either the complete file or none.
            try Data(bytes).write(to: file, options: .atomic)
        } catch {
            throw Failure(
                description: "\(file.path) cannot be written. Free some space, or set WAYMARK_CACHE to another folder."
            )
        }
        return try open(part, at: file, version)
    }

    /// The file of a compiled basemap.
    package func location(of part: Part) throws -> URL { location(of: part, try version(of: part)) }

    private func location(of part: Part, _ version: String) -> URL {
        folders.cache.appendingPathComponent("\(part.rawValue)-\(version).pmtiles")
    }

    private func open(_ part: Part, at file: URL, _ version: String) throws -> TileSet {
        let length = try SealedFile.check(file.path)
        let archive = try TileArchive(bytes: ArchiveFile(file.path, length: length))
        return TileSet(name: part.rawValue, archive: archive, version: version, attribution: part.attribution)
    }

    /// The manifests that contain the checksums of all sources of a basemap; the first is that of `tiles`.
    private func sources(_ part: Part) throws -> [URL] {
        let paths = part == .land ? ["tiles/manifest.json"] : ["tiles/manifest.json", "geodata/manifest.json"]
        return try paths.map { path in
            guard let manifest = folders.find(path) else {
                throw Failure(description: folders.missing(path))
            }
            return manifest
        }
    }

    private func version(of part: Part) throws -> String {
        var hash = SHA256()
        for manifest in try sources(part) { hash.update(data: try Data(contentsOf: manifest)) }
        return hash.finalize().prefix(8).hexDigits + "-\(BasemapFiles.formatVersion)"
    }
}

extension BasemapFiles.Part {
    fileprivate var attribution: String {
        switch self {
        case .land:
            "Coasts, lakes and rivers: GSHHG (Wessel and Smith 1996), LGPL. Lines: U.S. Census Bureau, Natural Earth."
        case .names: "Names: GeoNames, CC BY 4.0; Natural Earth."
        }
    }
}

import Basemap
import Formats
import Foundation
import Importing
import Storage

/// Adds tiles from a file: streets of an OpenStreetMap extract, or tiles that exist.
package struct TilesAddition: Sendable {
    /// What was added.
    package struct Outcome: Sendable {
        /// The tiles, opened.
        package let tiles: TileSet
        /// What was drawn and what could not be, as sentences.
        package let remarks: [String]
    }

    /// The maximum length of an extract in bytes: reading it takes about seven times as much memory.
    private static let longestExtract = 2 << 30
    /// The attribution that OpenStreetMap's licence asks for.
    private static let openStreetMap = "© OpenStreetMap contributors, ODbL"

    private let added: AddedTiles
    private let report: @Sendable (String) -> Void

    /// Creates an addition; `report` receives messages about the progress.
    package init(to added: AddedTiles, report: @escaping @Sendable (String) -> Void) {
        self.added = added
        self.report = report
    }

    /// Reads a file and stores its tiles under a name, in place of those that had it.
    ///
    /// - Parameters:
    ///   - path: An extract (`.osm.pbf`, `.osm`), or tiles (`.mbtiles`, `.pmtiles`).
    ///   - name: The name; `nil` for one made of the file's.
    ///   - attribution: The source to be named on the map; `nil` for what the file says.
    /// - Returns: What was added.
    /// - Throws: ``BasemapFiles/Failure``; nothing has changed then.
    package func add(_ path: String, name: String?, attribution: String?) throws -> Outcome {
        let name = try checkedName(name, of: path)
        let lower = path.lowercased()
        let known = added.versions().map(\.name)
        guard known.contains(name) || known.count < AddedTiles.most else {
            throw BasemapFiles.Failure(
                description: "There are \(known.count) tiles already. Remove some with 'waymark tiles remove'."
            )
        }
        let draft = try TilesDraft(for: added.file(name))
        do {
            let remarks =
                if lower.hasSuffix(".pbf") || lower.hasSuffix(".osm") {
                    try draw(path, named: name, attribution ?? TilesAddition.openStreetMap, in: draft)
                } else if lower.hasSuffix(".mbtiles") {
                    try convert(path, named: name, attribution, in: draft)
                } else if lower.hasSuffix(".pmtiles") {
                    try copy(path, attribution, in: draft)
                } else {
                    throw TilesAddition.failure(path, "the name must end in .osm.pbf, .osm, .mbtiles or .pmtiles")
                }
            try draft.publish()
            let version = added.versions().first { $0.name == name }?.version ?? ""
            return Outcome(tiles: try added.open(name, version: version), remarks: remarks)
        } catch {
            draft.discard()
            throw TilesAddition.described(error, path)
        }
    }

    private func checkedName(_ name: String?, of path: String) throws -> String {
        guard let name else {
            let file = URL(fileURLWithPath: path).lastPathComponent.lowercased().prefix { $0 != "." }
            let made = String(
                file.drop { !$0.isLetter && !$0.isNumber }.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
                    .prefix(40)
            )
            guard AddedTiles.isName(made) else {
                throw BasemapFiles.Failure(description: "\(path): give the tiles a name with --name.")
            }
            return made
        }
        guard AddedTiles.isName(name) else {
            throw BasemapFiles.Failure(
                description:
                    "The name '\(name)' cannot be used: it must have 1 to 40 small letters, digits and hyphens, "
                    + "and 'land' and 'names' are taken."
            )
        }
        return name
    }

    // MARK: Streets

    private func draw(
        _ path: String,
        named name: String,
        _ attribution: String,
        in draft: TilesDraft
    ) throws -> [String] {
        let length = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        guard length <= TilesAddition.longestExtract else {
            throw TilesAddition.failure(path, "an extract may have at most 2 GB; cut out the region you need")
        }
        if path.lowercased().hasSuffix(".osm") { try GazetteerFiles.check(path) }
        report("Reading \(path) …")
        let map = try StreetReader(path: path).read()
        guard let bounds = map.bounds else { throw TilesAddition.failure(path, "nothing in it can be drawn") }
        report("Drawing tiles …")
        var writer = TileArchiveWriter(output: draft, kind: .vector)
        try map.forEach { tile, bytes in try writer.add(tile, stored: Gzip.compress(bytes, level: 9)) }
        let metadata = BasemapMetadata.json(
            name: name,
            attribution: attribution,
            layers: StreetMap.layers,
            zooms: StreetMap.zooms
        )
        _ = try writer.finish(metadata: metadata, bounds: bounds)
        let counts = map.counts
        var remarks = [
            "\(counts.lines) roads and other lines, \(counts.areas) areas, \(counts.buildings) buildings, "
                + "\(counts.names) names."
        ]
        if counts.incomplete > 0 {
            remarks.append(
                "\(counts.incomplete) lines and areas reach beyond the extract; of lines, what is inside is drawn."
            )
        }
        if counts.broken > 0 {
            remarks.append("\(counts.broken) areas are left out in whole or in part: their outlines do not close.")
        }
        return remarks
    }

    // MARK: Tiles that exist

    private func convert(
        _ path: String,
        named name: String,
        _ attribution: String?,
        in draft: TilesDraft
    ) throws -> [String] {
        let file = try MBTilesFile(path: path)
        defer { try? file.close() }
        report("Reading \(path) …")
        var writer: TileArchiveWriter<TilesDraft>?
        var kind: TileKind?
        var (count, other) = (0, 0)
        let unusable = try file.forEachTile { tile in
            let found = TileContent.kind(of: tile.content)
            let first = kind ?? found
            guard let found, found == first,
                let address = TileAddress(zoom: tile.zoom, column: tile.column, row: tile.row),
                let content = found == .vector ? TileContent.packedVector(tile.content) : tile.content
            else {
                other += 1
                return
            }
            kind = found
            if writer == nil { writer = TileArchiveWriter(output: draft, kind: found) }
            try writer?.add(address, stored: content)
            count += 1
        }
        guard let writer, let kind else {
            throw TilesAddition.failure(path, "it contains no tiles that a map can show")
        }
        let metadata = MBTilesDescription(file.metadata, name: name, attribution: attribution, kind: kind)
        let stored = try writer.finish(metadata: metadata.json, bounds: metadata.bounds)
        let left = unusable + other + count - stored
        return left == 0 ? [] : ["\(left) rows are left out: no tiles, or not of the type of the others."]
    }

    private func copy(_ path: String, _ attribution: String?, in draft: TilesDraft) throws -> [String] {
        let source = try ArchiveFile(path)
        let archive = try TileArchive(bytes: source)
        report("Checking \(path) …")
        guard try archive.survey() > 0 else { throw TilesAddition.failure(path, "it contains no tiles") }
        let piece = 4 << 20
        for start in stride(from: 0, to: source.count, by: piece) {
            try draft.write(source.read(start..<min(source.count, start + piece)), at: UInt64(start))
        }
        guard let attribution else { return [] }
        var members = (try? JSONValue(parsing: archive.metadata, limits: .init(bytes: 4 << 20)))?.object ?? [:]
        members["attribution"] = .string(attribution)
        var json = JSONWriter(capacity: 1_000)
        json.value(.object(members))
        let change = try archive.described(by: json.bytes)
        try draft.write(change.addition, at: UInt64(source.count))
        try draft.write(change.header, at: 0)
        return []
    }

    private static func failure(_ path: String, _ reason: String) -> BasemapFiles.Failure {
        BasemapFiles.Failure(description: "\(path): \(reason). Nothing was added.")
    }

    private static func described(_ error: any Error, _ path: String) -> BasemapFiles.Failure {
        switch error {
        case let failure as BasemapFiles.Failure: failure
        case let problem as GazetteerFileProblem: failure(path, problem.description)
        case let problem as MBTilesFile.Problem: failure(path, problem.description)
        case let error as TileArchiveError: failure(path, error.description)
        case let error as Gzip.Failure: failure(path, error.description)
        case let error as TilesDraft.Failure: BasemapFiles.Failure(description: error.description)
        default: failure(path, "it cannot be read; check that it is a file, and its permissions")
        }
    }
}

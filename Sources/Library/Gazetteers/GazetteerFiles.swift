import Formats
import Foundation
package import Importing

/// Opens files to add to the gazetteer, compressed or not, and reads them in chunks.
package enum GazetteerFiles: Sendable {
    private static let piece = 1 << 20
    private static let packedPiece = 1 << 12

    /// Passes every record of a file to `emit` and returns the rows that could not be used.
    ///
    /// - Throws: `GazetteerFileProblem` if it is damaged or in an unknown format, or any error of `emit`.
    package static func read(_ path: String, _ emit: (GazetteerRecord) throws -> Void) throws -> UnusedRows {
        let name = (path as NSString).lastPathComponent.lowercased()
        if name.hasSuffix(".pbf") || name.hasSuffix(".osm") {
            if name.hasSuffix(".osm") { try check(path) }
            try OpenStreetMapReader(path: path).read(emit)
            return UnusedRows()
        }
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw GazetteerFileProblem("the file cannot be opened; check its permissions")
        }
        defer { try? file.close() }
        do {
            if name.hasSuffix(".zip") { return try readArchive(file, emit) }
            var bytes = { try pieceOfFile(file) }
            // A compressed byte may expand to a thousand.
            if name.hasSuffix(".gz") { bytes = try unpacked { try pieceOfFile(file, packedPiece) } }
            guard let unused = try readTable(bytes, name: baseName(name), emit) else {
                throw GazetteerFileProblem(
                    "the table has no known format; its first line should name columns such as name, lat and lon"
                )
            }
            return unused
        } catch let problem as Gzip.Failure {
            throw GazetteerFileProblem(problem.description)
        } catch let problem as ZipReader.Failure {
            throw GazetteerFileProblem(problem.description)
        } catch let problem as CSVError {
            throw GazetteerFileProblem(problem.description)
        }
    }

    /// Checks that an XML extract has the properties its reader relies on.
    static func check(_ path: String) throws {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw GazetteerFileProblem("the file cannot be opened; check its permissions")
        }
        defer { try? file.close() }
        var check = OpenStreetMapCheck()
        while let bytes = try pieceOfFile(file) { try check.take(bytes) }
    }

    private static func pieceOfFile(_ file: FileHandle, _ length: Int = piece) throws -> [UInt8]? {
        guard let data = try file.read(upToCount: length), !data.isEmpty else { return nil }
        return [UInt8](data)
    }

    /// Returns the name without extensions.
    private static func baseName(_ name: String) -> String {
        String(name.prefix { $0 != "." })
    }

    /// Returns the content of a gzip file in chunks of at most a few megabytes.
    package static func unpacked(_ packed: @escaping () throws -> [UInt8]?) throws -> () throws -> [UInt8]? {
        let decoder = try GzipDecoder(limit: 1 << 42)
        var rest: ArraySlice<UInt8> = []
        return {
            // Gzip compresses at most a thousandfold, so small inputs give small outputs.
            while true {
                if rest.isEmpty {
                    guard let piece = try packed() else { break }
                    rest = piece[...]
                }
                var output: [UInt8] = []
                try decoder.decode(Array(rest.prefix(packedPiece)), into: &output)
                rest = rest.dropFirst(packedPiece)
                if !output.isEmpty { return output }
            }
            try decoder.finish()
            return nil
        }
    }

    /// Reads a table, recognised by its first line; returns `nil` if it is not a known table.
    private static func readTable(
        _ bytes: @escaping () throws -> [UInt8]?,
        name: String,
        _ emit: (GazetteerRecord) throws -> Void
    ) throws -> UnusedRows? {
        var head: [UInt8] = []
        while !head.contains(0x0A), head.count < piece, let more = try bytes() { head += more }
        let line = String(decoding: head.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
        guard let table = GazetteerTable(firstLine: line) else { return nil }
        var first: [UInt8]? = head
        let reader = TableReader(table, name: name) {
            defer { first = nil }
            return try first ?? bytes()
        }
        return try reader.read(emit)
    }

    private static func readArchive(_ file: FileHandle, _ emit: (GazetteerRecord) throws -> Void) throws -> UnusedRows {
        let length = Int(try file.seekToEnd())
        let descriptor = file.fileDescriptor
        let archive = try ZipReader(length: length) { offset, count in
            try bytes(of: descriptor, offset: offset, count: count)
        }
        var unused: UnusedRows?
        for entry in archive.entries where isTable(entry.name) {
            let content = try archive.content(of: entry)
            let name = (entry.name as NSString).lastPathComponent.lowercased()
            if let more = try readTable(content, name: baseName(name), emit) {
                unused = unused ?? UnusedRows()
                unused?.add(more)
            }
        }
        guard let unused else { throw GazetteerFileProblem("the archive contains no table of a known format") }
        return unused
    }

    private static func isTable(_ name: String) -> Bool {
        let last = (name as NSString).lastPathComponent.lowercased()
        guard !name.hasPrefix("__MACOSX"), !last.hasPrefix("."), !last.hasPrefix("readme") else { return false }
        return [".csv", ".tsv", ".txt", ".geojson"].contains { last.hasSuffix($0) }
    }

    private static func bytes(of descriptor: Int32, offset: Int, count: Int) throws -> [UInt8] {
        guard offset >= 0, count > 0 else { return [] }
        var done = 0
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while done < count, let base = buffer.baseAddress {
                let got = pread(descriptor, base + done, count - done, off_t(offset + done))
                if got < 0, errno == EINTR { continue }
                failed = got < 0
                if got <= 0 { break }
                done += got
            }
            initialized = done
        }
        guard !failed else { throw GazetteerFileProblem("the file cannot be read") }
        return bytes
    }
}

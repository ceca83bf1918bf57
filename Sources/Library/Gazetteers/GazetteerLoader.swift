import Crypto
import Formats
public import Foundation
public import Gazetteer
package import GazetteerCompiler
public import Logging

/// Loads the gazetteer: maps the compiled file from the cache into memory, compiling it on first use.
public struct GazetteerLoader: Sendable {
    /// The reason why a gazetteer cannot be loaded, described for the operator.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// One or two sentences: the problem and the remedy.
        public let description: String
    }

    private let folders: DataFolders
    private let logger: Logger

    /// Creates a loader that looks for `geodata` in `folders` and keeps the compiled file in their cache.
    public init(folders: DataFolders, logger: Logger) {
        self.folders = folders
        self.logger = logger
    }

    /// Loads the gazetteer, compiling it if this version of the data has not been compiled yet.
    ///
    /// - Throws: ``Failure`` if the data is missing or damaged, or the cache cannot be written.
    public func load() throws -> GazetteerIndex {
        let (geodata, manifest) = try sources()
        let file = compiledFile(for: manifest)
        do {
            return try open(file)
        } catch {
            // A missing file was never compiled; any other problem is fixed by compiling again.
            if FileManager.default.fileExists(atPath: file.path) {
                logger.warning("the compiled gazetteer is damaged and will be compiled again")
            }
        }
        return try compile(geodata: geodata, manifest: manifest, to: file)
    }

    /// Compiles the gazetteer again and returns its location.
    public func rebuild() throws -> URL {
        let (geodata, manifest) = try sources()
        let file = compiledFile(for: manifest)
        _ = try compile(geodata: geodata, manifest: manifest, to: file)
        return file
    }

    /// Returns the folder of the sources, and where the compiled file is or will be; compiles nothing.
    ///
    /// - Throws: ``Failure`` naming what is missing.
    package func survey() throws -> (sources: URL, compiled: URL) {
        let (geodata, manifest) = try sources()
        let missing = GazetteerSources.fileNames.map { $0 + ".gz" }
            .first { !FileManager.default.fileExists(atPath: geodata.appendingPathComponent($0).path) }
        if let missing { throw Failure(description: folders.missing("geodata/\(missing)")) }
        return (geodata, compiledFile(for: manifest))
    }

    private func sources() throws -> (folder: URL, manifest: Data) {
        guard let manifestURL = folders.find("geodata/manifest.json"), let manifest = try? Data(contentsOf: manifestURL)
        else {
            throw Failure(description: folders.missing("geodata/manifest.json"))
        }
        return (manifestURL.deletingLastPathComponent(), manifest)
    }

    private func compiledFile(for manifest: Data) -> URL {
        // The manifest contains the checksum of every source, so its own checksum identifies all of them.
        let digest = SHA256.hash(data: manifest).prefix(8)
            .map { byte in
                String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }
        return folders.cache.appendingPathComponent("gazetteer-\(digest.joined())-\(GazetteerIndex.formatVersion)s.bin")
    }

    private func open(_ file: URL) throws -> GazetteerIndex {
        try GazetteerIndex(bytes: MappedFile.bytes(of: file, length: SealedFile.check(file.path)))
    }

    private func compile(geodata: URL, manifest: Data, to file: URL) throws -> GazetteerIndex {
        logger.notice("compiling the gazetteer (done once; takes a few seconds)")
        let sources = try tables(geodata: geodata, manifest: manifest)
        var bytes = try GazetteerBuilder.build(sources, checksum: Array(SHA256.hash(data: manifest)))
        SealedFile.seal(&bytes)
        do {
            try FileManager.default.createDirectory(at: folders.cache, withIntermediateDirectories: true)
        } catch {
            throw Failure(
                description:
                    "The cache folder \(folders.cache.path) cannot be created. Set WAYMARK_CACHE to another folder."
            )
        }
        // Written next to its destination and renamed: another process sees either the complete file or none.
        do {
            try Data(bytes).write(to: file, options: .atomic)
        } catch {
            throw Failure(
                description: "\(file.path) cannot be written. Free some space, or set WAYMARK_CACHE to another folder."
            )
        }
        return try open(file)
    }

    /// Returns the decompressed tables that the gazetteer is compiled from.
    package func tables() throws -> GazetteerSources {
        let (geodata, manifest) = try sources()
        return try tables(geodata: geodata, manifest: manifest)
    }

    private func tables(geodata: URL, manifest: Data) throws -> GazetteerSources {
        let checksums = try GazetteerLoader.checksums(in: manifest)
        var tables: [[UInt8]] = []
        for name in GazetteerSources.fileNames {
            let packed = [UInt8](try Data(contentsOf: geodata.appendingPathComponent(name + ".gz")))
            guard checksums[name + ".gz"] == SHA256.hash(data: packed).hexDigits else {
                throw Failure(
                    description: "geodata/\(name).gz does not match geodata/manifest.json; run scripts/build-geodata."
                )
            }
            tables.append(try Gzip.decompress(packed, limit: 200 << 20))
        }
        return GazetteerSources(
            countries: tables[0],
            states: tables[1],
            regions: tables[2],
            counties: tables[3],
            places: tables[4],
            zipcodes: tables[5],
            parts: tables[6],
            community: tables[7],
            areas: tables[8],
            districts: tables[9],
            landforms: tables[10],
            former: tables[11]
        )
    }

    private static func checksums(in manifest: Data) throws -> [String: String] {
        let json = try JSONValue(parsing: [UInt8](manifest), limits: .init(bytes: 1 << 20))
        return (json["files"]?.object ?? [:]).compactMapValues { $0["sha256"]?.string }
    }
}

/// A file mapped into memory, kept alive while the gazetteer reads from it.
final class MappedFile: @unchecked Sendable {
    // Safe to share: constants over memory that is never written; it is unmapped once, in deinit.
    private let memory: UnsafeMutableRawPointer
    private let count: Int

    private init(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CocoaError(.fileReadNoSuchFile) }
        defer { close(descriptor) }
        // Not `fstat`: the members of its result come from a module that this target does not import.
        count = Int(lseek(descriptor, 0, SEEK_END))
        guard count > 0 else { throw CocoaError(.fileReadCorruptFile) }
        guard let memory = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0), memory != MAP_FAILED else {
            throw CocoaError(.fileReadUnknown)
        }
        self.memory = memory
    }

    deinit { munmap(memory, count) }

    /// Maps the first `length` bytes of a file.
    static func bytes(of file: URL, length: Int) throws -> GazetteerBytes {
        try MappedFile(file.path).gazetteerBytes(length)
    }

    private func gazetteerBytes(_ length: Int) -> GazetteerBytes {
        // The closure retains `self`, and thus the mapping, until the gazetteer releases it.
        GazetteerBytes(memory: UnsafeRawBufferPointer(start: memory, count: min(length, count))) { _ = self }
    }
}

extension Sequence<UInt8> {
    /// The bytes as lower-case hexadecimal digits.
    package var hexDigits: String {
        map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

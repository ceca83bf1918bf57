import Archives
import Crypto
import Foundation
import Geometry
import TestSupport

/// An archive with made-up members in a folder of its own.
struct ArchiveFixture {
    static let passphrase = Array("correct horse battery staple".utf8)

    let folder: TemporaryFolder
    let path: String
    let manifest: ArchiveManifest
    let contents: [[UInt8]]

    /// Writes one with members of these sizes.
    init(sizes: [Int], passphrase: [UInt8]? = nil, names: [String]? = nil, writes: Bool = true) throws {
        folder = try TemporaryFolder()
        path = folder.path("made.waymark-backup")
        var generator = SplitMix64(seed: 7)
        contents = sizes.map { size in (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &generator) } }
        let names = names ?? ["database"] + (1..<max(1, sizes.count)).map { "keys/key-\($0).key" }
        manifest = ArchiveManifest(
            program: "0.1.0",
            createdAt: 1_773_500_966_000,
            migrations: ["1 first", "second"],
            digest: String(repeating: "a1", count: 32),
            tables: [.init(name: "stories", rows: 3, digest: String(repeating: "0f", count: 32))],
            members: zip(names, contents)
                .map { name, bytes in
                    .init(name: name, bytes: bytes.count, digest: SHA256.hash(data: bytes).hexadecimal)
                }
        )
        if writes { try write(passphrase: passphrase) }
    }

    func write(passphrase: [UInt8]?) throws {
        var generator = SplitMix64(seed: 11)
        let writer = try ArchiveWriter(
            creating: path,
            manifest: manifest,
            passphrase: passphrase,
            cost: .least,
            randomness: .init(using: &generator)
        )
        for bytes in contents {
            // In pieces that do not fit the chunks.
            for start in stride(from: 0, to: bytes.count, by: 100_003) {
                try writer.append(Array(bytes[start..<min(bytes.count, start + 100_003)]))
            }
        }
        try writer.finish()
    }

    /// Reads an archive to its end and returns the content of its members.
    static func read(_ path: String, passphrase: [UInt8]? = nil) throws -> [[UInt8]] {
        let reader = try ArchiveReader(path, passphrase: passphrase)
        var all: [[UInt8]] = []
        var bytes: [UInt8] = []
        while try reader.nextMember({ bytes += $0 }) != nil {
            all.append(bytes)
            bytes = []
        }
        return all
    }

    var bytes: [UInt8] { get throws { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) } }

    /// Returns the code with which an archive of these bytes is refused; `nil` if it is read.
    func refusal(of bytes: [UInt8], passphrase: [UInt8]?) throws -> ArchiveError.Code? {
        let other = folder.path("other.waymark-backup")
        try Data(bytes).write(to: URL(fileURLWithPath: other))
        do {
            _ = try ArchiveFixture.read(other, passphrase: passphrase)
            return nil
        } catch let error as ArchiveError {
            return error.code
        }
    }
}

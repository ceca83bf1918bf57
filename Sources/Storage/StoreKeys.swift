import Foundation

/// The secrets of an installation, in `PATH.keys/` (0700) beside the database and outside its backups.
public struct StoreKeys: Sendable {
    /// The names of the keys, which are their file names.
    public enum Name: String, CaseIterable, Sendable {
        /// Turns (owner, source, source id) into the id of an imported story.
        case storyIDs = "story-ids.key"
        /// Keys the digests that map versions and ETags are sums of.
        case versions = "versions.key"
        /// Signs cursors.
        case cursors = "cursors.key"
        /// Signs the tokens of the built-in issuer (HS256).
        case tokens = "tokens.key"
        /// Keys what the ledger remembers.
        case ledger = "ledger.key"
    }

    private let keys: [Name: [UInt8]]

    /// Reads the keys beside a database, making those that are missing: 32 bytes from the system's generator.
    ///
    /// With `creating` false and no directory of keys, the keys live in memory only: a reader changes nothing on disk.
    ///
    /// - Throws: ``StoreError`` when a key cannot be read or written, or has fewer than 32 bytes.
    public init(besideDatabase path: String, creating: Bool) throws {
        let directory = URL(fileURLWithPath: path + ".keys", isDirectory: true)
        guard creating || FileManager.default.fileExists(atPath: directory.path) else {
            self.init(ephemeralSeed: .random(in: 0...255))
            return
        }
        try FileManager.default.createDirectory(
            at: directory,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        var keys: [Name: [UInt8]] = [:]
        for name in Name.allCases {
            keys[name] = try StoreKeys.key(at: directory.appendingPathComponent(name.rawValue))
        }
        self.init(keys: keys)
    }

    private init(keys: [Name: [UInt8]]) {
        self.keys = keys
    }

    /// Keys that live in memory only, for throw-away stores; made from `seed`, so never secret.
    public init(ephemeralSeed seed: UInt8) {
        let pairs = Name.allCases.enumerated()
            .map { index, name in
                (name, [UInt8](repeating: seed &+ UInt8(index), count: 32))
            }
        self.init(keys: Dictionary(uniqueKeysWithValues: pairs))
    }

    /// The bytes of a key, at least 32.
    public subscript(name: Name) -> [UInt8] { keys[name] ?? [] }

    /// The first 16 bytes of a key as two integers, for keyed hashes in memory.
    public func integers(_ name: Name) -> (UInt64, UInt64) {
        let bytes = self[name]
        func integer(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        return bytes.count >= 16 ? (integer(0..<8), integer(8..<16)) : (0, 0)
    }

    private static func key(at url: URL) throws -> [UInt8] {
        if FileManager.default.fileExists(atPath: url.path) {
            let bytes = [UInt8](try Data(contentsOf: url))
            guard bytes.count >= 32 else {
                throw StoreError(
                    .failed,
                    "\(url.path) holds fewer than 32 bytes; restore it or delete it to make a new one."
                )
            }
            return bytes
        }
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        guard
            FileManager.default.createFile(
                atPath: url.path,
                contents: Data(bytes),
                attributes: [.posixPermissions: 0o600]
            )
        else {
            throw StoreError(.failed, "Cannot write \(url.path); check the permissions of its directory.")
        }
        return bytes
    }
}

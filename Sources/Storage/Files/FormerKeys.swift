import Formats
import Foundation
import Notifications
public import Stories

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A key that was replaced and is still known, so that what was made with it stays valid for a time.
public struct FormerKey: Hashable, Sendable {
    /// Its bytes, at least 32.
    package let key: [UInt8]
    /// When it was replaced.
    public let replacedAt: Timestamp
    /// Until when what it made is accepted.
    public let until: Timestamp

    /// Creates a value from its parts.
    package init(key: [UInt8], replacedAt: Timestamp, until: Timestamp) {
        self.key = key
        self.replacedAt = replacedAt
        self.until = until
    }
}

/// The former keys for one purpose, in `PATH.keys/NAME.former`, the oldest first.
///
/// They lie in a file of their own, which is written before the key is replaced: whatever a crash leaves, every key that
/// something was made with is in one of the two. Each line carries a code under its own key, so that a flipped bit is
/// noticed.
struct FormerKeyFile: Sendable {
    /// The maximum number of former keys for one purpose.
    static let most = 16
    /// The ending of the names of the files.
    static let ending = ".former"
    private static let mostBytes = 1 << 21

    /// The purpose, as ``StoreKeys/Name`` writes it.
    let name: String
    private let file: String

    /// Creates a value for a purpose and a folder of keys.
    init(_ name: StoreKeys.Name, folder: String) {
        self.name = name.rawValue
        file = "\(folder)/\(name.rawValue)\(FormerKeyFile.ending)"
    }

    /// Returns the former keys; none without the file.
    ///
    /// - Throws: ``StoreError`` if it cannot be read or is damaged.
    func read() throws -> [FormerKey] {
        let bytes = try ErasureFile.read(file, advice: "Restore it from a backup of the folder of keys")
        guard !bytes.isEmpty else { return [] }
        guard bytes.count <= FormerKeyFile.mostBytes, let keys = FormerKeyFile.keys(in: bytes, name: name) else {
            throw StoreError(
                .failed,
                "\(file) is damaged. Restore it from a backup of the folder of keys. If there is no backup, move it out of the "
                    + "folder: what was made with the former keys of \(name) then becomes invalid, and rows still sealed with "
                    + "them cannot be read."
            )
        }
        return keys
    }

    /// Replaces the former keys; after a power cut the file holds either the old ones or the new ones.
    ///
    /// - Throws: ``StoreError`` if it cannot be written.
    func write(_ keys: [FormerKey]) throws {
        guard !keys.isEmpty else {
            guard unlink(file) == 0 || errno == ENOENT else {
                throw StoreError(.failed, "Cannot remove \(file): \(String(cString: strerror(errno))).")
            }
            return
        }
        do {
            try ErasureFile.replace(file, by: FormerKeyFile.bytes(of: keys, name: name))
        } catch {
            throw StoreError(.failed, "Cannot write \(file): \(error). No key was changed.")
        }
    }

    /// Returns the content of the file for these keys.
    static func bytes(of keys: [FormerKey], name: String) -> [UInt8] {
        let lines = keys.map { key in
            let said = "1 \(key.replacedAt.milliseconds) \(key.until.milliseconds) \(Base64.encodeURL(key.key))"
            return "\(said) \(code(of: said, key: key.key, name: name))\n"
        }
        return Array(lines.joined().utf8)
    }

    /// Returns the keys of a file; `nil` if a line is damaged.
    static func keys(in bytes: [UInt8], name: String) -> [FormerKey]? {
        var keys: [FormerKey] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 5, words[0] == "1", let replaced = Int64(words[1]), let until = Int64(words[2]),
                let key = Base64.decodeURL(words[3].utf8), key.count >= 32, let code = StoryID(words[4]),
                code == FormerKeyFile.code(of: words.dropLast().joined(separator: " "), key: key, name: name)
            else { return nil }
            keys.append(
                FormerKey(
                    key: key,
                    replacedAt: Timestamp(milliseconds: replaced),
                    until: Timestamp(milliseconds: until)
                )
            )
        }
        return keys
    }

    /// Returns the keys of two lists, each once and for the longer of its times, without the current one.
    static func union(_ one: [FormerKey], _ other: [FormerKey], current: [UInt8]) -> [FormerKey] {
        var found: [[UInt8]: FormerKey] = [:]
        for key in one + other where key.key != current {
            let known = found[key.key]
            found[key.key] = FormerKey(
                key: key.key,
                replacedAt: min(key.replacedAt, known?.replacedAt ?? key.replacedAt),
                until: max(key.until, known?.until ?? key.until)
            )
        }
        func order(_ key: FormerKey) -> (Timestamp, Timestamp, String) {
            (key.replacedAt, key.until, Base64.encodeURL(key.key))
        }
        return Array(found.values.sorted { order($0) < order($1) }.suffix(most))
    }

    private static func code(of line: String, key: [UInt8], name: String) -> StoryID {
        KeyedID.make(secret: key, message: Array("former|\(name)|\(line)".utf8))
    }
}

extension StoreKeys {
    /// The former keys for a purpose, the oldest first.
    public func formers(_ name: Name) -> [FormerKey] { former[name] ?? [] }

    /// Returns the key and the former ones whose time has not ended, the current first: what they signed is accepted.
    package func accepted(_ name: Name, at now: Timestamp) -> [[UInt8]] {
        [self[name]] + formers(name).reversed().filter { now < $0.until }.map(\.key)
    }

    /// Returns the key and all former ones, the current first: what they sealed can be read.
    package func known(_ name: Name) -> [[UInt8]] { [self[name]] + formers(name).reversed().map(\.key) }
}

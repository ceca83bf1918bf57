import Notifications
import Stories

/// What the keys next to a database were when it was last open, in `PATH.keys/keys.check`, so that a flipped bit is
/// noticed before anything is sealed, signed or refused with a wrong key.
///
/// Each line names a key, a digest of its purpose under that key, which reveals nothing of it, and a digest of the line,
/// so that a damaged line is not taken for a damaged key. A key that was replaced stays known, because it may be put back.
struct KeyChecks {
    /// The number of keys remembered for one purpose.
    private static let mostKnown = 16

    private let file: String
    /// The digests of the keys for each purpose, oldest first.
    private var digests: [String: [StoryID]] = [:]
    private var isChanged = false

    /// Reads the file in a folder of keys; without one, no key is known yet.
    ///
    /// - Throws: ``StoreError`` if it cannot be read.
    init(folder: String) throws {
        file = folder + "/keys.check"
        let text = String(decoding: try ErasureFile.read(file), as: UTF8.self)
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 3, let digest = StoryID(words[1]),
                StoryID(words[2]) == KeyChecks.sum(words[0], digest)
            else { continue }
            digests[words[0], default: []].append(digest)
        }
    }

    /// Returns whether a key is another than all before; where none is known yet, no key is.
    func differs(_ key: [UInt8], from name: StoreKeys.Name) -> Bool {
        digests[name.rawValue].map { !$0.contains(KeyChecks.digest(of: key, name)) } ?? false
    }

    /// Returns whether there was a key for a purpose; where nothing is known, there was one for each.
    func expects(_ name: StoreKeys.Name) -> Bool { digests.isEmpty || digests[name.rawValue] != nil }

    /// Takes a key for the right one from now on.
    mutating func accept(_ key: [UInt8], as name: StoreKeys.Name) {
        let digest = KeyChecks.digest(of: key, name)
        let known = digests[name.rawValue] ?? []
        guard !known.contains(digest) else { return }
        digests[name.rawValue] = (known + [digest]).suffix(KeyChecks.mostKnown)
        isChanged = true
    }

    /// Writes the file if anything changed.
    ///
    /// On a full disk it is written at a later start.
    func save() { try? store() }

    /// Writes the file if anything changed.
    ///
    /// - Throws: ``StoreError`` if it cannot be written.
    func store() throws {
        guard isChanged else { return }
        let lines = digests.sorted { $0.key < $1.key }
            .flatMap { name, known in known.map { "\(name) \($0) \(KeyChecks.sum(name, $0))\n" } }
        do {
            try ErasureFile.replace(file, by: Array(lines.joined().utf8))
        } catch {
            throw StoreError(.failed, "Cannot write \(file): \(error). No key was changed.")
        }
    }

    private static func digest(of key: [UInt8], _ name: StoreKeys.Name) -> StoryID {
        KeyedID.make(secret: key, message: Array("key|\(name.rawValue)".utf8))
    }

    private static func sum(_ name: String, _ digest: StoryID) -> StoryID {
        KeyedID.make(secret: Array("keys.check".utf8), message: Array("\(name)|\(digest)".utf8))
    }
}

import Foundation
public import Logging
public import Stories
import Synchronization

/// An issuer whose keys are in a file that is read again when it changes.
public final class KeySetFile: Sendable {
    /// The attributes by which a new version of the file is recognised.
    private struct Version: Equatable, Sendable {
        let modified: Date?
        let size: Int?
        let number: Int?
    }

    private struct State: Sendable {
        var keys: [String: VerificationKey]
        var version: Version
        var lookedAt: Timestamp
        /// How many times the file was read: of two readings at once, the later one counts.
        var readings = 0
    }

    /// The minimum time between checks of the file, in milliseconds.
    package static let patience: Int64 = 10_000

    package let issuer: TokenIssuer
    private let path: String
    private let logger: Logger
    private let state: Mutex<State>

    /// Reads the keys of an outside issuer; its tokens must name the issuer and the audience.
    ///
    /// - Throws: ``KeySet/Failure`` naming the file and the problem.
    public init(path: String, issuer: String, audience: String, now: Timestamp, logger: Logger) async throws {
        let version = KeySetFile.version(of: path)
        let keys = try await KeySetFile.read(path)
        self.path = path
        self.issuer = TokenIssuer(name: issuer, audience: audience, isBuiltIn: false)
        self.logger = logger
        state = Mutex(State(keys: keys, version: version, lookedAt: now))
    }

    /// Returns the key with an id; `nil` if there is none.
    ///
    /// The file is checked at most once every ten seconds, and read again if it has changed. If a new version cannot be
    /// read or is invalid, the old keys stay in use and an error is logged.
    package func key(_ id: String, now: Timestamp) async -> VerificationKey? {
        let isDue = state.withLock { state in
            guard abs(now.milliseconds - state.lookedAt.milliseconds) >= KeySetFile.patience else { return false }
            state.lookedAt = now
            return true
        }
        if isDue { await reload(always: false) }
        return state.withLock { $0.keys[id] }
    }

    /// Reads the file again now, also if it seems unchanged; an invalid one leaves the old keys in use.
    public func reload() async { await reload(always: true) }

    private func reload(always: Bool) async {
        let version = KeySetFile.version(of: path)
        let reading: Int? = state.withLock { state in
            guard always || version != state.version else { return nil }
            state.version = version
            state.readings += 1
            return state.readings
        }
        guard let reading else { return }
        do {
            let keys = try await KeySetFile.read(path)
            state.withLock { state in
                if state.readings == reading { state.keys = keys }
            }
            logger.info("the keys of the token issuer were reloaded", metadata: ["keys": "\(keys.count)"])
        } catch {
            logger.error(
                "the new keys of the token issuer are invalid; the previous ones remain in use",
                metadata: ["why": "\(error)"]
            )
        }
    }

    private static func version(of path: String) -> Version {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return Version(
            modified: attributes?[.modificationDate] as? Date,
            size: attributes?[.size] as? Int,
            number: attributes?[.systemFileNumber] as? Int
        )
    }

    private static func read(_ path: String) async throws(KeySet.Failure) -> [String: VerificationKey] {
        guard let file = FileHandle(forReadingAtPath: path),
            let data = try? file.read(upToCount: KeySet.maximumBytes + 1)
        else { throw KeySet.Failure(description: "\(path): the file cannot be read. Check its permissions.") }
        defer { try? file.close() }
        do {
            return try await KeySet(parsing: [UInt8](data)).keys
        } catch {
            throw KeySet.Failure(description: "\(path): \(error.description)")
        }
    }
}

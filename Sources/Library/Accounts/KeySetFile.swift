import Foundation
public import Logging
public import Stories
import Synchronization

/// An issuer whose keys lie in a file that is read again when it has changed.
public final class KeySetFile: Sendable {
    /// What told the file's last version from others.
    private struct Version: Equatable, Sendable {
        let modified: Date?
        let size: Int?
        let number: Int?
    }

    private struct State: Sendable {
        var keys: [String: VerificationKey]
        var version: Version
        var lookedAt: Timestamp
    }

    /// How long the file is not looked at again, in milliseconds.
    package static let patience: Int64 = 10_000

    package let issuer: TokenIssuer
    private let path: String
    private let logger: Logger
    private let state: Mutex<State>

    /// Reads the keys of an outside issuer, whose tokens must name it and the audience.
    ///
    /// - Throws: ``KeySet/Failure`` naming the file and what is wrong with it.
    public init(path: String, issuer: String, audience: String, now: Timestamp, logger: Logger) throws {
        self.path = path
        self.issuer = TokenIssuer(name: issuer, audience: audience, isBuiltIn: false)
        self.logger = logger
        let version = KeySetFile.version(of: path)
        state = Mutex(State(keys: try KeySetFile.read(path), version: version, lookedAt: now))
    }

    /// The keys as they are now: the file is looked at once in ten seconds, and read when it is another.
    ///
    /// A new version that is broken changes nothing, and the log says so.
    package func key(_ id: String, now: Timestamp) -> VerificationKey? {
        state.withLock { state in
            if abs(now.milliseconds - state.lookedAt.milliseconds) >= KeySetFile.patience {
                state.lookedAt = now
                reload(&state)
            }
            return state.keys[id]
        }
    }

    private func reload(_ state: inout State) {
        let version = KeySetFile.version(of: path)
        guard version != state.version else { return }
        state.version = version
        do {
            state.keys = try KeySetFile.read(path)
            logger.info("the keys of the token issuer were read again", metadata: ["keys": "\(state.keys.count)"])
        } catch {
            logger.error(
                "the new keys of the token issuer are refused, the old ones stay",
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

    private static func read(_ path: String) throws(KeySet.Failure) -> [String: VerificationKey] {
        guard let file = FileHandle(forReadingAtPath: path),
            let data = try? file.read(upToCount: KeySet.maximumBytes + 1)
        else { throw KeySet.Failure(description: "\(path): the file cannot be read.") }
        defer { try? file.close() }
        do {
            return try KeySet(parsing: [UInt8](data)).keys
        } catch {
            throw KeySet.Failure(description: "\(path): \(error.description)")
        }
    }
}

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
    public init(path: String, issuer: String, audience: String, now: Timestamp, logger: Logger) throws {
        self.path = path
        self.issuer = TokenIssuer(name: issuer, audience: audience, isBuiltIn: false)
        self.logger = logger
        let version = KeySetFile.version(of: path)
        state = Mutex(State(keys: try KeySetFile.read(path), version: version, lookedAt: now))
    }

    /// Returns the key with an id; `nil` if there is none.
    ///
    /// The file is checked at most once every ten seconds, and read again if it has changed. If a new version cannot be
    /// read or is invalid, the old keys stay in use and an error is logged.
    package func key(_ id: String, now: Timestamp) -> VerificationKey? {
        state.withLock { state in
            if abs(now.milliseconds - state.lookedAt.milliseconds) >= KeySetFile.patience {
                state.lookedAt = now
                reload(&state)
            }
            return state.keys[id]
        }
    }

    /// Reads the file again now, also if it seems unchanged; an invalid one leaves the old keys in use.
    public func reload() { state.withLock { reload(&$0, always: true) } }

    private func reload(_ state: inout State, always: Bool = false) {
        let version = KeySetFile.version(of: path)
        guard always || version != state.version else { return }
        state.version = version
        do {
            state.keys = try KeySetFile.read(path)
            logger.info("the keys of the token issuer were reloaded", metadata: ["keys": "\(state.keys.count)"])
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

    private static func read(_ path: String) throws(KeySet.Failure) -> [String: VerificationKey] {
        guard let file = FileHandle(forReadingAtPath: path),
            let data = try? file.read(upToCount: KeySet.maximumBytes + 1)
        else { throw KeySet.Failure(description: "\(path): the file cannot be read. Check its permissions.") }
        defer { try? file.close() }
        do {
            return try KeySet(parsing: [UInt8](data)).keys
        } catch {
            throw KeySet.Failure(description: "\(path): \(error.description)")
        }
    }
}

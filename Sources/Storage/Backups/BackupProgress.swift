import Archives
import GRDB

/// What a backup or a restore is doing.
public enum BackupStep: String, Hashable, Sendable {
    /// The database is copied in one view.
    case copying
    /// The copy is checked and its rows are digested.
    case checking
    /// The archive is written.
    case writing
    /// The archive is read back.
    case verifying
    /// Files are taken out of the archive.
    case extracting
}

/// Gets the step with the bytes done and the bytes in all, a few times a second; whatever it throws ends the work.
public typealias BackupProgress = @Sendable (_ step: BackupStep, _ done: Int, _ total: Int) throws -> Void

extension BackupStep {
    /// Runs `work` and turns what the archive and the database say into errors for the operator.
    static func explaining<Value>(_ path: String, _ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch let error as ArchiveError {
            let code: StoreError.Code =
                switch error.code {
                case .diskFull: .diskFull
                case .newerFormat: .newerSchema
                case .passphraseMissing, .passphraseWrong, .notSealed, .notAnArchive: .refused
                case .truncated, .damaged, .failed: .failed
                }
            throw StoreError(code, error.description)
        } catch let error as DatabaseError {
            throw StoryStore.explain(error, path: path)
        }
    }
}

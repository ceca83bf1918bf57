#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The reason why an archive cannot be written or is refused.
public struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Hashable, Sendable {
        /// The file is something else.
        case notAnArchive
        /// It was written by a later program.
        case newerFormat
        /// Its end is missing.
        case truncated
        /// Bytes of it have changed.
        case damaged
        /// It is sealed and no passphrase was given.
        case passphraseMissing
        /// The passphrase is another one.
        case passphraseWrong
        /// A passphrase was given but it is not sealed.
        case notSealed
        /// The disk has no space for it.
        case diskFull
        /// It cannot be read or written for another reason.
        case failed
    }

    /// The kind of failure.
    public let code: Code
    /// One or two sentences: what is wrong, where, and what to do.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    static func damaged(_ file: String, _ place: String) -> ArchiveError {
        ArchiveError(.damaged, "\(file) is damaged \(place). Use another backup; nothing was restored from it.")
    }

    /// Returns the error for a system call that failed on a file.
    static func system(_ file: String, _ action: String, _ number: Int32) -> ArchiveError {
        switch number {
        case ENOSPC, EDQUOT:
            ArchiveError(.diskFull, "The disk is full; \(file) cannot be \(action). Free some space and try again.")
        default: ArchiveError(.failed, "\(file) cannot be \(action): \(String(cString: strerror(number))).")
        }
    }
}

import Foundation

/// The note that keys are missing which the database was used with: `keys.lost` in the folder of keys, until an operator
/// puts the folder back or removes the note.
///
/// New keys are made at once, so without the note nothing would say on the next day what no longer works, and why.
enum LostKeys: Sendable {
    /// The name of the note.
    static let file = "keys.lost"
    private static let most = 65_536

    /// Leaves the note about keys that were made anew for the database at `path`.
    ///
    /// - Throws: an error of the file system.
    static func note(_ names: [StoreKeys.Name], beside path: String) throws {
        let words = """
            \(names.map(\.rawValue).sorted().joined(separator: " "))

            These keys were missing when the database was opened, so new ones were made. Consequences:
            \(names.sorted { $0.rawValue < $1.rawValue }.map { "- \($0.rawValue): \($0.consequence)." }.joined(separator: "\n"))

            If you have the folder of keys from before, stop the service and put it back as a whole, or restore a backup
            that was sealed with a passphrase. Otherwise remove this file once people know.

            """
        try ErasureFile.replace("\(path).keys/\(file)", by: Array(words.utf8))
    }

    /// Returns the keys that the note names; none without a note.
    static func named(beside path: String) -> [StoreKeys.Name] {
        guard let bytes = try? ErasureFile.read("\(path).keys/\(file)"), !bytes.isEmpty, bytes.count <= most else {
            return []
        }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: line, as: UTF8.self).split(separator: " ")
            .compactMap { StoreKeys.Name(rawValue: String($0)) }
    }
}

extension StoreKeys.Name {
    /// What follows from the loss of a key, without a full stop.
    package var consequence: String {
        switch self {
        case .tokens: "access tokens and links made so far are invalid"
        case .erasures: "an older copy of the database can bring back what was erased"
        case .sealing: "deleted stories that are still kept cannot be restored"
        case .channels: "channels are switched off until their users add them again"
        case .vapid: "browsers must be added again as channels"
        case .cursors: "pages of lists that were open begin anew"
        case .versions: "clients load the map once more"
        case .storyIDs, .ledger: "imports and notifications cannot be matched with earlier ones"
        }
    }
}

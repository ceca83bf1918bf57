package import Storage
import Stories

/// How an import treats what is stored already.
package struct ImportChoices: Sendable {
    /// Whether the stories of the source that the file no longer contains are removed.
    package var replaces = false
    /// Whether more than half of a source's stories may be removed so.
    package var mayRemoveMost = false
    /// Whether the name of the source was given on purpose, even if the file was imported under another one.
    package var isSourceGiven = true
    /// Whether the owner was named on purpose, even if the file was imported for another one.
    ///
    /// If not, the imports of all owners are looked at, which only operators may do.
    package var isOwnerGiven = true

    /// Creates the choices of an import that only adds and changes.
    package init() {}
}

/// Why an import that can be read is not stored; nothing has changed.
package enum ImportConflict: Error, Hashable, Sendable {
    /// The same content is stored under another source.
    case sameContent(StoredImport)
    /// The same content is stored for another owner; only for operators.
    case sameContentOfOther(StoredImport)
    /// Most of the first rows are stored under another source.
    case sameRows(source: String)
    /// More than half of the source's stories would be removed.
    case removesMost(removed: Int, of: Int)
    /// A row that cannot be read would count as one that is gone.
    case skipsRows(Int)
    /// An import of the same user is under way.
    case underWay
}

extension ImportConflict: RefusalConvertible {
    package var refusal: Refusal {
        switch self {
        case .sameContent(let stored):
            Refusal(
                .conflict,
                "same-content",
                "This file has the same content as the import \(stored.id) of the source \(stored.origin.source). Nothing was "
                    + "stored. Name that source to import it again, or another to store its stories twice."
            )
        case .sameContentOfOther:
            // Without the other's name, which only operators may know.
            Refusal(
                .conflict,
                "same-content",
                "This file has the same content as an import of another owner. Nothing was stored. Name the owner of its "
                    + "stories."
            )
        case .sameRows(let source):
            Refusal(
                .conflict,
                "same-rows",
                "Most rows of this file have the ids and titles of stories of the source \(source). Nothing was stored. Name "
                    + "that source to change them, or another to store them twice."
            )
        case .removesMost(let removed, let all):
            Refusal(
                .conflict,
                "removes-most",
                "\(removed) of the \(all) stories of this source are not in the file and would be removed. Nothing was "
                    + "stored. Confirm this if the file is complete."
            )
        case .skipsRows(let count):
            Refusal(
                .invalid,
                "skipped-rows",
                "The file has rows with errors (\(count)). When it replaces what is stored, a skipped row would count as one "
                    + "that is gone, so nothing was stored. Correct these rows first."
            )
        case .underWay:
            Refusal(
                .conflict,
                "import-under-way",
                "An import of yours is under way. Wait until it is complete, and send this one again.",
                retryAfter: 5
            )
        }
    }
}

/// The problems of a file as they are recorded with its import.
package enum ImportProblemList: Sendable {
    /// The maximum number of problems that are recorded.
    static let most = 100
}

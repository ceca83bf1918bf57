package import Storage

extension ReadinessWarning {
    /// Returns the warnings that other users of the machine can read the database or its keys, or use their folder.
    package static func rights(of store: StoryStore) -> [ReadinessWarning] {
        rights(isOpen: store.isOpenToOthers, folder: store.folderAccess)
    }

    /// Returns the warnings about a database whose files are open to others or not, in a folder that they may use so.
    package static func rights(isOpen: Bool, folder: FileRights.FolderAccess) -> [ReadinessWarning] {
        var warnings: [ReadinessWarning] = []
        if isOpen {
            warnings.append(
                ReadinessWarning(
                    code: "files-open",
                    detail:
                        "Other users of this machine can read the database, its log or its keys. Close them: 'chmod 600' for "
                        + "the files, 'chmod 700' for the folder of keys; or restart the service, which does it. Whoever may have "
                        + "read a key has it: 'waymark keys rotate' replaces keys."
                )
            )
        }
        switch folder {
        case .none: break
        case .listing:
            warnings.append(
                ReadinessWarning(
                    code: "folder-open",
                    detail:
                        "Other users of this machine see the names, sizes and times of the files in the folder of the database. "
                        + "Give the database a folder of its own with mode 700."
                )
            )
        case .writing:
            warnings.append(
                ReadinessWarning(
                    code: "folder-open",
                    detail:
                        "Other users of this machine can replace and remove the files in the folder of the database. Give the "
                        + "database a folder of its own with mode 700."
                )
            )
        }
        return warnings
    }
}

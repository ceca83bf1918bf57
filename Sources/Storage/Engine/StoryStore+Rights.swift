extension StoryStore {
    /// Whether the database, its log or its keys can be read or written by other users of the machine at present; looks at
    /// about 20 files.
    package var isOpenToOthers: Bool { FileRights.areOpen(database: path) }

    /// What other users of the machine can do in the folder of the database.
    package var folderAccess: FileRights.FolderAccess { FileRights.folderAccess(database: path) }
}

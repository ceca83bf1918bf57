extension StoryStore {
    /// The store that the current task borrows from a running service, and therefore must not close.
    @TaskLocal package static var lent: StoryStore?

    /// Returns whether a process, such as a running service, holds the database at a path for writing.
    package static func isHeld(_ path: String) -> Bool { StoreLock.isHeld(database: resolved(path)) }
}

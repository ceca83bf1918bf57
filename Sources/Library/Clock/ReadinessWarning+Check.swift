package import Storage

extension ReadinessWarning {
    /// Returns the warning that a part of the database is damaged, or that its last check found something; `nil` if all
    /// is well.
    package static func damage(in store: StoryStore) -> ReadinessWarning? {
        if store.hasUnreadablePages || store.hasUnreadableStories {
            return ReadinessWarning(
                code: "database-damaged",
                detail:
                    "A part of the database cannot be read; requests that need it get an error, and everything else works. "
                    + "Check the disk. 'waymark check' says what is concerned and what to do.",
                preventsReadiness: true
            )
        }
        if !store.damagedPages.isEmpty {
            return ReadinessWarning(
                code: "database-damaged",
                detail:
                    "Flipped bits were found in the database; they are corrected whenever they are read. Check the disk and "
                    + "the memory of this machine, stop the service, and run 'waymark check --repair'."
            )
        }
        guard UpkeepRecord(.check, besideDatabase: store.path)?.outcome == "attention" else { return nil }
        return ReadinessWarning(
            code: "database-damaged",
            detail:
                "The last check of the database found something wrong. 'waymark check' says what is concerned and what to "
                + "do, and this warning ends with a check that finds nothing."
        )
    }
}

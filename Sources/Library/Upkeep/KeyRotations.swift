package import Storage

/// Completes rotations of keys: seals rows with the present keys that are sealed with former ones, and forgets the former
/// keys whose time has ended.
package struct KeyRotations: Sendable {
    /// What was left to do.
    package struct Outcome: Hashable, Sendable {
        /// The number of channels and deleted stories that were sealed with the present key.
        package var resealed = 0
        /// The number of browsers that were switched off because their subscriptions ended.
        package var endedSubscriptions = 0
        /// The purposes of which former keys were forgotten.
        package var forgotten: [StoreKeys.Name] = []
    }

    private let library: StoryLibrary

    /// Creates the rotations of a library.
    package init(of library: StoryLibrary) { self.library = library }

    /// Does what is left; nothing without former keys.
    ///
    /// Stopped after any step, a repetition completes it: a former key is forgotten last.
    ///
    /// - Throws: ``StoreError`` if the database or a file of keys cannot be written.
    package func finish() async throws -> Outcome {
        var outcome = Outcome()
        let (store, keys) = (library.store, library.store.keys)
        guard store.isWritable, StoreKeys.Name.allCases.contains(where: { !keys.formers($0).isEmpty }) else {
            return outcome
        }
        if !keys.formers(.channels).isEmpty || !keys.formers(.vapid).isEmpty {
            (outcome.resealed, outcome.endedSubscriptions) = try await library.channels.finishKeyRotation()
        }
        if !keys.formers(.sealing).isEmpty {
            outcome.resealed += try await library.rights.retention.finishKeyRotation()
        }
        do {
            outcome.forgotten = try store.forgetFormerKeys(at: library.now())
        } catch let error as StoreError where error.code == .locked {
            // A backup runs, which may have rows under them; another day will do.
        }
        return outcome
    }
}

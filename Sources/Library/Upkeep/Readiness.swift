import Storage

/// What the service answers when asked whether it is ready.
package struct Readiness: Sendable {
    /// Everything that an operator should look at, in the order of ``sources``.
    package let warnings: [ReadinessWarning]

    /// Why the service is not ready; `nil` if it is.
    package var obstacle: ReadinessWarning? { warnings.first { $0.preventsReadiness } }

    /// A source of warnings.
    package struct Source: Sendable {
        /// The codes of its warnings, for the documentation.
        package let codes: [String]
        /// Finds the warnings that apply at present; must be quick, because monitoring asks every few seconds.
        let warnings: @Sendable (StoryLibrary) async throws -> [ReadinessWarning]

        /// Creates a source.
        package init(
            _ codes: [String],
            _ warnings: @escaping @Sendable (StoryLibrary) async throws -> [ReadinessWarning]
        ) {
            self.codes = codes
            self.warnings = warnings
        }
    }

    /// All sources, what prevents readiness first.
    ///
    /// A new warning is a line here.
    package static let sources: [Source] = [
        .init(["writing-stopped", "read-only"]) { library in
            if library.store.writingProblem != nil { return [.stoppedWriting] }
            return library.store.isWritable ? [] : [.readOnly]
        },
        .init(["disk-full", "disk-short", "disk-reserve-used", "disk-low"]) { library in
            library.store.diskShortage.map { [.shortage($0)] } ?? []
        },
        .init(["database-damaged"]) { library in ReadinessWarning.damage(in: library.store).map { [$0] } ?? [] },
        .init(["channel-keys-lost"]) { try await $0.channels.hasLostSeals() ? [.lostChannelKeys] : [] },
        .init(["sealing-key-lost"]) { try await $0.rights.retention.hasLostStories() ? [.lostSealingKey] : [] },
        .init(["erasures-lost"]) { $0.store.erasures.hasLostLines ? [.lostErasures] : [] },
        .init(["keys-lost", "backup-due"]) { ReadinessWarning.backups(of: $0) },
        .init(["clock-jumped", "clock-moved", "clock-unconfirmed"]) { $0.clock.condition.warnings },
        .init(["files-open", "folder-open"]) { ReadinessWarning.rights(of: $0.store) },
        .init(["log-long"]) { library in
            let bytes = library.store.logSize
            return bytes > ReadinessWarning.longLogBytes ? [.longLog(bytes: bytes)] : []
        },
        .init(WarningBoard.codes) { $0.context.board.warnings },
    ]

    /// The codes of all warnings.
    package static var codes: [String] { sources.flatMap(\.codes) }

    /// Asks all sources.
    ///
    /// - Throws: ``StoreError`` if the database does not respond.
    package init(of library: StoryLibrary) async throws {
        try await library.store.read { try $0.ping() }
        var warnings: [ReadinessWarning] = []
        for source in Readiness.sources { warnings += try await source.warnings(library) }
        self.warnings = warnings
    }
}

package import Storage
package import Stories

/// Checks a database in all its parts and repairs what can be derived.
///
/// It works beside a running service and within one. Nothing is written unless a repair is asked for, except the record
/// of the outcome beside the database.
package struct CheckService: Sendable {
    private let store: StoryStore
    private let now: @Sendable () -> Timestamp

    /// The number of sealed rows read at a time.
    private static let rowsAtOnce = 200

    /// Creates the checks of a store.
    package init(store: StoryStore, now: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.now = now
    }

    /// Checks everything, and records the outcome beside the database.
    ///
    /// `progress` gets the name of each part when it begins.
    ///
    /// - Throws: ``StoreError`` if the file cannot be read at all.
    /// - Complexity: O(size of the file); measured: about a minute for a million stories.
    package func check(progress: (String) -> Void = { _ in }) async throws -> CheckReport {
        let report = try await findings(progress: progress)
        record(report)
        return report
    }

    /// Checks everything on the threads for long work.
    package func checkAside() async throws -> CheckReport {
        try await LongWork.run { try await check() }
    }

    /// Checks everything, repairs what can be repaired, checks again, and records the outcome.
    ///
    /// The caller has kept a copy of the original.
    package func repair(progress: (String) -> Void = { _ in }) async throws -> CheckReport {
        let before = try await findings(progress: progress)
        let wrong = before.findings.filter { $0.remedy == .repair }
        guard !wrong.isEmpty else {
            record(before)
            return before
        }
        progress("repair")
        let codes = Set(wrong.map(\.code))
        if !codes.isDisjoint(with: ["page-flipped", "sum-damaged"]) { _ = try await store.repairPages() }
        if codes.contains("structure") { try await store.repairIndexes() }
        if codes.contains(where: { $0.hasPrefix("spatial-") }) { try await store.repairSpatialIndexes() }
        if codes.contains("notices-unlinked") { try await store.repairLinks() }
        for finding in wrong where finding.code == "stories-derived" { try await store.repairDerived(finding.stories) }
        _ = try await store.emptyLogAtOnce()
        var after = try await findings(progress: progress)
        after.repaired = wrong.filter { finding in !after.findings.contains { $0.code == finding.code } }
        record(after)
        return after
    }

    private func record(_ report: CheckReport) {
        var figures = report.figures
        figures["findings"] = report.findings.count
        figures["repaired"] = report.repaired.count
        let record = UpkeepRecord(.check, at: now(), outcome: report.outcome.rawValue, figures: figures)
        // A folder that cannot be written does not make the check worthless.
        try? record.write(besideDatabase: store.path)
    }

    private func findings(progress: (String) -> Void) async throws -> CheckReport {
        var report = CheckReport()
        progress("pages")
        report.add(try await store.checkPages())
        progress("structure")
        report.add(try await store.checkStructure())
        let types = try await reading("types") { try await store.checkTypes() }
        report.add(types)
        progress("stories")
        report.add(try await reading("stories") { try await store.checkStories() })
        progress("relations")
        report.add(try await store.checkRelations())
        // The parts below read rows whole, which values of other types end.
        guard types.findings.isEmpty else { return report }
        progress("keys")
        report.add(try await reading("keys") { try await store.checkKeys() })
        report.add(try await reading("sealed_stories") { try await checkSealedStories() })
        report.add(try await reading("channels") { try await checkChannels() })
        return report
    }

    /// Runs a part; a table that cannot be read is a finding, and the other parts go on.
    private func reading(_ table: String, _ part: () async throws -> CheckReport) async throws -> CheckReport {
        do {
            return try await part()
        } catch let error as StoreError where error.code == .damaged {
            var report = CheckReport()
            report.findings.append(
                CheckFinding("table-unreadable", "The table \(table) cannot be read.", .byHand(CheckFinding.restore))
            )
            return report
        }
    }

    private func checkSealedStories() async throws -> CheckReport {
        let seal = StorySeal(keys: store.keys)
        var (report, last, closed, count, former) = (CheckReport(), "", [String](), 0, 0)
        while true {
            let page = try await store.read { [last] in
                try $0.sealedStories(after: last, limit: CheckService.rowsAtOnce)
            }
            count += page.count
            closed += page.filter { (try? seal.open($0.blob, of: $0.id)) == nil }.map(\.id.description)
            former += page.count { seal.isFormer($0) }
            guard let next = page.last?.id.description else { break }
            last = next
        }
        report.figures["sealed_stories"] = count
        if former > 0 { report.figures["under_former_keys"] = former }
        if !closed.isEmpty {
            report.findings.append(
                CheckFinding(
                    "sealed-stories",
                    "\(closed.count) deleted stories cannot be opened with the key in the folder of keys, or are damaged.",
                    .byHand("Put the sealing.key under which they were sealed back, or let their retention end"),
                    stories: closed
                )
            )
        }
        return report
    }

    private func checkChannels() async throws -> CheckReport {
        let seal = ChannelSeal(keys: store.keys)
        var (report, last, closed, count, former) = (CheckReport(), "", 0, 0, 0)
        while true {
            let page = try await store.read { [last] in try $0.channels(after: last, limit: CheckService.rowsAtOnce) }
            count += page.count
            closed += page.count { seal.target(of: $0) == nil }
            former += page.count { seal.isFormer($0) }
            guard let next = page.last?.id else { break }
            last = next
        }
        report.figures["channels"] = count
        if former > 0 { report.figures["under_former_keys"] = former }
        if closed > 0 {
            report.findings.append(
                CheckFinding(
                    "channels-sealed",
                    "The addresses of \(closed) channels cannot be opened with the key in the folder of keys, or are damaged.",
                    .byHand("Put the channels.key back, or ask their users to remove these channels and add them again")
                )
            )
        }
        return report
    }
}

extension CheckReport {
    /// Adds what another part found.
    mutating func add(_ other: CheckReport) {
        findings += other.findings
        figures.merge(other.figures) { $0 + $1 }
    }
}

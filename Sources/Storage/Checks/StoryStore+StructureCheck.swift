import GRDB

extension StoryStore {
    /// The maximum number of lines of SQLite's own checks in a report.
    private static let mostLines = 20
    private static let unreadablePart = "a part of the file cannot be read"

    /// Runs SQLite's checks of structure and foreign keys, that of the spatial index, and compares the schema.
    ///
    /// - Complexity: O(size of the file · log); about 10 s for a million stories, in one read.
    package func checkStructure() async throws -> CheckReport {
        var report = CheckReport()
        let broken = try await lines("PRAGMA integrity_check(\(StoryStore.mostLines))").filter { $0 != "ok" }
        if !broken.isEmpty {
            let onlyIndexes = broken.allSatisfy { $0.contains("index") }
            report.findings.append(
                CheckFinding(
                    "structure",
                    "SQLite finds the structure of the file damaged: \(broken.joined(separator: "; ")).",
                    onlyIndexes ? .repair : .byHand(CheckFinding.restore)
                )
            )
        }
        let orphans = try await lines("SELECT \"table\" || ' → ' || parent FROM pragma_foreign_key_check")
        if !orphans.isEmpty {
            let kinds = Set(orphans).sorted().joined(separator: ", ")
            let count = orphans.count == 1 ? "A row refers" : "\(orphans.count) rows refer"
            report.findings.append(
                CheckFinding(
                    "foreign-keys",
                    kinds == StoryStore.unreadablePart
                        ? "References between tables cannot be checked: \(kinds)."
                        : "\(count) to rows that do not exist (\(kinds)).",
                    .byHand(CheckFinding.restore)
                )
            )
        }
        for index in ["idx_stories_geom", "idx_sensitive_areas_geom"] {
            let words = try await lines("SELECT rtreecheck('\(index)')").filter { $0 != "ok" }
            guard !words.isEmpty else { continue }
            report.findings.append(
                CheckFinding("spatial-index", "The spatial index \(index) is damaged.", .repair)
            )
        }
        report.findings += try await checkSchema()
        return report
    }

    private func checkSchema() async throws -> [CheckFinding] {
        let schema: SchemaComparison
        do {
            schema = try await read { try SchemaComparison(of: $0.db) }
        } catch let error as StoreError where error.code == .damaged {
            return [CheckFinding("schema", "The schema of the file cannot be read.", .byHand(CheckFinding.restore))]
        }
        var findings: [CheckFinding] = []
        if !schema.isSound {
            let names = (schema.missing.map { "\($0) is missing" } + schema.changed.map { "\($0) differs" })
            findings.append(
                CheckFinding(
                    "schema",
                    "The schema is not the one that this version makes: \(names.joined(separator: ", ")).",
                    .byHand(CheckFinding.restore)
                )
            )
        }
        if !schema.addedCode.isEmpty {
            findings.append(
                CheckFinding(
                    "schema-added",
                    "The file has triggers or views that Waymark did not make: "
                        + schema.addedCode.joined(separator: ", ") + ".",
                    .byHand("Drop them with SQLite's shell, unless you made them on purpose")
                )
            )
        }
        return findings
    }

    /// Returns the first column of all rows; an error of a damaged part is a line as well.
    private func lines(_ sql: String) async throws -> [String] {
        do {
            return try await read { try String.fetchAll($0.db, sql: sql) }
        } catch let error as StoreError where error.code == .damaged {
            return [StoryStore.unreadablePart]
        }
    }
}

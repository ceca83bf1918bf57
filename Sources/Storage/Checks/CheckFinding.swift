import Foundation

/// Something that a check of the database found wrong.
package struct CheckFinding: Hashable, Sendable {
    /// What can be done about it.
    package enum Remedy: Hashable, Sendable {
        /// `waymark check --repair` puts it right without losing anything.
        case repair
        /// An operator has to do this.
        case byHand(String)
    }

    /// A word for programs, such as `page-flipped`.
    package let code: String
    /// What is wrong, in a sentence, without content of stories.
    package let detail: String
    /// What can be done.
    package let remedy: Remedy
    /// The ids of the stories concerned, at most ``mostStories``, sorted.
    package let stories: [String]

    /// The maximum number of ids in a finding.
    package static let mostStories = 1_000

    /// Creates a finding.
    package init(_ code: String, _ detail: String, _ remedy: Remedy, stories: [String] = []) {
        self.code = code
        self.detail = detail
        self.remedy = remedy
        self.stories = Array(stories.sorted().prefix(CheckFinding.mostStories))
    }

    /// What an operator should do if a part of the file is lost.
    package static let restore =
        "Restore the last good backup with 'waymark restore', or keep using what can be read: the service leaves out the "
        + "rest and answers requests for it with an error"
}

/// The outcome of a check.
package struct CheckReport: Hashable, Sendable {
    /// The outcome in one word.
    package enum Outcome: String, Sendable {
        /// Nothing is wrong.
        case healthy
        /// Something was wrong and is right again.
        case repaired
        /// Something is wrong that an operator has to look at.
        case attention
    }

    /// What is wrong, or was before the repair.
    package var findings: [CheckFinding] = []
    /// What was wrong and is right again.
    package var repaired: [CheckFinding] = []
    /// The numbers of pages, rows and other things checked, by name.
    package var figures: [String: Int] = [:]

    /// Creates an empty report.
    package init() {}

    /// The outcome.
    package var outcome: Outcome {
        if !findings.isEmpty { return .attention }
        return repaired.isEmpty ? .healthy : .repaired
    }
}

extension CheckReport {
    /// Returns the report on a database that SQLite cannot read at all, so that no part of it can be checked.
    package static func unreadable(database path: String) -> CheckReport {
        let detail =
            sizes(ofDatabase: path)
            .map { "\(path) was cut off: \($0.present) of its \($0.all) bytes are there, so SQLite cannot read it." }
            ?? "\(path) is damaged so badly that SQLite cannot read it."
        var report = CheckReport()
        report.findings = [
            CheckFinding(
                "file-unreadable",
                detail,
                .byHand(
                    "Restore the last good backup with 'waymark restore'; keep this file and those beside it until then. "
                        + "'waymark check --repair' cannot help: it repairs what can be read"
                )
            )
        ]
        return report
    }

    /// Returns how many bytes a database has, and how many it should have; `nil` if none are missing.
    ///
    /// Layout: "Database File Format", sqlite.org/fileformat2.html §1.3: size of a page at 16, pages at 28, big-endian.
    private static func sizes(ofDatabase path: String) -> (present: Int, all: Int)? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        guard let header = try? file.read(upToCount: 100), header.count == 100 else { return nil }
        func number(_ range: Range<Int>) -> Int { [UInt8](header)[range].reduce(0) { $0 << 8 | Int($1) } }
        let pageSize = number(16..<18)
        let all = number(28..<32) * (pageSize == 1 ? 65_536 : pageSize)
        let present = StoryStore.fileSize(of: path)
        return present < all ? (present, all) : nil
    }
}

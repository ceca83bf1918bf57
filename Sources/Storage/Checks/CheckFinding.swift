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

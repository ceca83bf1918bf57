import Formats
import HTTPTypes
import Library
import Storage
import Web

/// An import that is not stored as a problem.
enum ImportRefusal: Sendable {
    /// The maximum number of errors beside the record of the import, which has the others.
    private static let most = 20

    /// Returns the problem that reports an import that is not stored, with its record as JSON; `nil` for one that is, or
    /// that goes on.
    static func problem(of taken: UploadService.Taken, record: [UInt8], headers: HTTPFields) -> Problem? {
        var problem: Problem
        switch taken.stored.state {
        case .refused: problem = refused(errors(of: taken.stored))
        // A repetition gets what the first request began, whatever became of that since.
        case .interrupted, .undoing, .undone:
            guard !taken.isRepeated else { return nil }
            problem = ended
        case .running, .complete: return nil
        }
        problem.headers = headers
        problem.member = Problem.Member("import", record)
        return problem
    }

    private static func refused(_ errors: [FieldProblem]) -> Problem {
        Problem(
            .unprocessableContent,
            "import-refused",
            "The file is refused, and nothing of it was stored" + why(errors) + ".",
            errors: Array(errors.prefix(most))
        )
    }

    private static let ended = Problem(
        .conflict,
        "import-ended",
        "The import was cancelled or interrupted before it was complete; its record says what became of it. Send the file "
            + "again to store it, or undo the import."
    )

    private static func why(_ errors: [FieldProblem]) -> String {
        guard let first = errors.first else { return "" }
        let more = errors.count > 1 ? " (and \(errors.count - 1) more)" : ""
        // A reason that comes from a rule ends in a full stop, one that comes from the file does not.
        var reason = String(first.message.prefix(800))
        if reason.last == "." { reason.removeLast() }
        return ": " + (first.field.isEmpty ? "" : first.field + ": ") + reason + more
    }

    /// Returns the errors among the remarks, each with its row.
    private static func errors(of stored: StoredImport) -> [FieldProblem] {
        let text = Array((stored.problems ?? "[]").utf8)
        let remarks = (try? JSONValue(parsing: text, limits: .init(bytes: .max)))?.array ?? []
        return remarks.compactMap { remark in
            guard remark["severity"]?.string == "error" else { return nil }
            let row = remark["row"]?.integer.map { "row \($0): " } ?? ""
            return FieldProblem(
                field: remark["field"]?.string ?? "",
                message: row + (remark["message"]?.string ?? "")
            )
        }
    }
}

import Formats
import Importing

extension ImportReport {
    /// The first line of a table.
    static let head = CSVWriter.row(["file", "row", "field", "severity", "problem", "remedy"])

    /// Returns a problem as a row of a table.
    static func row(_ problem: ImportProblem) -> [UInt8] {
        let (what, remedy) = parts(of: problem.message)
        return CSVWriter.row([
            problem.file, problem.row.map(String.init) ?? "", problem.field ?? "", problem.severity.rawValue, what,
            remedy,
        ])
    }

    /// Returns a problem as a line of JSON.
    static func line(_ problem: ImportProblem) -> [UInt8] {
        let (what, remedy) = parts(of: problem.message)
        var json = JSONWriter()
        json.beginObject()
        json.member("file", problem.file)
        if let row = problem.row { json.member("row", row) }
        if let field = problem.field { json.member("field", field) }
        json.member("severity", problem.severity.rawValue)
        json.member("problem", what)
        if !remedy.isEmpty { json.member("remedy", remedy) }
        json.endObject()
        return json.bytes + [10]
    }

    /// Splits a message at its first semicolon outside of quotation marks: before it stands what is wrong, behind it what
    /// to do.
    static func parts(of message: String) -> (what: String, remedy: String) {
        var isQuoted = false
        for index in message.indices {
            switch message[index] {
            case "\"": isQuoted.toggle()
            case ";" where !isQuoted:
                let rest = message[message.index(after: index)...].drop { $0 == " " }
                return (String(message[..<index]), String(rest))
            default: break
            }
        }
        return (message, "")
    }
}

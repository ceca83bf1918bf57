import Foundation
import Importing

/// A file to import, or standard input.
struct ImportInput {
    /// What stands for standard input on the command line.
    static let standard = "-"

    /// The name for messages and, without its extension, for the import.
    let name: String
    let bytes: [UInt8]
    /// What was put together from several files, if it was.
    var gathered: GatheredInput?

    /// Reads a file whole.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be read, or standard input has more than `limit` bytes.
    init(_ file: String, index: Int, limit: Int) async throws {
        if OperatorSession.current != nil {
            name = file == Self.standard ? "standard-input" : file
            do {
                bytes = try await contents(of: file, index: index, limit: limit)
            } catch {
                throw CommandFailure.usage("\(file) cannot be read; check the path and its permissions.")
            }
            return
        }
        guard file == Self.standard else {
            name = file
            if let gathered = try GatheredInput(file) {
                (bytes, self.gathered) = (gathered.bytes, gathered)
                return
            }
            do {
                bytes = try contents(of: file)
            } catch {
                let problem = "\(file) cannot be read; check that it is a regular file on a working disk."
                throw CommandFailure.failed(problem)
            }
            return
        }
        name = "standard-input"
        do {
            // One byte more than allowed is enough to refuse it.
            bytes = [UInt8](try FileHandle.standardInput.read(upToCount: limit + 1) ?? Data())
        } catch {
            throw CommandFailure.failed("Standard input cannot be read.")
        }
        guard bytes.count <= limit else {
            throw CommandFailure.usage("Standard input has more than \(limit) bytes; split it.")
        }
    }
}

extension ImportCommand {
    /// Prints what each column of each file is read as.
    ///
    /// - Throws: ``CommandFailure`` if a file cannot be read.
    func printColumns(_ options: StoryImporter.Options) async throws {
        var refused = 0
        for (index, file) in files.enumerated() {
            let input = try await ImportInput(file, index: index, limit: options.byteLimit)
            do throws(ImportProblem) {
                let survey = try ColumnSurvey(input.bytes, fileName: input.name, options: options)
                for remark in survey.remarks { Console.remark(remark.description, quiet: database.quiet) }
                Self.lines(of: survey, name: input.name).forEach { Console.line($0) }
            } catch {
                Console.error(error.description)
                refused += 1
            }
        }
        guard refused == 0 else { throw CommandFailure.usage("\(refused) of \(files.count) files cannot be read.") }
    }

    /// Returns the columns as lines of text: name, field and first value under each other.
    private static func lines(of survey: ColumnSurvey, name: String) -> [String] {
        let rows = survey.columns.map { column in
            let field = column.field ?? "not read"
            return [column.name, column.note.map { "\(field) (\($0))" } ?? field, column.example ?? ""]
        }
        let table = [["Column", "Read as", "First value"]] + rows
        let widths = (0..<2).map { index in min(40, table.map { $0[index].count }.max() ?? 0) }
        let encoding = survey.encoding.map { ", \($0)" } ?? ""
        let head = "\(name): \(counted(rows.count, "column", "columns")), \(survey.format.rawValue)\(encoding)"
        return [head]
            + table.map { row in
                var line = ""
                for (cell, width) in zip(row, widths) {
                    line += cell + String(repeating: " ", count: max(0, width - cell.count)) + "  "
                }
                return String((line + row[2]).reversed().drop { $0 == " " }.reversed())
            }
    }
}

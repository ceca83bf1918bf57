import Foundation
import Importing

/// A file to import, or standard input.
struct ImportInput {
    /// What stands for standard input on the command line.
    static let standard = "-"

    /// The name for messages and, without its extension, for the import.
    let name: String
    let bytes: [UInt8]
    /// The photographs, if it is a folder of them.
    let photos: GatheredPhotos?
    /// What it was before it was converted, if it was.
    let origin: ConvertedOrigin?

    /// Reads a file whole.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be read, or standard input has more than `limit` bytes; ``ImportProblem`` if
    ///   it has to be converted and cannot be.
    init(_ file: String, index: Int, limit: Int, converter: InputConverter? = nil) async throws {
        name = file == Self.standard ? "standard-input" : file
        if let session = OperatorSession.current {
            let handed = try await ImportInput.handed(file, index: index, limit: limit, by: session)
            if let refusal = handed.refusal {
                throw ImportProblem(file: name, severity: .error, message: refusal)
            }
            (bytes, origin) = (handed.bytes, handed.origin)
            photos = ImportInput.photos(of: handed, index, session)
            return
        }
        if file != Self.standard, let gathered = try GatheredInput(file) {
            (bytes, photos, origin) = (gathered.bytes, gathered.photos, nil)
            return
        }
        let given = try file == Self.standard ? ImportInput.standardInput(limit: limit) : ImportInput.wholeFile(file)
        let converted = try await converter?.converted(given, name: name)
        (bytes, photos, origin) = (converted?.bytes ?? given, nil, converted?.origin)
    }

    /// Returns how messages name a photograph of the folder.
    func name(ofPhoto photo: String) -> String { name.hasSuffix("/") ? name + photo : "\(name)/\(photo)" }

    private static func photos(of file: HandedFile, _ index: Int, _ session: OperatorSession) -> GatheredPhotos? {
        guard !file.listing.isEmpty else { return nil }
        return GatheredPhotos(listing: file.listing, ofFolder: index, in: session)
    }

    private static func handed(
        _ file: String,
        index: Int,
        limit: Int,
        by session: OperatorSession
    ) async throws -> HandedFile {
        guard let handed = try? await session.contents(of: index, limit: limit) else {
            throw CommandFailure.usage("\(file) cannot be read; check the path and its permissions.")
        }
        return handed
    }

    private static func wholeFile(_ file: String) throws -> [UInt8] {
        do {
            return try contents(of: file)
        } catch {
            let problem = "\(file) cannot be read; check that it is a regular file on a working disk."
            throw CommandFailure.failed(problem)
        }
    }

    private static func standardInput(limit: Int) throws -> [UInt8] {
        let bytes: [UInt8]
        do {
            // One byte more than allowed is enough to refuse it.
            bytes = [UInt8](try FileHandle.standardInput.read(upToCount: limit + 1) ?? Data())
        } catch {
            throw CommandFailure.failed("Standard input cannot be read.")
        }
        guard bytes.count <= limit else {
            throw CommandFailure.usage("Standard input has more than \(limit) bytes; split it.")
        }
        return bytes
    }
}

extension ImportCommand {
    /// Returns the contents of a file; prints the reason and returns `nil` if it has to be converted and cannot be.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be read.
    func input(_ file: String, _ index: Int, options: StoryImporter.Options) async throws -> ImportInput? {
        do {
            return try await ImportInput(file, index: index, limit: options.byteLimit, converter: converter)
        } catch let problem as ImportProblem {
            Console.error(problem.description)
            options.onProblem?(problem)
            return nil
        }
    }

    /// Prints what each column of each file is read as.
    ///
    /// - Throws: ``CommandFailure`` if a file cannot be read.
    func printColumns(_ options: StoryImporter.Options) async throws {
        var refused = 0
        for (index, file) in files.enumerated() {
            guard let input = try await self.input(file, index, options: options) else {
                refused += 1
                continue
            }
            for remark in input.origin?.remarks ?? [] {
                Console.remark("\(input.name): \(remark)", quiet: database.quiet)
            }
            do throws(ImportProblem) {
                let survey = try ColumnSurvey(input.bytes, fileName: input.name, options: options)
                for remark in survey.remarks { Console.remark(remark.description, quiet: database.quiet) }
                Self.lines(of: survey, of: input).forEach { Console.line($0) }
            } catch {
                Console.error(error.description)
                refused += 1
            }
        }
        guard refused == 0 else { throw CommandFailure.usage("\(refused) of \(files.count) files cannot be read.") }
    }

    /// Returns the columns as lines of text: name, field and first value under each other.
    private static func lines(of survey: ColumnSurvey, of input: ImportInput) -> [String] {
        let rows = survey.columns.map { column in
            let field = column.field ?? "not read"
            return [column.name, column.note.map { "\(field) (\($0))" } ?? field, column.example ?? ""]
        }
        let table = [["Column", "Read as", "First value"]] + rows
        let widths = (0..<2).map { index in min(40, table.map { $0[index].count }.max() ?? 0) }
        // A converted file has no encoding of its own.
        let encoding = survey.encoding.map { ", \($0)" } ?? ""
        let format = input.origin?.format ?? survey.format.rawValue + encoding
        let head = "\(input.name): \(counted(rows.count, "column", "columns")), \(format)"
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

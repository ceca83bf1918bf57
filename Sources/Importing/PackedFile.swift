import Formats

/// A file in a zip archive: a spreadsheet as CSV, a Shapefile as GeoJSON, or the KML of a KMZ.
struct PackedFile {
    /// The content, unpacked.
    let bytes: [UInt8]
    /// The format of a spreadsheet or Shapefile; `nil` for KML, which is recognised by its content.
    let format: ImportFormat?
    /// The row in the sheet of each record of ``bytes``.
    let rows: [Int]?
    let remarks: [ImportProblem]

    init(_ archive: [UInt8], name: String, limit: Int) throws(ImportProblem) {
        if let kml = try PackedFile.kml(archive, name: name, limit: limit) {
            (bytes, format, rows, remarks) = (kml, nil, nil, [])
            return
        }
        if let zip = try? ZipReader(archive), let found = try PackedShapefile.read(zip, name: name, limit: limit) {
            (bytes, format, rows) = (found.geoJSON, .shapefile, nil)
            remarks = found.remarks.map {
                ImportProblem(file: name, severity: .warning, message: ImportText.line($0))
            }
            return
        }
        let sheet: Spreadsheet
        do throws(Spreadsheet.Failure) {
            sheet = try Spreadsheet(archive, limit: limit)
        } catch {
            throw ImportProblem(file: name, severity: .error, message: error.description)
        }
        bytes = sheet.csv
        rows = sheet.rows
        format = sheet.kind == .xlsx ? .xlsx : .ods
        remarks = PackedFile.remarks(on: sheet, name: name)
    }

    private static func remarks(on sheet: Spreadsheet, name: String) -> [ImportProblem] {
        var messages: [String] = []
        if !sheet.otherNames.isEmpty {
            let others = sheet.otherNames.prefix(5).map { String($0.prefix(40)) }.joined(separator: ", ")
            let more = sheet.otherNames.count > 5 ? " and \(sheet.otherNames.count - 5) more" : ""
            messages.append("only the sheet \(sheet.name.prefix(40)) was read, not \(others)\(more)")
        }
        if sheet.hiddenRows > 0 { messages.append("hidden rows were read as well (rows: \(sheet.hiddenRows))") }
        return messages.map { ImportProblem(file: name, severity: .warning, message: ImportText.line($0)) }
    }

    /// Returns the KML in a KMZ, the one called `doc.kml` if there are several; `nil` if the archive has none.
    private static func kml(_ bytes: [UInt8], name: String, limit: Int) throws(ImportProblem) -> [UInt8]? {
        do {
            let archive = try ZipReader(bytes)
            let documents = archive.entries.filter { $0.name.lowercased().hasSuffix(".kml") }
            guard let entry = documents.first(where: { $0.name == "doc.kml" }) ?? documents.first else { return nil }
            return try archive.bytes(of: entry, limit: limit)
        } catch let failure as ZipReader.Failure {
            throw ImportProblem(file: name, severity: .error, message: failure.description)
        } catch {
            throw ImportProblem(file: name, severity: .error, message: "the archive cannot be read")
        }
    }
}

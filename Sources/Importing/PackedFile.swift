import Formats

/// The sheet of a workbook that is read.
struct ReadSheet: Sendable {
    let name: String
    /// The names of the other visible sheets.
    let others: [String]
    /// The cells that span several rows.
    let merges: [MergedCells]
    /// Comments on cells, headers and footers of its pages, and what the workbook says about itself.
    let notes: [FileNote]
}

/// A file in a zip archive: a spreadsheet as CSV, a Shapefile as GeoJSON, or the KML of a KMZ.
struct PackedFile {
    /// The content, unpacked.
    let bytes: [UInt8]
    /// The format of a spreadsheet or Shapefile; `nil` for KML, which is recognised by its content.
    let format: ImportFormat?
    /// The row in the sheet of each record of ``bytes``.
    let rows: [Int]?
    /// The sheet that is read and the other visible ones.
    let sheet: ReadSheet?
    let remarks: [ImportProblem]

    /// Unpacks an archive; the encoding is that of the table of a Shapefile, which the other formats say themselves.
    init(_ archive: [UInt8], name: String, limit: Int, encoding: TextEncoding? = nil) throws(ImportProblem) {
        if let kml = try PackedFile.kml(archive, name: name, limit: limit) {
            (bytes, format, rows, sheet) = (kml.content, nil, nil, nil)
            remarks =
                kml.remark.map { [ImportProblem(file: name, severity: .warning, message: ImportText.line($0))] } ?? []
            return
        }
        if let zip = try? ZipReader(archive),
            let found = try PackedShapefile.read(zip, name: name, limit: limit, encoding: encoding)
        {
            (bytes, format, rows, sheet) = (found.geoJSON, .shapefile, nil, nil)
            remarks = found.remarks.map {
                ImportProblem(file: name, severity: .warning, message: ImportText.line($0))
            }
            return
        }
        let book: Spreadsheet
        do throws(Spreadsheet.Failure) {
            book = try Spreadsheet(archive, limit: limit)
        } catch {
            throw ImportProblem(file: name, severity: .error, message: error.description)
        }
        (bytes, rows) = (book.csv, book.rows)
        sheet = ReadSheet(name: book.name, others: book.otherNames, merges: book.merges, notes: book.notes)
        format = book.kind == .xlsx ? .xlsx : .ods
        remarks = PackedFile.remarks(on: book, name: name)
    }

    private static func remarks(on sheet: Spreadsheet, name: String) -> [ImportProblem] {
        var messages: [String] = []
        if !sheet.otherNames.isEmpty {
            let others = sheet.otherNames.prefix(5).map { String($0.prefix(40)) }.joined(separator: ", ")
            let more = sheet.otherNames.count > 5 ? " and \(sheet.otherNames.count - 5) more" : ""
            messages.append("only the sheet \(sheet.name.prefix(40)) was read, not \(others)\(more)")
        }
        if sheet.hasHiddenColumns { messages.append("hidden columns were read as well") }
        if sheet.hiddenRows > 0 { messages.append("hidden rows were read as well (rows: \(sheet.hiddenRows))") }
        return messages.map { ImportProblem(file: name, severity: .warning, message: ImportText.line($0)) }
    }

    /// Returns the KML in a KMZ, the one called `doc.kml` if there are several; `nil` if the archive has none.
    private static func kml(
        _ bytes: [UInt8],
        name: String,
        limit: Int
    ) throws(ImportProblem) -> (content: [UInt8], remark: String?)? {
        // More would be refused as a document, and unpacking it costs time and memory.
        let largest = min(limit, FeatureSource.largestDocument)
        let content: [UInt8]
        let remark: String?
        do {
            let archive = try ZipReader(bytes)
            // A Mac adds a file of its own to each.
            let documents = archive.entries.filter {
                $0.name.lowercased().hasSuffix(".kml") && !$0.name.hasPrefix("__MACOSX/")
            }
            guard let first = documents.first(where: { $0.name == "doc.kml" }) ?? documents.first else { return nil }
            let start = try archive.bytes(of: first, limit: largest)
            // GDAL writes an index that only links to its layers.
            let layers = documents.count > 1 && isIndex(start) ? documents.filter { $0.name != first.name } : []
            let entry = layers.first ?? first
            content = try layers.isEmpty ? start : archive.bytes(of: entry, limit: largest)
            let others = (layers.isEmpty ? documents : layers).map(\.name).filter { $0 != entry.name }
            remark = unread(others, besides: entry.name)
        } catch ZipReader.Failure.tooLarge(let entry) {
            let message =
                "\(entry.prefix(60)) in the archive has more than \(largest) bytes; split it, or convert it with "
                + "'ogr2ogr -f GeoJSONSeq'"
            throw ImportProblem(file: name, severity: .error, message: message)
        } catch let failure as ZipReader.Failure {
            throw ImportProblem(file: name, severity: .error, message: failure.description)
        } catch {
            throw ImportProblem(file: name, severity: .error, message: "the archive cannot be read")
        }
        // Otherwise a hundred megabytes of blanks would be looked through for a table.
        guard isMarkup(content) else {
            throw ImportProblem(file: name, severity: .error, message: "the KML in the archive is empty or not XML")
        }
        return (content, remark)
    }

    /// Returns whether a KML has links to others and nothing of its own.
    private static func isIndex(_ content: [UInt8]) -> Bool {
        let text = String(decoding: content, as: UTF8.self)
        return text.contains("<NetworkLink") && !text.contains("<Placemark")
    }

    /// Returns a remark that names the other KML files of an archive; `nil` if there are none.
    private static func unread(_ others: [String], besides read: String) -> String? {
        guard !others.isEmpty else { return nil }
        let names = others.prefix(3).map { String($0.prefix(60)) }.joined(separator: ", ")
        let more = others.count > 3 ? " and \(others.count - 3) more" : ""
        return "only \(read.prefix(60)) in the archive was read, not \(names)\(more); unpack it to import the "
            + (others.count == 1 ? "other" : "others")
    }

    /// Returns whether the first visible character is that of a tag, in UTF-8 or UTF-16.
    private static func isMarkup(_ bytes: [UInt8]) -> Bool {
        let start = bytes.prefix(4_096).drop { $0 <= 0x20 || [0xEF, 0xBB, 0xBF, 0xFF, 0xFE].contains($0) }
        return start.first == UInt8(ascii: "<")
    }
}

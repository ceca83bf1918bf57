package import Formats

/// A file to import: decompressed, of a supported type, and with its format determined.
package struct ImportFile: Sendable {
    /// The name as given, for messages.
    package let name: String
    /// The name without folders and extensions, the default name of an import.
    package let baseName: String
    /// The decompressed contents.
    package let bytes: [UInt8]
    /// The format, determined by the extension or, if that is inconclusive, by the content.
    package let format: ImportFormat
    /// The encoding of the file as it was; XML says its own.
    package let encoding: TextEncoding?
    /// For a spreadsheet, the row of each record of ``bytes``, which then are CSV.
    package let rows: [Int]?
    /// For a spreadsheet, the sheet that is read and the other visible ones.
    let sheet: ReadSheet?
    /// Remarks on how the file was read.
    package let remarks: [ImportProblem]

    package init(
        _ packed: [UInt8],
        name: String,
        limit: Int,
        encoding given: TextEncoding? = nil,
        databases: DatabaseFeatures? = nil
    ) throws(ImportProblem) {
        self.name = name
        let (base, endings) = ImportFile.parts(of: name)
        baseName = base
        var content = try ImportFile.unpacked(packed, name: name, limit: limit)
        var archived: [ImportProblem] = []
        if let found = try databases?.read(content, name: name, limit: limit) {
            (bytes, rows, sheet, encoding, format) = (found.geoJSON, nil, nil, nil, .geoPackage)
            remarks = found.remarks.map { ImportProblem(file: name, severity: .warning, message: $0) }
            return
        }
        if let problem = ImportFile.refusal(of: content, name: name) {
            throw ImportProblem(file: name, severity: .error, message: problem)
        }
        if content.starts(with: ImportFile.zip) {
            let archive = try PackedFile(content, name: name, limit: limit, encoding: given)
            guard archive.format == nil else {
                (bytes, rows, remarks, encoding) = (archive.bytes, archive.rows, archive.remarks, nil)
                (sheet, format) = (archive.sheet, archive.format ?? .csv)
                return
            }
            (content, archived) = (archive.bytes, archive.remarks)
        }
        (rows, sheet) = (nil, nil)
        let isXML = ImportFile.isXML(content)
        if isXML {
            (bytes, encoding, remarks) = (content, nil, archived)
        } else {
            let text = try ImportFile.decoded(content, as: given, name: name)
            (bytes, encoding) = (text.bytes, text.encoding)
            let doubt = ImportFile.remark(on: text, name: name) ?? ImportFile.remark(on: text, of: content, name: name)
            remarks = [doubt].compactMap(\.self)
        }
        if !isXML, bytes.contains(0) {
            throw ImportProblem(file: name, severity: .error, message: ImportFile.binary)
        }
        let ending = endings.last { $0 != "gz" }
        let named = ending.flatMap(ImportFormat.init(fileExtension:))
        if let problem = ImportFile.refusal(ofDocument: bytes, isXML: isXML, isNamed: named != nil) {
            throw ImportProblem(file: name, severity: .error, message: problem)
        }
        format = (isXML ? ImportFormat.xml(bytes) : nil) ?? named ?? ImportFormat(content: bytes)
    }

    /// What stories are read from, for refusals.
    static let readFormats =
        "stories are read from CSV, TSV, XLSX, ODS, JSON, GeoJSON, GeoJSON-Seq, Esri JSON, KML, KMZ, GPX, GeoPackage, "
        + "Shapefile, GEDCOM and OHMS"
    private static let zip = Array("PK\u{03}\u{04}".utf8)

    /// Returns whether a file is XML, which names its own encoding.
    private static func isXML(_ bytes: [UInt8]) -> Bool {
        let start = bytes.prefix(64).filter { $0 != 0 }
        let text = start.drop { $0 <= 0x20 || [0xEF, 0xBB, 0xBF, 0xFF, 0xFE].contains($0) }
        return text.first == UInt8(ascii: "<")
    }

    private static func decoded(
        _ bytes: [UInt8],
        as encoding: TextEncoding?,
        name: String
    ) throws(ImportProblem) -> DecodedText {
        do throws(TextEncodingError) {
            return try DecodedText(bytes, as: encoding)
        } catch {
            if isBinary(bytes, as: encoding) { throw ImportProblem(file: name, severity: .error, message: binary) }
            throw ImportProblem(file: name, row: error.line, severity: .error, message: error.reason)
        }
    }

    /// Returns whether bytes that are in no known encoding are no text at all: no encoding has these characters.
    private static func isBinary(_ bytes: [UInt8], as encoding: TextEncoding?) -> Bool {
        // In UTF-16, halves of letters look like them.
        let wideMarks: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF]]
        guard encoding != .utf16LittleEndian, encoding != .utf16BigEndian,
            !wideMarks.contains(where: { bytes.starts(with: $0) })
        else { return false }
        return bytes.prefix(4_096).contains { (1...8).contains($0) || (14...26).contains($0) || (28...31).contains($0) }
    }

    private static let binary = "the file is binary; " + readFormats

    private static func remark(on text: DecodedText, name: String) -> ImportProblem? {
        guard text.isGuess else { return nil }
        var message = "the file is not UTF-8 and is read as \(text.encoding.title)"
        if let example = text.example { message += ", for example \"\(ImportText.line(example))\"" }
        return ImportProblem(
            file: name,
            severity: .warning,
            message: message + "; if that is wrong, give --encoding"
        )
    }

    /// Returns a remark on an encoding that was given although the letters of the file are UTF-8; `nil` if they are not.
    private static func remark(on text: DecodedText, of bytes: [UInt8], name: String) -> ImportProblem? {
        let isUnicode = [.utf8, .utf16LittleEndian, .utf16BigEndian].contains(text.encoding)
        guard text.isValidUTF8, !isUnicode, let letter = bytes.firstIndex(where: { $0 >= 0x80 }) else { return nil }
        let start = bytes[..<letter].lastIndex { !($0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z")) }
        let line = String(decoding: bytes[(start.map { $0 + 1 } ?? 0)...].prefix(60), as: UTF8.self)
        let word = line.prefix { $0.isLetter }.prefix(20)
        let example = word.isEmpty ? "" : ", for example \"\(word)\""
        return ImportProblem(
            file: name,
            severity: .warning,
            message: "the file is valid UTF-8\(example), and is read as \(text.encoding.title), as --encoding says; if "
                + "letters look wrong, leave out --encoding"
        )
    }

    /// Returns the name of a file without folders and extensions, the default name of its import.
    package static func baseName(of path: String) -> String { parts(of: path).base }

    /// Returns the base name and the extensions of a path, in lower case.
    private static func parts(of path: String) -> (base: String, endings: [String]) {
        let last = path.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? path
        var base = last[...]
        var endings: [String] = []
        while let dot = base.lastIndex(of: "."), dot != base.startIndex {
            let ending = base[base.index(after: dot)...].lowercased()
            let others = [
                "gz", "txt", "xlsx", "xlsm", "ods", "kmz", "xml", "gpkg", "shp", "zip", "fgb", "parquet", "topojson",
            ]
            guard others.contains(ending) || ImportFormat(fileExtension: ending) != nil else { break }
            endings.insert(ending, at: 0)
            base = base[..<dot]
        }
        return (String(base), endings)
    }

    private static func unpacked(_ bytes: [UInt8], name: String, limit: Int) throws(ImportProblem) -> [UInt8] {
        guard Gzip.isGzip(bytes) else {
            if bytes.count <= limit { return bytes }
            let message = "the file has \(bytes.count) bytes, more than the limit of \(limit); split it"
            throw ImportProblem(file: name, severity: .error, message: message)
        }
        do throws(Gzip.Failure) {
            return try Gzip.decompress(bytes, limit: limit)
        } catch {
            throw ImportProblem(file: name, severity: .error, message: error.description)
        }
    }

    /// Returns the reason that the contents cannot be stories in any format, or `nil` if they may be.
    private static func refusal(of bytes: [UInt8], name: String) -> String? {
        if bytes.allSatisfy({ $0 <= 0x20 || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }) { return "the file is empty" }
        return ForeignFormat(content: bytes).map { $0.refusal(name: name) }
    }

    /// Returns the reason that a document in XML or JSON is of a format that is not read; `nil` if it may be.
    private static func refusal(ofDocument bytes: [UInt8], isXML: Bool, isNamed: Bool) -> String? {
        guard isXML else { return ForeignDocument.refusal(ofJSON: bytes) }
        return isNamed || ImportFormat.xml(bytes) != nil ? nil : ForeignDocument.refusal(ofXML: bytes)
    }

    /// A reader for the file as a table.
    var reader: CSVReader {
        switch format {
        case .xlsx, .ods: CSVReader(bytes, delimiter: UInt8(ascii: ","))
        case .tsv where CSVReader.namedDelimiter(bytes.prefix(16)) == nil:
            CSVReader(bytes, delimiter: UInt8(ascii: "\t"))
        default: CSVReader(bytes)
        }
    }

    /// Creates an error about the file or a row in it.
    package func error(_ message: String, row: Int? = nil, field: String? = nil) -> ImportProblem {
        ImportProblem(file: name, row: row, field: field, severity: .error, message: message)
    }

    /// Creates the error for what a file says about itself, if that seems to be about privacy.
    func error(_ note: FileNote) -> ImportProblem {
        let value = ImportText.shortened(ImportText.line(note.value), limit: 60)
        return error(
            "\(note.name.prefix(40)) of the whole file, \"\(value)\", looks like a privacy setting; give --privacy for the whole file, "
                + "or remove it if it means something else"
        )
    }

    /// Creates a warning about the file or a row in it.
    package func warning(_ message: String, row: Int? = nil, field: String? = nil) -> ImportProblem {
        ImportProblem(file: name, row: row, field: field, severity: .warning, message: message)
    }

    /// Returns a warning that the import will take a while if the file has more than `limit` bytes; otherwise `nil`.
    func sizeRemark(limit: Int) -> ImportProblem? {
        guard bytes.count > limit else { return nil }
        return warning("the file is very large, \(bytes.count / 1_048_576) MiB unpacked; this takes time and memory")
    }

    func progress(rows: Int, bytes: Int) -> ImportProgress {
        ImportProgress(rows: rows, bytes: bytes, totalBytes: self.bytes.count)
    }
}

/// A format that stories are not read from, recognised so that the refusal can say what to do.
enum ForeignFormat: CaseIterable {
    case geoPackage, shapefile, flatGeobuf, parquet, encryptedWorkbook, oldExcel, pdf, picture, recording

    /// Recognises a format by its first bytes.
    init?(content bytes: [UInt8]) {
        let marked = ForeignFormat.allCases.first { format in
            format.marks.contains { bytes.starts(with: $0) } && format.isInside(bytes)
        }
        guard let found = marked ?? ForeignFormat(container: bytes) else { return nil }
        self = found
    }

    /// Recognises pictures and recordings by what their containers say after the first bytes.
    private init?(container bytes: [UInt8]) {
        let kind = String(decoding: bytes.dropFirst(8).prefix(4), as: UTF8.self)
        if bytes.starts(with: Array("RIFF".utf8)), ["WEBP", "WAVE", "AVI "].contains(kind) {
            self = kind == "WEBP" ? .picture : .recording
        } else if bytes.dropFirst(4).starts(with: Array("ftyp".utf8)) {
            self = ["heic", "heix", "mif1", "avif"].contains(kind) ? .picture : .recording
        } else {
            return nil
        }
    }

    /// Returns whether a file with the mark of the format is of that format.
    private func isInside(_ bytes: [UInt8]) -> Bool {
        guard self == .encryptedWorkbook else { return true }
        // The name of a stream, in UTF-16 ([MS-OFFCRYPTO], 2.3.4.4).
        return bytes.firstRange(of: "EncryptedPackage".utf8.flatMap { [$0, 0] }) != nil
    }

    private var marks: [[UInt8]] {
        switch self {
        case .geoPackage: [Array("SQLite format 3\u{0}".utf8)]
        case .shapefile: [[0x00, 0x00, 0x27, 0x0A]]
        case .flatGeobuf: [Array("fgb".utf8)]
        case .parquet: [Array("PAR1".utf8)]
        case .encryptedWorkbook, .oldExcel: [[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]]
        case .pdf: [Array("%PDF-".utf8)]
        case .picture:
            [
                [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], Array("GIF87a".utf8),
                Array("GIF89a".utf8), [0x49, 0x49, 0x2A, 0x00], [0x4D, 0x4D, 0x00, 0x2A],
            ]
        case .recording: ["ID3\u{3}", "ID3\u{4}", "OggS\u{0}", "fLaC\u{0}"].map { Array($0.utf8) }
        }
    }

    /// What to do about a picture.
    static let photographs = "give its folder, and the photographs in it become stories"

    /// Returns what to do about a file with this path that GDAL reads.
    static func conversion(of path: String) -> String {
        let name = lastName(of: path)
        let base = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
        return "convert it with 'ogr2ogr -f GeoJSON \(base).geojson \(name)'"
    }

    private static func lastName(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// The error for a file with this path.
    func refusal(name path: String) -> String {
        let name = ForeignFormat.lastName(of: path)
        let gdal = { (kind: String) in "the file is \(kind); \(ForeignFormat.conversion(of: path))" }
        return switch self {
        case .geoPackage: gdal("a SQLite database, but not a GeoPackage with a layer")
        case .shapefile:
            "the file is the geometry of a Shapefile without its table; put the .shp, .shx, .dbf and .prj into one zip archive"
        case .flatGeobuf: gdal("FlatGeobuf")
        case .parquet: gdal("Parquet")
        case .encryptedWorkbook: "the workbook has a password; open it, and save it without one"
        case .oldExcel:
            "the file is an old Excel workbook; save it as .xlsx, or convert it with 'libreoffice --convert-to xlsx \(name)'"
        case .picture: "the file is a picture; \(ForeignFormat.photographs)"
        case .recording:
            "the file is a recording; import a table of stories with the addresses of recordings in the column media_url"
        case .pdf: "the file is a PDF; put its table into a spreadsheet, for which 'pdftotext -layout \(name)' may help"
        }
    }
}

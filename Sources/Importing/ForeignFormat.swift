/// A format that stories are not read from, recognised so that the refusal can name the command that converts it.
enum ForeignFormat: CaseIterable {
    case geoPackage, shapefile, flatGeobuf, parquet, oldExcel, pdf

    /// Recognises a format by its first bytes.
    init?(content bytes: [UInt8]) {
        let found = ForeignFormat.allCases.first { bytes.starts(with: $0.mark) }
        guard let found else { return nil }
        self = found
    }

    private var mark: [UInt8] {
        switch self {
        case .geoPackage: Array("SQLite format 3\u{0}".utf8)
        case .shapefile: [0x00, 0x00, 0x27, 0x0A]
        case .flatGeobuf: Array("fgb".utf8)
        case .parquet: Array("PAR1".utf8)
        case .oldExcel: [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]
        case .pdf: Array("%PDF-".utf8)
        }
    }

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
        case .oldExcel:
            "the file is an old Excel workbook; save it as .xlsx, or convert it with 'libreoffice --convert-to xlsx \(name)'"
        case .pdf: "the file is a PDF; put its table into a spreadsheet, for which 'pdftotext -layout \(name)' may help"
        }
    }
}

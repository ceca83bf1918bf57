import App
import Foundation
import Library
import Projections
import Rasters
import Storage

/// What the program consists of on this machine: itself, and the libraries of the system that it loaded.
enum InstalledParts: Sendable {
    static func findings() -> [Finding] {
        var findings = [Finding(.ok, "program", "waymark \(Release.version), \(DataFolders.executablePath)"), sqlite]
        findings.append(Finding(.ok, "SpatiaLite", SpatialConnection.version))
        findings += projections
        findings.append(Finding(.ok, "libcurl", Surroundings.sending))
        return findings + loaded + [fonts]
    }

    private static var sqlite: Finding {
        let version = SQLiteVersion.current
        return version.defect.map { Finding(.note, "SQLite", $0) } ?? Finding(.ok, "SQLite", version.text)
    }

    private static var projections: [Finding] {
        let data = ProjectionData()
        guard let database = data.database else {
            return [
                Finding(
                    .problem,
                    "PROJ",
                    "\(data.version) finds no proj.db, so no reference system has a number.",
                    remedy: "Install the package proj-data, or set PROJ_DATA to the folder that contains proj.db."
                )
            ]
        }
        let register = data.register.map { ", EPSG \($0)" } ?? ""
        let found = Finding(.ok, "PROJ", "\(data.version)\(register), \(database)")
        guard let missing = ProjectionData.missingGrid else {
            return [found, Finding(.ok, "grids of PROJ", "those between North American systems are there")]
        }
        return [
            found,
            Finding(
                .note,
                "grids of PROJ",
                "\(missing.grid) is not installed, so positions of old American maps are some metres off.",
                remedy: "If you import such, install the package proj-data."
            ),
        ]
    }

    /// Libraries without a version that the program could ask for, and what each is for.
    private static let libraries = [
        ("libfido2", "passkeys"), ("libmosquitto", "MQTT"), ("libreadosm", "OpenStreetMap extracts"),
        ("librsvg-2", "maps as pictures"), ("libturbojpeg", "JPEG"), ("libpng16", "PNG"), ("libwebp", "WebP"),
        ("libexif", "what photographs record"), ("libqrencode", "QR codes"),
    ]

    /// The files that are loaded; none where the system does not say.
    private static var loaded: [Finding] {
        guard let data = pieces(of: "/proc/self/maps") else { return [] }
        // "address permissions offset device inode path"; proc(5). The path is that behind all links, with the version.
        let paths = Set(
            String(decoding: data, as: UTF8.self).split(separator: "\n")
                .compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } }
        )
        return libraries.map { name, use in
            let file = paths.filter { ($0 as NSString).lastPathComponent.hasPrefix(name + ".so") }.min()
            return Finding(.ok, name, "\(file ?? "built into the program") (\(use))")
        }
    }

    /// Reads a file that the system makes while it is read, to its end.
    ///
    /// It comes in pieces of a page, and Foundation takes a piece shorter than it asked for as the last one.
    private static func pieces(of path: String) -> Data? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        var data = Data()
        while let piece = try? file.read(upToCount: 4_096), !piece.isEmpty { data += piece }
        return data
    }

    /// Whether words can be drawn: without any font, librsvg leaves them out and says nothing.
    private static var fonts: Finding {
        func drawn(_ word: String) -> [UInt8]? {
            let text = #"<text x="2" y="30" font-size="30" font-family="sans-serif">\#(word)</text>"#
            let svg = #"<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40">\#(text)</svg>"#
            return try? Raster.png(of: Array(svg.utf8), width: 80, height: 40)
        }
        let hasLetters = drawn("Aa") != drawn("")
        return hasLetters
            ? Finding(.ok, "fonts", "names can be drawn on maps as pictures")
            : Finding(
                .note,
                "fonts",
                "there is none, so maps as pictures have no names.",
                remedy: "Install a font, such as the package fonts-dejavu-core."
            )
    }
}

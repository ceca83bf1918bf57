import Formats
import Foundation
import Library

/// An import that is put together from several files: a folder of photographs, or a Shapefile with the files beside it.
struct GatheredInput: Sendable {
    /// What the importer reads.
    let bytes: [UInt8]
    /// The photographs, if it is a folder.
    let photos: GatheredPhotos?

    /// Gathers the files; `nil` if the path is an ordinary file.
    ///
    /// - Throws: an error of the file system.
    init?(_ file: String) throws {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), isFolder.boolValue {
            let folder = PhotoFolder(file)
            let (geoJSON, unreadable) = try folder.features()
            bytes = geoJSON
            photos = GatheredPhotos(of: folder, unreadable: unreadable)
            return
        }
        guard file.lowercased().hasSuffix(".shp") else { return nil }
        photos = nil
        bytes = try GatheredInput.shapefile(file)
    }

    /// Returns the files of a Shapefile as one archive, as they are passed on.
    private static func shapefile(_ file: String) throws -> [UInt8] {
        let base = String(file.dropLast(4))
        let name = base.split(separator: "/").last.map(String.init) ?? base
        let archive = ZipWriter()
        for ending in [".shp", ".dbf", ".prj", ".cpg"] {
            let found = [ending, ending.uppercased()].first { FileManager.default.fileExists(atPath: base + $0) }
            guard let found else { continue }
            try archive.begin(name + ending)
            try archive.write(try contents(of: base + found))
        }
        try archive.finish()
        return archive.takeOutput()
    }
}

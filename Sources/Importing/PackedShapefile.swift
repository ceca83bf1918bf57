import Formats

/// A Shapefile in a zip archive: the usual way to pass on its files together.
enum PackedShapefile {
    /// Returns the first Shapefile in an archive as GeoJSON, its table in the given encoding or the one that the archive
    /// says; `nil` if the archive has none.
    static func read(
        _ archive: ZipReader,
        name: String,
        limit: Int,
        encoding: TextEncoding?
    ) throws(ImportProblem) -> (geoJSON: [UInt8], remarks: [String])? {
        let files = archive.entries.filter { !$0.name.hasPrefix("__MACOSX/") }
        let shapes = files.filter { $0.name.lowercased().hasSuffix(".shp") }
        guard let first = shapes.first else { return nil }
        let base = first.name.dropLast(4)
        func content(_ ending: String) throws(ImportProblem) -> [UInt8]? {
            guard let entry = files.first(where: { $0.name.lowercased() == base.lowercased() + ending }) else {
                return nil
            }
            do {
                return try archive.bytes(of: entry, limit: limit)
            } catch let failure as ZipReader.Failure {
                throw ImportProblem(file: name, severity: .error, message: failure.description)
            } catch {
                throw ImportProblem(file: name, severity: .error, message: "the archive cannot be read")
            }
        }
        func text(_ ending: String) throws(ImportProblem) -> String? {
            try content(ending).map { String(decoding: $0, as: UTF8.self) }
        }
        var parts = Shapefile.Files(
            shapes: try content(".shp") ?? [],
            table: try content(".dbf"),
            system: try text(".prj"),
            encoding: try text(".cpg")
        )
        parts.givenEncoding = encoding
        do throws(Shapefile.Failure) {
            let shapefile = try Shapefile(parts, limit: limit)
            var remarks = shapefile.remarks
            if shapes.count > 1 {
                let others = shapes.dropFirst().prefix(5).map { String($0.name.prefix(60)) }.joined(separator: ", ")
                remarks.insert("only \(first.name.prefix(60)) was read, not \(others)", at: 0)
            }
            return (shapefile.geoJSON, remarks)
        } catch {
            throw ImportProblem(file: name, severity: .error, message: error.reason)
        }
    }
}

import ArgumentParser
import Formats
import Foundation
import Importing
import Library
import Storage
import Stories

/// An import that is put together from several files: a folder of photographs, or a Shapefile with the files beside it.
struct GatheredInput {
    /// What the importer reads.
    let bytes: [UInt8]
    /// The photographs, if it is a folder.
    let photos: PhotoFolder?
    /// Pictures in the folder that could not be read.
    let unreadable: [String]

    /// Gathers the files; `nil` if the path is an ordinary file.
    ///
    /// - Throws: an error of the file system.
    init?(_ file: String) throws {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), isFolder.boolValue {
            let folder = PhotoFolder(file)
            photos = folder
            (bytes, unreadable) = try folder.features()
            return
        }
        guard file.lowercased().hasSuffix(".shp") else { return nil }
        (photos, unreadable) = (nil, [])
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

extension ImportCommand {
    /// Refuses a folder that has no photographs, or whose photographs would be published by default.
    ///
    /// - Throws: ``CommandFailure``.
    func checkPhotos(in folder: String) throws {
        let photos = PhotoFolder(folder)
        for remark in photos.remarks { Console.remark("\(folder): \(remark).", quiet: database.quiet) }
        guard !photos.photos.isEmpty else {
            throw CommandFailure.usage(
                "\(folder) is a folder without JPEG, PNG or WebP pictures; give the files in it."
            )
        }
        guard privacy != nil || columns else {
            throw CommandFailure.usage(
                "Photographs say where they were taken, which may be somebody's home: give --privacy public, family_only "
                    + "or private."
            )
        }
    }

    /// Refuses to keep ids in a database that has stories: one of them could have such an id, or have had it.
    ///
    /// - Throws: ``CommandFailure``.
    func checkIsEmpty(_ library: StoryLibrary) async throws {
        guard try await library.store.read({ try $0.hasAnyStories() }) else { return }
        throw CommandFailure.usage(
            "The database has stories, so that ids cannot be kept. Leave out --keep-ids, or import into a new one."
        )
    }

    /// Gives imported photographs their small pictures, and names those that have none.
    func storePictures(of input: ImportInput, options: StoryImporter.Options, in library: StoryLibrary) async throws {
        guard let gathered = input.gathered, let folder = gathered.photos else { return }
        for name in gathered.unreadable.prefix(5) {
            Console.remark("\(name) is damaged or no picture and was left out.", quiet: database.quiet)
        }
        guard !dryRun, let owner = try await library.viewer(of: options.owner) else { return }
        let source = options.source ?? ImportFile.baseName(of: input.name)
        let bar = ProgressBar(input.name, quiet: database.quiet)
        defer { bar.end() }
        let unreadable = Set(gathered.unreadable)
        for (index, photo) in folder.photos.enumerated() where !unreadable.contains(photo.name) {
            do {
                _ = try await library.pictures.put(
                    try contents(of: photo.path),
                    ofImport: photo.name,
                    source: source,
                    owner: owner
                )
            } catch let refusal as Refusal {
                Console.remark("\(photo.name) has no small picture: \(refusal.detail)", quiet: database.quiet)
            }
            bar.show(done: index + 1, of: folder.photos.count, count: index + 1, unit: "pictures stored")
        }
    }
}

import ArgumentParser
import Importing
import Library
import Storage
import Stories

extension ImportCommand {
    /// Refuses a folder that has no photographs, or whose photographs would be published by default.
    ///
    /// - Throws: ``CommandFailure``.
    func checkPhotos(in folder: String) throws {
        // Before the folder is walked, which takes long if it is a whole disk.
        guard privacy != nil || columns else {
            throw CommandFailure.usage(
                "\(folder) is a folder, of which the photographs are read. They say where they were taken, which may be "
                    + "somebody's home: give --privacy public, family_only or private."
            )
        }
        let photos = PhotoFolder(folder)
        for remark in photos.remarks { Console.remark("\(folder): \(remark).", quiet: database.quiet) }
        guard !photos.photos.isEmpty else {
            throw CommandFailure.usage(
                "\(folder) is a folder without JPEG, PNG or WebP pictures; give the files in it."
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
        guard let photos = input.photos else { return }
        for name in photos.unreadable.prefix(5) {
            let place = input.name(ofPhoto: name)
            Console.remark("\(place) is damaged or no picture and was left out.", quiet: database.quiet)
        }
        guard !dryRun, let owner = try await library.viewer(of: options.owner) else { return }
        let source = options.source ?? ImportFile.baseName(of: input.name)
        let bar = ProgressBar(input.name, quiet: database.quiet)
        defer { bar.end() }
        for (number, name) in photos.names.enumerated() {
            do {
                _ = try await library.pictures.put(
                    try await photos.contents(of: number),
                    ofImport: name,
                    source: source,
                    owner: owner
                )
            } catch let refusal as Refusal {
                let place = input.name(ofPhoto: name)
                Console.remark("\(place) has no small picture: \(refusal.detail)", quiet: database.quiet)
            }
            bar.show(done: number + 1, of: photos.names.count, count: number + 1, unit: "pictures stored")
        }
    }
}

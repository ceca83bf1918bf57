import Foundation
import Library
import Stories

/// The photographs of a folder that is imported, which lie here or, in a service, with the operator's program.
struct GatheredPhotos: Sendable {
    /// The paths in the folder of those that can be read, in the order of the features that were made of them.
    let names: [String]
    /// The paths of those that are damaged.
    let unreadable: [String]
    private let read: @Sendable (_ number: Int) async throws -> [UInt8]

    /// Creates the photographs of a folder on this machine, of which some could not be read.
    init(of folder: PhotoFolder, unreadable: [String]) {
        let damaged = Set(unreadable)
        let readable = folder.photos.filter { !damaged.contains($0.name) }
        names = readable.map(\.name)
        self.unreadable = unreadable
        let paths = readable.map(\.path)
        read = { number in
            // A pipe or a growing file must not fill the memory; one byte too many is enough to refuse it.
            guard let file = FileHandle(forReadingAtPath: paths[number]) else { throw CocoaError(.fileReadNoSuchFile) }
            defer { try? file.close() }
            return [UInt8](try file.read(upToCount: StoryLimits.pictureBytes + 1) ?? Data())
        }
    }

    /// Reads what ``listing`` wrote: the photographs of a command's folder with an index, which its program has.
    init(listing: [UInt8], ofFolder index: Int, in session: OperatorSession) {
        let entries = listing.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        names = entries.filter { $0.hasPrefix("+") }.map { String($0.dropFirst()) }
        unreadable = entries.filter { $0.hasPrefix("-") }.map { String($0.dropFirst()) }
        read = { number in
            guard let bytes = try await session.photo(number, ofFolder: index, limit: StoryLimits.pictureBytes) else {
                throw CocoaError(.fileReadNoSuchFile)
            }
            return bytes
        }
    }

    /// Both lists as bytes: a plus or a minus before each name, and after it a zero, which no name has.
    var listing: [UInt8] {
        names.flatMap { Array("+\($0)\0".utf8) } + unreadable.flatMap { Array("-\($0)\0".utf8) }
    }

    /// Returns a photograph by its number in ``names``, of which at most the permitted bytes and one more are read.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be read any more.
    func contents(of number: Int) async throws -> [UInt8] {
        do {
            return try await read(number)
        } catch {
            throw CommandFailure.failed(
                "\(excerpt(names[number])) cannot be read any more; the stories are stored. Repeat the import for its picture."
            )
        }
    }
}

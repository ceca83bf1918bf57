import Basemap
import Crypto
import Formats
package import Foundation

/// The tiles that an operator adds: archives in a folder next to the database.
package struct AddedTiles: Sendable {
    /// The folder.
    package let folder: URL
    /// The ending of the archives' names.
    static let ending = "pmtiles"
    /// The maximum number of archives that are served.
    static let most = 100

    /// Creates the list of the tiles added next to a database.
    package init(beside database: String) {
        folder = URL(fileURLWithPath: database + ".tiles", isDirectory: true)
    }

    /// Whether a text can name tiles: 1–40 small letters, digits and hyphens; the names of the bundled basemaps are
    /// taken.
    package static func isName(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "-")
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            } && BasemapFiles.Part(rawValue: text) == nil
    }

    /// The file of tiles by their name.
    package func file(_ name: String) -> URL { folder.appendingPathComponent("\(name).\(AddedTiles.ending)") }

    /// The names of all archives with a text that changes whenever the file does, in alphabetical order.
    package func versions() -> [(name: String, version: String)] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.sorted().prefix(10 * AddedTiles.most)
            .compactMap { file -> (name: String, version: String)? in
                let name = String(file.dropLast(AddedTiles.ending.count + 1))
                guard file == "\(name).\(AddedTiles.ending)", AddedTiles.isName(name) else { return nil }
                return AddedTiles.version(of: self.file(name)).map { (name, $0) }
            }
            .prefix(AddedTiles.most).map { $0 }
    }

    /// Opens tiles by their name.
    ///
    /// - Throws: `TileArchiveError`, or an error of the file system.
    package func open(_ name: String, version: String) throws -> TileSet {
        let archive = try TileArchive(bytes: ArchiveFile(file(name).path))
        let limits = JSONValue.Limits(bytes: max(1, archive.metadata.count))
        let metadata = try? JSONValue(parsing: archive.metadata, limits: limits)
        return TileSet(
            name: name,
            archive: archive,
            version: version,
            attribution: MarkupText.of(markup: metadata?["attribution"]?.string ?? "")
        )
    }

    /// Removes tiles.
    ///
    /// - Throws: ``BasemapFiles/Failure`` if there are none of that name.
    package func remove(_ name: String) throws {
        let known = versions().map(\.name)
        guard AddedTiles.isName(name), known.contains(name) else {
            let list = known.isEmpty ? "no tiles have been added" : "added tiles: \(known.joined(separator: ", "))"
            throw BasemapFiles.Failure(description: "There are no added tiles of the name '\(name)'; \(list).")
        }
        do {
            try FileManager.default.removeItem(at: file(name))
        } catch {
            throw BasemapFiles.Failure(description: "\(file(name).path) cannot be removed; check its permissions.")
        }
    }

    private static func version(of file: URL) -> String? {
        var status = stat()
        guard stat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let text = "\(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)"
        return SHA256.hash(data: Array(text.utf8)).prefix(8).hexDigits
    }
}

/// Texts of others that may contain HTML, as TileJSON's attribution does.
enum MarkupText: Sendable {
    /// The maximum length of a text in characters.
    private static let length = 300

    /// Returns a text without its tags and with the usual characters for names of them, in one line.
    static func of(markup: String) -> String {
        var text = ""
        var isTag = false
        for character in markup.prefix(20 * length) {
            switch character {
            case "<": isTag = true
            case ">" where isTag: isTag = false
            default: if !isTag { text.append(character.isNewline ? " " : character) }
            }
        }
        for (name, character) in [
            ("&copy;", "©"), ("&nbsp;", " "), ("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"),
        ] {
            text = text.replacingOccurrences(of: name, with: character)
        }
        return String(text.split(separator: " ").joined(separator: " ").prefix(length))
    }
}

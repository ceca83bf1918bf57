import Foundation
import Formats
import Importing
import Pictures
import Storage
package import Stories

/// A folder of photographs as stories: each picture with its position, time and caption, as its camera recorded them.
package struct PhotoFolder: Sendable {
    /// A picture in the folder.
    package struct Photo: Sendable {
        /// Its path in the folder, which is its id for repeated imports.
        package let name: String
        /// Where it lies.
        package let path: String
    }

    /// The pictures, in the order of their names.
    package let photos: [Photo]
    /// What is not read, each for people and without a full stop.
    package let remarks: [String]
    private let skipped: [String: Int]

    /// The maximum number of files that are looked at.
    private static let mostFiles = 1_000_000
    private static let endings: Set<String> = ["jpg", "jpeg", "png", "webp"]
    /// Pictures that are not decoded here, with the program that converts them.
    private static let others: [String: String] = [
        "heic": "heif-convert IN.heic OUT.jpg", "heif": "heif-convert IN.heif OUT.jpg", "tif": "magick IN.tif OUT.jpg",
        "tiff": "magick IN.tiff OUT.jpg", "dng": "exiftool -b -PreviewImage IN.dng > OUT.jpg",
        "cr2": "exiftool -b -PreviewImage IN.cr2 > OUT.jpg", "nef": "exiftool -b -PreviewImage IN.nef > OUT.jpg",
        "gif": "magick IN.gif OUT.png", "bmp": "magick IN.bmp OUT.png",
    ]

    /// Looks for pictures in a folder and those within it; links are not followed, hidden files left out.
    ///
    /// - Complexity: O(files).
    package init(_ folder: String) {
        var photos: [Photo] = []
        var skipped: [String: Int] = [:]
        let root = URL(fileURLWithPath: folder).standardizedFileURL
        let files = FileManager.default.enumerator(
            at: root,
            includingPropertiesForKeys: [.isRegularFileKey, .isSymbolicLinkKey],
            options: [.skipsHiddenFiles]
        )
        var count = 0
        while let file = files?.nextObject() as? URL, count < PhotoFolder.mostFiles {
            count += 1
            let values = try? file.resourceValues(forKeys: [.isRegularFileKey, .isSymbolicLinkKey])
            guard values?.isRegularFile == true, values?.isSymbolicLink != true else { continue }
            let ending = file.pathExtension.lowercased()
            if PhotoFolder.endings.contains(ending) {
                let name = file.standardizedFileURL.path.dropFirst(root.path.count).drop { $0 == "/" }
                photos.append(Photo(name: String(name), path: file.path))
            } else {
                skipped[ending, default: 0] += 1
            }
        }
        self.photos = photos.sorted { $0.name < $1.name }
        self.skipped = skipped
        remarks = skipped.sorted { $0.key < $1.key }
            .compactMap { ending, count in
                PhotoFolder.others[ending].map { "\(count) .\(ending) not read; convert with '\($0)'" }
            }
    }

    /// Returns the pictures as GeoJSON for an importer, and the names of those that are damaged.
    ///
    /// Reads the beginning of each file; `progress` gets the number of those read.
    /// - Throws: errors of `progress`.
    package func features(
        _ progress: (Int) throws -> Void = { _ in }
    ) throws -> (geoJSON: [UInt8], unreadable: [String]) {
        var json = JSONWriter(capacity: photos.count * 300)
        var unreadable: [String] = []
        json.beginObject()
        json.member("type", "FeatureCollection")
        json.key("features")
        json.beginArray()
        for (index, photo) in photos.enumerated() {
            if let head = PhotoFolder.head(photo.path), let record = PhotoRecord(of: head) {
                write(photo, record, PicturePacket(in: head), to: &json)
            } else {
                unreadable.append(photo.name)
            }
            try progress(index + 1)
        }
        json.endArray()
        json.endObject()
        return (json.bytes, unreadable)
    }

    /// Returns the beginning of a file, in which cameras and photo managers write about it; `nil` if it cannot be read.
    private static func head(_ path: String) -> [UInt8]? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        return (try? file.read(upToCount: PhotoRecord.headLength)).map { [UInt8]($0) }
    }

    /// Writes a photograph as a feature.
    ///
    /// Of its keywords, which may name people, and of other words only what restricts it becomes a tag: the import asks
    /// about those.
    private func write(_ photo: Photo, _ record: PhotoRecord, _ packet: PicturePacket, to json: inout JSONWriter) {
        let parts = photo.name.split(separator: "/").map(String.init)
        let file = parts.last ?? photo.name
        let base = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
        // A short caption is the best title that there is.
        let caption = record.caption ?? packet.caption
        let isShort =
            caption.map { StoryLimits.fits($0, characters: StoryLimits.titleLength) && !$0.contains("\n") } ?? false
        let titles = [record.title, isShort ? caption : nil].compactMap(\.self)
        let title = titles.first { !StoryLimits.isBlank($0) } ?? base
        let marks = RowPrivacy.marks(
            keywords: record.keywords + packet.keywords,
            texts: [record.title, record.caption, packet.caption].compactMap(\.self) + record.texts + packet.texts,
            terms: record.terms + packet.terms
        )
        json.beginObject()
        json.member("type", "Feature")
        json.member("id", photo.name)
        json.key("geometry")
        if let (latitude, longitude) = record.position {
            json.beginObject()
            json.member("type", "Point")
            json.key("coordinates")
            json.coordinates(longitude: longitude, latitude: latitude)
            json.endObject()
        } else {
            json.null()
        }
        json.key("properties")
        json.beginObject()
        json.member("title", title)
        if caption != title { json.member("text", caption) }
        json.member("date", record.time)
        json.member("kind", StoryKind.photo.rawValue)
        if record.position != nil { json.member("location_source", "gps") }
        json.member("accuracy", record.accuracy)
        if !marks.isEmpty { json.member("tags", marks) }
        if parts.count > 1 { json.member("collection", parts.dropLast().joined(separator: " / ")) }
        json.endObject()
        json.endObject()
    }
}

extension PictureService {
    /// Gives the story of an imported photograph its small picture, unless it has one.
    ///
    /// - Returns: whether it was stored.
    /// - Throws: ``Refusal`` for a picture that is damaged or too large; errors of the database.
    package func put(_ bytes: [UInt8], ofImport sourceID: String, source: String, owner: Viewer) async throws -> Bool {
        guard let user = owner.user else { return false }
        let id = try await store.read { reader -> StoryID? in
            guard let row = try reader.imported(owner: user, source: source, sourceID: sourceID),
                let story = try reader.story(row.id), story.picture == nil
            else { return nil }
            return row.id
        }
        guard let id else { return false }
        try await put(bytes, on: id, by: Principal(viewer: owner, scopes: [], account: nil))
        return true
    }
}

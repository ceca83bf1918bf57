public import Library
import Crypto
import Formats
import Notifications
import Storage
public import Stories

/// All stored data about a person, as a zip archive that is written while it is sent.
///
/// The data is read page by page, each page in the state of the database at that time. Neither the archive nor any list
/// is ever held in memory as a whole, nothing is written to disk, and a slow client keeps no read of the database open.
public struct PersonExport: Sendable {
    private let library: StoryLibrary
    private let viewer: Viewer
    private let user: User
    /// Whether the user existed at preparation; an unknown user has an empty export.
    private let isKnown: Bool
    private var ticket: ExportTicket?

    /// The number of stories read at a time.
    static let pageSize = 200
    /// The maximum duration of sending, in milliseconds.
    static let longest: Int64 = 30 * 60_000

    /// Prepares the export of a user, for themselves or for a service acting for them; returns `nil` if the user does
    /// not exist.
    ///
    /// With `mayBeUnknown`, the export of a user without any data is empty instead.
    public init?(
        of user: UserID,
        library: StoryLibrary,
        service: String? = nil,
        mayBeUnknown: Bool = false
    ) async throws {
        let found = try await library.store.read { (try $0.user(user), try $0.viewer(user)) }
        guard found.0 != nil || mayBeUnknown else { return nil }
        let person = found.0 ?? User(id: user, name: user.rawValue)
        var viewer = found.1 ?? Viewer(user: user)
        self.library = library
        viewer.service = service
        self.viewer = viewer
        self.user = person
        isKnown = found.0 != nil
    }

    /// Returns this export with a ticket of the limit on exports; the ticket ends when the export ends.
    package func holding(_ ticket: ExportTicket) -> PersonExport {
        var export = self
        export.ticket = ticket
        return export
    }

    /// Sends the archive.
    ///
    /// - Throws: ``StoreError``; ``Refusal`` if the client is too slow or the user is erased meanwhile; or an error of
    ///   the sink. The bytes sent until then are not a valid archive.
    @concurrent public func write(to sink: inout any PieceSink) async throws {
        defer { ticket?.end() }
        var archive = Archive(start: library.clock.lasting)
        try await writeStories("stories.json", to: &archive, &sink)
        try await writeStories("stories.geojson", to: &archive, &sink)
        try await writePictures(to: &archive, &sink)
        try await writeAccount(to: &archive, &sink)
        try await writeFeed(to: &archive, &sink)
        try await writeLocationData(to: &archive, &sink)
        try await writeAccesses(to: &archive, &sink)
        try archive.begin("manifest.json")
        try archive.add(manifest(of: archive.finished))
        try archive.finish()
        try await send(&archive, to: &sink)
    }

    @concurrent private func send(_ archive: inout Archive, to sink: inout any PieceSink) async throws {
        guard library.clock.lasting.milliseconds - archive.start.milliseconds <= PersonExport.longest else {
            throw PersonExport.tooSlow
        }
        let bytes = archive.takeOutput()
        if !bytes.isEmpty { try await sink.send(bytes) }
        guard ticket?.noteFetch(of: bytes.count, at: library.clock.lasting) ?? true else { throw PersonExport.tooSlow }
    }

    /// Reads from the database; rejects the export if the user was erased meanwhile, because it would be incomplete.
    @concurrent private func read<Value: Sendable>(
        _ body: @escaping @Sendable (StoreReader) throws -> Value
    ) async throws -> Value {
        try await library.store.read { [user, isKnown] transaction in
            guard try !isKnown || transaction.user(user.id) != nil else { throw Refusal.notFound }
            return try body(transaction)
        }
    }

    private static let tooSlow = Refusal(
        .tooSlow,
        "too-slow",
        "The download of the export took more than half an hour, or stalled for a minute. Start it again."
    )

    /// Writes all the user's stories, as a list or as GeoJSON.
    @concurrent private func writeStories(
        _ name: String,
        to archive: inout Archive,
        _ sink: inout any PieceSink
    ) async throws {
        let isGeoJSON = name.hasSuffix(".geojson")
        var json = JSONWriter(capacity: 1 << 16)
        try archive.begin(name, isLarge: true)
        json.beginObject()
        if isGeoJSON { json.member("type", "FeatureCollection") }
        json.key(isGeoJSON ? "features" : "stories")
        json.beginArray()
        var last: StoryID?
        repeat {
            let page = try await read { [last, user] transaction in
                let ids = try transaction.storyIDs(of: user.id, after: last, limit: PersonExport.pageSize)
                let stories = try transaction.stories(ids)
                return ids.compactMap { stories[$0] }
            }
            try await library.accesses.note(page, for: viewer)
            for story in page {
                let view = StoryView(story: story, viewer: viewer, ownerName: user.name)
                if isGeoJSON { StoryJSON.writeFeature(view, to: &json) } else { StoryJSON.writeOwn(view, to: &json) }
            }
            try archive.add(json.bytes)
            json.removeAll()
            try await send(&archive, to: &sink)
            last = page.last?.id
        } while last != nil
        json.endArray()
        json.endObject()
        try archive.add(json.bytes)
    }

    /// Writes the pictures of the user's stories, each as a file named after its story.
    @concurrent private func writePictures(
        to archive: inout Archive,
        _ sink: inout any PieceSink
    ) async throws {
        var last: StoryID?
        repeat {
            let (ids, illustrated) = try await read { [last, user] transaction in
                let ids = try transaction.storyIDs(of: user.id, after: last, limit: PersonExport.pageSize)
                let stories = try transaction.stories(ids, withText: false)
                return (ids, ids.compactMap { stories[$0] }.filter { $0.picture != nil })
            }
            for story in illustrated {
                // A picture that was replaced or removed meanwhile is left out.
                guard let bytes = try await read({ try $0.pictureBytes(of: story) }) else { continue }
                try archive.begin("pictures/\(story.id).jpg")
                try archive.add(bytes)
                try await send(&archive, to: &sink)
            }
            last = ids.last
        } while last != nil
    }

    @concurrent private func writeAccount(
        to archive: inout Archive,
        _ sink: inout any PieceSink
    ) async throws {
        let now = library.now()
        let bytes = try await read { [user] transaction in
            var json = JSONWriter(capacity: 4_096)
            json.beginObject()
            json.member("id", user.id.rawValue)
            json.member("name", user.name)
            json.member("email", user.email)
            json.member("created_at", try transaction.creationTime(of: user.id).map { RFC3339.format($0) })
            json.member("exported_at", RFC3339.format(now))
            json.key("settings")
            json.raw(NoticeJSON.settings(try transaction.notificationSettings(of: user.id)))
            try transaction.writePersonalRows(of: user.id, to: &json)
            json.endObject()
            return json.bytes
        }
        try archive.begin("account.json")
        try archive.add(bytes)
        try await send(&archive, to: &sink)
    }

    @concurrent private func writeFeed(
        to archive: inout Archive,
        _ sink: inout any PieceSink
    ) async throws {
        var json = JSONWriter(capacity: 1 << 16)
        try archive.begin("notifications.json")
        json.beginObject()
        json.key("notifications")
        json.beginArray()
        var after: (createdAt: Timestamp, id: String)?
        repeat {
            let (items, page) = try await read { [after, user, viewer, library] transaction in
                var window = FeedWindow()
                (window.withArchived, window.after, window.limit) = (true, after, PersonExport.pageSize)
                let reader = try library.feed.reader(of: user.id, service: viewer.service, in: transaction)
                let items = try transaction.notices(of: user.id, in: window)
                return (items, try reader?.read(items) ?? FeedReader.Page())
            }
            try await library.accesses.note(page.own, for: viewer)
            for item in page.shown { NoticeJSON.write(item, to: &json) }
            try archive.add(json.bytes)
            json.removeAll()
            try await send(&archive, to: &sink)
            after = items.last.map { ($0.createdAt, $0.id) }
        } while after != nil
        json.endArray()
        json.endObject()
        try archive.add(json.bytes)
    }

    @concurrent private func writeLocationData(
        to archive: inout Archive,
        _ sink: inout any PieceSink
    ) async throws {
        let (data, settings) = try await read { [user] in
            (try $0.locationData(of: user.id), try $0.notificationSettings(of: user.id))
        }
        try archive.begin("location-data.json")
        try archive.add(PersonJSON.locationData(data, settings: settings))
        try await send(&archive, to: &sink)
    }

    @concurrent private func writeAccesses(
        to archive: inout Archive,
        _ sink: inout any PieceSink
    ) async throws {
        var json = JSONWriter(capacity: 1 << 16)
        try archive.begin("accesses.json")
        json.beginObject()
        json.key("accesses")
        json.beginArray()
        var after: AccessRecord?
        repeat {
            let (page, names) = try await read { [after, user] transaction in
                let page = try transaction.accesses(of: user.id, after: after, limit: 500)
                return (page, try transaction.readerNames(in: page))
            }
            for access in page { PersonJSON.write(access, names: names, to: &json) }
            try archive.add(json.bytes)
            json.removeAll()
            try await send(&archive, to: &sink)
            after = page.last
        } while after != nil
        json.endArray()
        json.endObject()
        try archive.add(json.bytes)
    }

    private func manifest(of files: [Archive.File]) -> [UInt8] {
        var json = JSONWriter(capacity: 1_000)
        json.beginObject()
        json.member("user", user.id.rawValue)
        json.key("files")
        json.beginArray()
        for file in files {
            json.beginObject()
            json.member("name", file.name)
            json.member("bytes", file.size)
            json.member("sha256", file.digest)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}

/// A zip archive that records the size and SHA-256 of its files.
private struct Archive {
    /// A finished file.
    struct File {
        let name: String
        let size: Int
        let digest: String
    }

    let start: Timestamp
    private(set) var finished: [File] = []
    private let zip = ZipWriter()
    private var name: String?
    private var size = 0
    private var hash = SHA256()

    init(start: Timestamp) { self.start = start }

    mutating func begin(_ name: String, isLarge: Bool = false) throws {
        end()
        try zip.begin(name, isLarge: isLarge)
        self.name = name
    }

    mutating func add(_ bytes: [UInt8]) throws {
        try zip.write(bytes)
        hash.update(data: bytes)
        size += bytes.count
    }

    mutating func finish() throws {
        end()
        try zip.finish()
    }

    func takeOutput() -> [UInt8] { zip.takeOutput() }

    private mutating func end() {
        guard let name else { return }
        let digits = hash.finalize().map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        finished.append(File(name: name, size: size, digest: digits.joined()))
        self.name = nil
        size = 0
        hash = SHA256()
    }
}

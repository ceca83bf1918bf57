import Library
import App
import Formats
import Foundation
import Geometry
import HTTPTypes
import Storage
import Stories
import Testing
import TestSupport

@Suite("Access to one's own data")
struct PersonTests {
    /// What Python's reader finds in an archive: the JSON of every file, and that its checksums hold.
    private static func open(_ archive: [UInt8]) throws -> JSONValue {
        let folder = try TemporaryFolder()
        try Data(archive).write(to: URL(filePath: folder.path("a.zip")))
        let script = """
            from sys import argv; import zipfile, hashlib, json
            archive = zipfile.ZipFile(argv[1])
            assert archive.testzip() is None
            names = archive.namelist()
            for file in json.loads(archive.read("manifest.json"))["files"]:
                content = archive.read(file["name"])
                assert len(content) == file["bytes"] and hashlib.sha256(content).hexdigest() == file["sha256"]
                names.remove(file["name"])
            assert names == ["manifest.json"], names
            print(json.dumps({name: json.loads(archive.read(name)) for name in archive.namelist()}))
            """
        let run = try ProgramRun("python3", ["-c", script, folder.path("a.zip")])
        #expect(run.status == 0)
        return try JSONValue(parsing: run.output, limits: .init(bytes: .max))
    }

    @Test("NTF-09 The export contains all of a user's data, exactly, and no one else's; another program reads it")
    func export() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let hidden =
                ",\"location\":{\"lat\":33.75541234567891,\"lon\":-84.3736,\"precision\":\"hidden\",\"family_sees_exact\":true}"
            let id = try await client.create(as: "ana", title: "Hidden", latitude: nil, extra: hidden)
            for number in 0..<450 { _ = try await client.create(as: "ana", title: "Story \(number)") }
            _ = try await client.create(as: "ben", title: "Not hers")
            _ = try await client.send(
                .put,
                "/v1/me/notification-settings",
                as: "ana",
                "{\"enabled\":true,\"radius\":300}"
            )
            _ = try await client.get("/v1/stories/\(id)", as: "ben")
            let reply = try await client.get("/v1/me/export", as: "ana")
            #expect(reply.status == 200 && reply.headers[.contentType] == "application/zip")
            #expect(reply.headers[.cacheControl] == "no-store")
            let files = try PersonTests.open(reply.bytes)
            let stories = files["stories.json"]?["stories"]?.array ?? []
            #expect(stories.count == 451 && Set(stories.compactMap { $0["id"]?.string }).count == 451)
            #expect(stories.allSatisfy { $0["owner"]?.string == "ana" })
            let mine = stories.first { $0["id"]?.string == id }
            #expect(mine?["coordinates"]?[1]?.number == 33.75541234567891)
            #expect(mine?["location"]?["precision"]?.string == "hidden")
            #expect(files["stories.geojson"]?["features"]?.array?.count == 451)
            #expect(files["account.json"]?["memberships"]?[0]?["family"]?.string == "whitfield")
            #expect(files["account.json"]?["settings"]?["radius"]?.number == 300)
            #expect(files["account.json"]?["consents"]?[0]?["action"]?.string == "given")
            #expect(files["accesses.json"]?["accesses"]?[0]?["reader"]?.string == "ben")
            #expect(files["location-data.json"]?["monitoring"]?.string == "on")
            // What she was told: that Ben added a story.
            #expect(files["notifications.json"]?["notifications"]?.array?.count == 1)
            #expect(try await client.get("/v1/me/export").status == 401)
        }
    }

    /// Remembers the largest piece, and writes while the archive is made.
    private final class MeasuringSink: PieceSink {
        private let disturb: () async throws -> Void
        private(set) var pieces: [Int] = []
        private(set) var bytes: [UInt8] = []

        init(_ disturb: @escaping () async throws -> Void) { self.disturb = disturb }

        @concurrent func send(_ bytes: [UInt8]) async throws {
            pieces.append(bytes.count)
            self.bytes += bytes
            if pieces.count == 3 { try await disturb() }
        }
    }

    @Test("NTF-09 The export is sent in small pieces, and data deleted meanwhile is left out from there on")
    func streamed() async throws {
        let fixture = try await ServiceFixture()
        let user = try #require(UserID("archive"))
        var generator = SplitMix64(seed: 1)
        let stories = (0..<2_000)
            .map { number in
                var story = Story(
                    id: StoryID(using: &generator),
                    kind: .photo,
                    title: "\(number)",
                    owner: user,
                    createdAt: fixture.clock.now
                )
                story.text = (0..<40).map { _ in String(UInt64.random(in: 0 ... .max, using: &generator)) }.joined()
                return story
            }
        try await fixture.library.store.write { for story in stories { try $0.insert(story) } }
        let export = try #require(try await PersonExport(of: user, library: fixture.library))
        let measured = MeasuringSink {
            let late = Story(
                id: StoryID(high: .max, low: .max),
                kind: .photo,
                title: "late",
                owner: user,
                createdAt: fixture.clock.now
            )
            try await fixture.library.store.write { transaction in
                try transaction.insert(late)
                for story in stories[1_000...] { try transaction.deleteStory(story.id) }
            }
        }
        var sink: any PieceSink = measured
        try await export.write(to: &sink)
        #expect(measured.pieces.count > 15)
        #expect(measured.pieces.max() ?? .max < 300_000)
        let files = try PersonTests.open(measured.bytes)
        let kept = Set(stories[..<1_000].map(\.id.description))
        let sent = files["stories.json"]?["stories"]?.array?.compactMap { $0["id"]?.string } ?? []
        #expect(sent.count == Set(sent).count && sent.count < 2_000)
        #expect(kept.isSubset(of: sent))
        let features = files["stories.geojson"]?["features"]?.array?.compactMap { $0["id"]?.string } ?? []
        #expect(features.count == 1_001 && kept.isSubset(of: features))
    }

    @Test("LOC-08 The owner learns who gets an exact point that others do not, once a day")
    func accessLog() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            func place(_ precision: String, _ latitude: Double, trusted: Bool) -> String {
                let cell = precision == "approximate" ? ",\"cell\":0.1" : ""
                return
                    ",\"location\":{\"lat\":\(latitude),\"lon\":12.34567,\"precision\":\"\(precision)\"\(cell),\"family_sees_exact\":\(trusted)}"
            }
            let near = try await client.create(
                as: "ana",
                title: "A",
                latitude: nil,
                extra: place("approximate", 51.2345, trusted: true)
            )
            let hidden = try await client.create(
                as: "ana",
                title: "B",
                latitude: nil,
                extra: place("hidden", 52.3456, trusted: true)
            )
            _ = try await client.create(
                as: "ana",
                title: "C",
                latitude: nil,
                extra: place("approximate", 53.4567, trusted: false)
            )
            _ = try await client.create(
                as: "ana",
                title: "D",
                latitude: nil,
                extra: place("exact", 54.5678, trusted: true)
            )
            func log() async throws -> [[String?]] {
                let rows = try await client.get("/v1/me/access-log", as: "ana").json["accesses"]?.array ?? []
                return rows.map { [$0["story"]?.string, $0["reader"]?.string, $0["day"]?.string] }
            }
            for viewer in [nil, "ana", "cora"] { _ = try await client.get("/v1/stories?limit=100", as: viewer) }
            #expect(try await log() == [])
            // One by one: a single story, a marker of the map; then the list, which repeats both.
            _ = try await client.get("/v1/stories/\(near)", as: "ben")
            #expect(try await log() == [[near, "ben", "2026-11-21"]])
            _ = try await client.get("/v1/clusters?bbox=12.3,52.3,12.4,52.4&zoom=14", as: "ben")
            let both = [near, hidden].sorted().map { [$0, "ben", "2026-11-21"] }
            #expect(try await log() == both)
            _ = try await client.get("/v1/stories?limit=100", as: "ben")
            #expect(try await log() == both)
            fixture.clock.advance(seconds: 86_400)
            _ = try await client.get("/v1/stories/\(near)", as: "ben")
            #expect(try await log() == [[near, "ben", "2026-11-22"]] + both)
            let page = try await client.get("/v1/me/access-log?limit=2", as: "ana").json
            let next = try #require(page["links"]?["next"]?.string)
            let rest = try await client.get(next, as: "ana").json
            #expect(rest["accesses"]?.array?.count == 1 && rest["links"]?["next"]?.isNull == true)
            #expect(try await client.get("/v1/me/access-log?cursor=x", as: "ana").status == 400)
            // Every other surface by itself: a list, what changed, a region to take along.
            for surface in ["stories?limit=100", "changes", "offline-package?bbox=12,55,13,57&zoom=10"] {
                let seen = try await log().count
                let extra = place("hidden", 56.7891, trusted: true)
                let id = try await client.create(as: "ana", title: "E", latitude: nil, extra: extra)
                #expect(try await client.get("/v1/\(surface)", as: "ben").status == 200)
                #expect(try await log().contains { $0[0] == id }, "\(surface)")
                #expect(try await log().count > seen)
                _ = try await client.send(.delete, "/v1/stories/\(id)", as: "ana")
            }
            // Whoever read is gone: that somebody did stays known.
            #expect(try await client.send(.delete, "/v1/me", as: "ben").status == 200)
            let nameless = try await log()
            #expect(nameless.count >= 3 && nameless.allSatisfy { $0[1] == nil })
            fixture.clock.advance(seconds: 181 * 86_400)
            try await ErasureUpkeep(library: fixture.library, logger: fixture.logger).keepUp()
            #expect(try await log() == [])
        }
    }

    @Test("NTF-01 Every consent change is recorded, and all are withdrawn in one request")
    func consents() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let path = "/v1/me/notification-settings"
            _ = try await client.send(.put, path, as: "ana", "{\"enabled\":true}")
            _ = try await client.send(.put, path, as: "ana", "{\"radius\":500}")
            _ = try await client.send(.put, path, as: "ana", "{\"enabled\":false}")
            _ = try await client.send(.put, path, as: "ana", "{\"enabled\":true}")
            let before = try await client.get("/v1/me/consents", as: "ana").json
            #expect(before["history"]?.array?.compactMap { $0["action"]?.string } == ["given", "withdrawn", "given"])
            #expect(before["current"]?.array?.count == 1)
            let after = try await client.send(.delete, "/v1/me/consents", as: "ana").json
            #expect(after["current"]?.array?.isEmpty == true && after["history"]?.array?.count == 4)
            #expect(try await client.get(path, as: "ana").json["enabled"]?.bool == false)
            #expect(try await client.send(.delete, "/v1/me/consents", as: "ana").json["history"]?.array?.count == 4)
        }
    }
}

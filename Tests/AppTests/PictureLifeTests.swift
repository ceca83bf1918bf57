import App
import Formats
import Foundation
import GRDB
import Geometry
import HTTPTypes
import Library
import Storage
import Stories
import TestSupport
import Testing

@Suite("What becomes of pictures")
struct PictureLifeTests {
    /// Pieces of a picture that occur nowhere else: of its compressed pixels, a page of the database apart.
    private static func pieces(of picture: [UInt8]) -> [Data] {
        stride(from: picture.count / 3, to: picture.count - 32, by: 700).map { Data(picture[$0..<($0 + 24)]) }
    }

    /// How many of the pieces are in the files of a service.
    private static func count(_ pieces: [Data], in fixture: ServiceFixture) throws -> Int {
        let folder = fixture.folder.url
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .compactMap { FileManager.default.contents(atPath: folder.appending(path: $0).path) }
        return pieces.count { piece in files.contains { $0.range(of: piece) != nil } }
    }

    /// A story of ana with a photograph; returns its id and the picture.
    private static func illustrated(
        _ client: Client,
        title: String = "x"
    ) async throws -> (id: String, picture: [UInt8]) {
        let id = try await client.create(as: "ana", title: title)
        // Its picture takes more than a page of the database.
        #expect(try await client.putPicture(SmallPicture.sample("ink.jpg"), on: id, as: "ana").status == 200)
        return (id, try await client.picture(of: id, as: "ana").bytes)
    }

    @Test("PRV-07 With its story a picture leaves every byte of the database, and comes back with it exactly")
    func deleteAndRestore() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let (id, picture) = try await PictureLifeTests.illustrated(client)
            let pieces = PictureLifeTests.pieces(of: picture)
            let story = try await client.get("/v1/stories/\(id)", as: "ana").bytes
            #expect(try PictureLifeTests.count(pieces, in: fixture) > 0)
            #expect(try await client.send(.delete, "/v1/stories/\(id)", as: "ana").status == 204)
            try await fixture.library.store.foldLogAfterRemovals()
            #expect(try PictureLifeTests.count(pieces, in: fixture) == 0)
            #expect(try await client.picture(of: id, as: "ana").status == 404)
            let key = try #require(StoryID(id))
            #expect(try await fixture.library.rights.retention.restore(key))
            #expect(try await client.picture(of: id, as: "ana").bytes == picture)
            #expect(try await client.get("/v1/stories/\(id)", as: "ana").bytes == story)
        }
    }

    @Test("PRV-07 A picture that is replaced or removed leaves no byte behind", arguments: [false, true])
    func replaced(isRemoved: Bool) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let (id, picture) = try await PictureLifeTests.illustrated(client)
            let pieces = PictureLifeTests.pieces(of: picture)
            if isRemoved {
                #expect(try await client.send(.delete, "/v1/stories/\(id)/thumbnail", as: "ana").status == 204)
            } else {
                _ = try await client.putPicture(Array(SmallPicture.webp().utf8), on: id, as: "ana")
            }
            try await fixture.library.store.foldLogAfterRemovals()
            #expect(try PictureLifeTests.count(pieces, in: fixture) == 0)
            #expect(try await client.picture(of: id).status == (isRemoved ? 404 : 200))
        }
    }

    @Test("NTF-09 PRV-07 With an account its pictures are erased, also those of deleted stories")
    func erased() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let (id, picture) = try await PictureLifeTests.illustrated(client)
            let (deleted, _) = try await PictureLifeTests.illustrated(client, title: "y")
            #expect(try await client.send(.delete, "/v1/stories/\(deleted)", as: "ana").status == 204)
            let kept = try await client.create(as: "ben", title: "z")
            let bytes = Array(SmallPicture.webp().utf8)
            #expect(try await client.putPicture(bytes, on: kept, as: "ben").status == 200)
            let reply = try await client.send(.delete, "/v1/me", as: "ana")
            #expect(reply.status == 200 && reply.json["overwritten"]?.bool == true)
            #expect(reply.json["counts"]?["pictures"]?.integer == 1)
            #expect(try PictureLifeTests.count(PictureLifeTests.pieces(of: picture), in: fixture) == 0)
            #expect(try await client.picture(of: id, as: "ben").status == 404)
            #expect(try await client.picture(of: kept).status == 200)
        }
        let sql = "SELECT count(*) FROM story_pictures"
        let rows = try fixture.library.store.inspect { try Int.fetchOne($0, sql: sql) }
        #expect(rows == 1)
    }

    @Test("NTF-09 The export contains one's pictures as files, and nobody else's")
    func exported() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let (id, picture) = try await PictureLifeTests.illustrated(client)
            _ = try await client.create(as: "ana", title: "Without")
            let other = try await client.create(as: "ben", title: "His")
            _ = try await client.putPicture(Array(SmallPicture.webp().utf8), on: other, as: "ben")
            let files = try ZipFiles.read(try await client.get("/v1/me/export", as: "ana").bytes)
            #expect(files["pictures/\(id).jpg"] == picture)
            #expect(files.keys.count { $0.hasPrefix("pictures/") } == 1)
            let account = try JSONValue(parsing: files["account.json"] ?? [], limits: .init(bytes: .max))
            #expect(account["pictures"]?.array?.count == 1)
            #expect(account["pictures"]?[0]?["story"]?.string == id)
        }
    }

    @Test("A story that another program removes or strips takes its picture along")
    func outsideRemoval() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let (id, _) = try await PictureLifeTests.illustrated(client)
            let (stripped, _) = try await PictureLifeTests.illustrated(client, title: "y")
            try fixture.library.store.inspect { db in
                try db.execute(sql: "UPDATE stories SET picture_version = NULL WHERE id = ?", arguments: [stripped])
            }
            #expect(try await client.picture(of: stripped).status == 404)
            #expect(try await client.get("/v1/stories/\(stripped)").json["thumbnail"]?.isNull == true)
            // Like a program that does not enforce references.
            try await DatabaseQueue(path: fixture.folder.path("waymark.db"))
                .writeWithoutTransaction { db in
                    try db.execute(sql: "PRAGMA foreign_keys = OFF; DELETE FROM stories WHERE id = '\(id)'")
                }
            try await fixture.library.outsideEdits.adopt()
            let left = try fixture.library.store.inspect {
                try String.fetchAll($0, sql: "SELECT story FROM story_pictures")
            }
            #expect(left == [stripped])
        }
    }

    @Test("Without HTTP, the use case gives a story its picture for its owner, and refuses others")
    func useCase() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        var generator = SplitMix64(seed: 5)
        let (ana, ben) = (try #require(UserID("ana")), try #require(UserID("ben")))
        let story = Story(
            id: StoryID(using: &generator),
            kind: .photo,
            title: "x",
            owner: ana,
            createdAt: fixture.clock.now
        )
        try await fixture.library.store.write { try $0.insert(story) }
        func principal(_ user: UserID) async throws -> Principal {
            Principal(
                viewer: try #require(try await fixture.library.viewer(of: user)),
                scopes: Scope.user,
                account: user.rawValue
            )
        }
        let pictures = fixture.library.pictures
        let bytes = Array(SmallPicture.webp(9).utf8)
        let stranger = try await principal(ben)
        let refusal = await #expect(throws: Refusal.self) {
            try await pictures.put(bytes, on: story.id, by: stranger)
        }
        #expect(refusal?.kind == .forbidden)
        try await pictures.put(bytes, on: story.id, by: try await principal(ana))
        let stored = try await fixture.library.store.read { try $0.story(story.id) }
        #expect(stored?.picture?.width == 3 && stored?.picture?.height == 2)
        #expect(stored.map { $0.updatedAt > story.updatedAt } == true)
        #expect(try await pictures.picture(of: story.id, viewer: .anonymous) != nil)
        try await pictures.remove(from: story.id, by: try await principal(ana))
        #expect(try await pictures.picture(of: story.id, viewer: .anonymous) == nil)
        // Every share was given back.
        #expect(pictures.shares.count == 0)
    }

    @Test("REL-10 Pictures wait for each other, and nobody takes every place")
    func shares() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let (id, _) = try await PictureLifeTests.illustrated(client)
            let user = try #require(UserID("ana"))
            let held = try (0..<2).map { _ in try fixture.library.pictures.shares.take(user: user, address: nil) }
            let refused = try await client.putPicture(Array(SmallPicture.webp().utf8), on: id, as: "ana")
            #expect(refused.status == 429 && refused.headers[.retryAfter] == "5")
            let other = try await client.create(as: "ben", title: "y")
            #expect(try await client.putPicture(Array(SmallPicture.webp().utf8), on: other, as: "ben").status == 200)
            withExtendedLifetime(held) {}
        }
    }
}

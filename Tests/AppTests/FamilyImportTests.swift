import App
import Formats
import HTTPTypes
import Importing
import Library
import Stories
import TestSupport
import Testing

/// Stories for one family alone, in files.
@Suite("Families in imports")
struct FamilyImportTests {
    private static let formats: [ExportFormat] = [.csv, .geojson, .ndjson, .kml, .geoPackage]

    /// The families Lake of ana and ben, and Choir of ana and cora.
    private static func families(_ client: Client) async throws -> (lake: String, choir: String) {
        let lake = try await client.makeFamily(of: "ana", "Lake")
        let choir = try await client.makeFamily(of: "ana", "Choir")
        try await client.join(lake, as: "ben", invitedBy: "ana")
        try await client.join(choir, as: "cora", invitedBy: "ana")
        return (lake, choir)
    }

    private static func matched(_ client: Client, as user: String) async throws -> Int? {
        try await client.get("/v1/stories", as: user).json["numberMatched"]?.integer
    }

    private static func owner(_ fixture: ServiceFixture) async throws -> (id: UserID, viewer: Viewer) {
        let owner = try #require(UserID("ana"))
        return (owner, try #require(try await fixture.library.viewer(of: owner)))
    }

    @Test("PRV-02 A story for one family stays with it through an export and an import", arguments: formats)
    func roundTrip(format: ExportFormat) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let lake = try await Self.families(client).lake
            let audience = #","privacy":"family_only","family":"\#(lake)""#
            _ = try await client.create(as: "ana", title: "Zebra", extra: audience)
            let (owner, viewer) = try await Self.owner(fixture)
            let bytes = try await fixture.exported(format, as: viewer).bytes
            var options = StoryImporter.Options(owner: owner)
            options.source = "again"
            let (result, outcome) = try await fixture.library.imports.add(
                reading: bytes,
                fileName: "export.\(format.rawValue)",
                by: StoryImporter(options: options)
            )
            #expect(!result.isRefused && outcome.created == 1, "\(result.problems)")
            #expect(try await Self.matched(client, as: "ana") == 2)
            #expect(try await Self.matched(client, as: "ben") == 2)
            #expect(try await Self.matched(client, as: "cora") == 0)
            // Those who left it out of the file would have shown it to both.
            let others = try await fixture.library.viewer(of: try #require(UserID("ben")))
            let theirs = try await fixture.exported(format, as: try #require(others)).bytes
            #expect(format == .geoPackage || String(decoding: theirs, as: UTF8.self).contains(lake))
        }
    }

    @Test("PRV-02 A file cannot show stories to a family that its owner is not in")
    func foreignFamily() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let (lake, choir) = try await Self.families(client)
            for (user, family, status) in [
                ("ben", choir, "refused"), ("ben", lake, "complete"), ("ana", "nobody", "refused"),
            ] {
                let rows = "title,privacy,family\nA,family_only,\(family)\n"
                let reply = try await client.send(.post, "/v1/imports?name=a.csv&source=\(family)", as: user, rows)
                let state = reply.json["state"] ?? reply.json["import"]?["state"]
                #expect(state?.string == status, "\(String(decoding: reply.bytes, as: UTF8.self))")
                let text = String(decoding: reply.bytes, as: UTF8.self)
                #expect(text.contains("is not the id of a family") == (status == "refused"))
            }
            #expect(try await Self.matched(client, as: "cora") == 0)
        }
    }

    @Test("PRV-02 An owner who leaves the family while the file is read shows it nothing", arguments: [1, 1_000])
    func left(loadingFrom least: Int) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let (lake, _) = try await Self.families(client)
            let family = try #require(FamilyID(lake))
            var options = StoryImporter.Options(owner: try #require(UserID("dora")))
            options.ownerFamilies = [family]
            let rows = Array("title,privacy,family\nA,family_only,\(lake)\nB,public,\n".utf8)
            let read = StoryImporter(options: options).read(rows, fileName: "a.csv")
            #expect(read.stories.count == 2)
            await #expect(throws: Refusal.self) {
                _ = try await fixture.library.imports.add(read.stories, loadingFrom: least)
            }
            #expect(try await Self.matched(client, as: "ben") == 0)
        }
    }
}

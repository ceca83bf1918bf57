import App
import Formats
import Foundation
import HTTPTypes
import Importing
import Library
import Storage
import Stories
import Testing
import Web

@Suite("Imports over HTTP")
struct ImportEndpointTests {
    private static let rows = "id,title,lat,lon\n1,One,33.7,-84.3\n2,Two,33.8,-84.4\n"

    private func send(
        _ client: Client,
        _ body: String,
        as user: String = "ana",
        query: String = "?name=letters.csv",
        key: String? = nil
    ) async throws -> Client.Reply {
        var headers = HTTPFields()
        if let key { headers[try #require(HTTPField.Name("Idempotency-Key"))] = key }
        return try await client.send(.post, "/v1/imports" + query, as: user, body, headers: headers)
    }

    @Test("A file is imported, listed and undone by its owner, and unknown to others")
    func journey() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let sent = try await send(client, Self.rows)
            #expect(sent.status == 200)
            let json = sent.json
            #expect(json["state"]?.string == "complete" && json["new"]?.integer == 2 && json["format"]?.string == "csv")
            let path = try #require(sent.headers[.location])
            #expect(try await client.get(path, as: "ana").json["file"]?.string == "letters.csv")
            #expect(try await client.get("/v1/imports", as: "ana").json["imports"]?.array?.count == 1)
            #expect(try await client.get("/v1/stories?owner=ana").json["numberMatched"]?.integer == 2)
            // Importing it again changes nothing.
            #expect(try await send(client, Self.rows).json["unchanged"]?.integer == 2)
            #expect(try await client.get(path, as: "ben").status == 404)
            #expect(try await client.send(.delete, path, as: "ben").status == 404)
            #expect(try await client.get("/v1/imports", as: "ben").json["imports"]?.array?.isEmpty == true)
            let undone = try await client.send(.delete, path, as: "ana").json
            #expect(undone["state"]?.string == "undone" && undone["undo"]?["deleted"]?.integer == 2)
            #expect(try await client.get("/v1/stories?owner=ana").json["numberMatched"]?.integer == 0)
            #expect(try await client.send(.delete, path, as: "ana").json["undo"]?["deleted"]?.integer == 0)
            let folder = fixture.library.store.path + ".imports"
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty, "A file is left behind.")
        }
    }

    @Test(
        "LOC-07 Rows whose date waits for the others are stored like them, in one piece and in several",
        arguments: [ImportService.loadedFrom, 1]
    )
    func waitingDates(least: Int) async throws {
        let file = "title,date,lat,lon\nA,1893-4,1,2\nB,1911/12,3,4\nC,2001-21,5,6\nD,1950,7,8\n"
        let fixture = try await ServiceFixture()
        let importer = StoryImporter(options: .init(owner: .archive))
        for expected in [ImportOutcome(created: 4), ImportOutcome(unchanged: 4)] {
            let (_, outcome) = try await fixture.library.imports
                .add(reading: Array(file.utf8), fileName: "a.csv", by: importer, loadingFrom: least)
            #expect(outcome == expected)
        }
        try await fixture.run { client async throws in
            for count in ["new", "unchanged"] {
                #expect(try await send(client, file).json[count]?.integer == 4)
            }
        }
    }

    @Test("PRV-01 Nobody learns that somebody else imported the same file")
    func sameFileOfOthers() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let alone = try await send(client, Self.rows, as: "ben", query: "?name=letters.csv&dry_run=true")
            #expect(try await send(client, Self.rows).status == 200)
            for query in ["?name=letters.csv", "?name=renamed.csv"] {
                let beside = try await send(client, Self.rows, as: "ben", query: query + "&dry_run=true")
                #expect(beside.status == 200 && beside.json == alone.json)
            }
            #expect(try await send(client, Self.rows, as: "ben").json["new"]?.integer == 2)
        }
    }

    @Test("A kind for the whole file that none of the caller's stories has is refused with the nearest one")
    func mistypedKind() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let refused = try await send(client, Self.rows, query: "?name=a.csv&kind=intervew")
            let error = refused.json["errors"]?[0]
            #expect(refused.status == 400 && error?["field"]?.string == "kind")
            #expect(error?["message"]?.string?.contains("did you mean interview?") == true)
            #expect(error?["message"]?.string?.contains("new_kinds=true adds it") == true)
            let added = try await send(client, Self.rows, query: "?name=a.csv&kind=diary&new_kinds=true")
            #expect(added.status == 200 && added.json["new"]?.integer == 2)
            #expect(try await send(client, Self.rows, query: "?name=a.csv&kind=diary").status == 200)
        }
    }

    @Test(
        "LOC-07 What is wrong with a file is said with parameters, not with options of the command",
        arguments: [
            ("title,lat,lon\nA,500000,4000000\n", "the parameter crs"),
            ("title,easting,northing\nA,500000,4000000\n", "the parameter crs, such as EPSG:26918"),
            ("33.7,-84.3\n1,2\n", "Call the column with the titles title"),
            ("title,coordinates\nA,nowhere\n", "or rename the column"),
            ("title,visibility\nA,private\n", "the parameter privacy"),
            ("title,privacy\nA,private\nB,\n", "the parameter privacy"),
            ("0 HEAD\n0 @I1@ INDI\n1 NAME Jo /Doe/\n1 BIRT\n2 PLAC Boston\n", "the parameter privacy: public"),
            ("\u{FEFF}title\nA\n", "leave out the parameter encoding"), ("GIF89a", "send a table"),
        ]
    )
    func words(text: String, advice: String) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let encoding = text.hasPrefix("\u{FEFF}") ? "&encoding=windows-1252" : ""
            let answer = try await send(client, text, query: "?name=upload" + encoding)
            let said = answer.json["errors"]?.array?.compactMap { $0["message"]?.string } ?? []
            #expect(answer.status == 422 && said.contains { $0.contains(advice) }, "\(said)")
            let body = String(decoding: answer.bytes, as: UTF8.self)
            #expect(!body.contains("--"), "\(body)")
        }
    }

    @Test("A repetition with the same key gets the same import")
    func repeated() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let first = try await send(client, Self.rows, key: "k1").json["id"]?.string
            #expect(first != nil)
            #expect(try await send(client, Self.rows, key: "k1").json["id"]?.string == first)
            #expect(try await client.get("/v1/imports", as: "ana").json["imports"]?.array?.count == 1)
            #expect(try await send(client, "title\nOther\n", key: "k1").status == 422)
            #expect(try await send(client, Self.rows, as: "ben", key: "k1").json["id"]?.string != first)
        }
    }

    @Test("A file that cannot be read is refused whole, with its problems")
    func refused() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let bad = Self.rows + "3,Three,95,0\n"
            let answer = try await send(client, bad, key: "k1")
            #expect(answer.status == 422 && answer.json["type"]?.string == "/problems/import-refused")
            #expect(answer.json["errors"]?[0]?["field"]?.string == "lat")
            #expect(answer.json["errors"]?[0]?["message"]?.string?.hasPrefix("row 4: ") == true)
            #expect(answer.json["detail"]?.string?.contains("lat: row 4: ") == true)
            let refused = try #require(answer.json["import"])
            #expect(refused["state"]?.string == "refused" && refused["new"]?.integer == 0)
            #expect(refused["problems"]?[0]?["row"]?.integer == 4 && refused["problems"]?[0]?["field"]?.string == "lat")
            // The record stays, and a repetition gets the same answer.
            let path = try #require(answer.headers[.location])
            #expect(try await client.get(path, as: "ana").json == refused)
            #expect(try await send(client, bad, key: "k1").bytes == answer.bytes)
            let hidden = try await send(client, "title,Access restrictions\nA,closed\n", query: "?name=p.csv")
            #expect(hidden.status == 422 && hidden.json["detail"]?.string?.contains("parameter privacy") == true)
            let trial = try await send(client, bad, query: "?name=a.csv&dry_run=true").json
            #expect(trial["accepted"]?.bool == false && trial["refused"]?.integer == 1)
            #expect(try await client.get("/v1/stories?owner=ana").json["numberMatched"]?.integer == 0)
            let skipped = try await send(client, bad, query: "?name=letters.csv&skip_bad_rows=true").json
            #expect(skipped["new"]?.integer == 2 && skipped["refused"]?.integer == 1)
            let kinds = try await send(client, "title,kind\nA,song\n", query: "?name=k.csv").json
            #expect(kinds["errors"]?[0]?["message"]?.string?.contains("new_kinds=true") == true)
            #expect(
                try await send(client, "title,kind\nA,song\n", query: "?name=k.csv&new_kinds=true").json["new"]?.integer
                    == 1
            )
            // Others must not learn by it which kinds ana has.
            let others = try await send(client, "title,kind\nA,song\n", as: "ben", query: "?name=k.csv")
            #expect(others.status == 422)
            #expect(try await client.send(.post, "/v1/imports", as: nil, "title\nA\n").status == 401)
        }
    }

    @Test("A renamed file and a replacement that removes most are refused until they are confirmed")
    func conflicts() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await send(client, Self.rows)
            #expect(try await send(client, Self.rows, query: "?name=new.csv").status == 409)
            #expect(
                try await send(client, Self.rows, query: "?name=new.csv&source=letters").json["unchanged"]?.integer == 2
            )
            let none = "id,title\n9,Nine\n"
            let asked = try await send(client, none, query: "?name=letters.csv&replace=true")
            #expect(asked.status == 422 && asked.json["import"]?["state"]?.string == "refused")
            let done = try await send(client, none, query: "?name=letters.csv&replace=true&confirm=true").json
            #expect(done["removed"]?.integer == 2 && done["new"]?.integer == 1)
        }
    }
}

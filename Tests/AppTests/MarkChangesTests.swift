import App
import Formats
import HTTPTypes
import Library
import Storage
import Stories
import Testing
import Web

@Suite("SYN-05 Marks in changes")
struct MarkChangesTests {
    /// Reads the changes to the end; returns the marks of every page, and the next cursor.
    private func sync(
        _ client: Client,
        as user: String,
        since: String? = nil,
        limit: Int = 200
    ) async throws -> (marks: [JSONValue?], next: String) {
        var (marks, next): ([JSONValue?], String?) = ([], since)
        while true {
            let query = next.map { "&since=" + $0 } ?? ""
            let page = try await client.get("/v1/changes?limit=\(limit)" + query, as: user).json
            marks.append(page["marks"])
            next = try #require(page["next"]?.string)
            guard page["more"]?.bool == true else { return (marks, try #require(next)) }
        }
    }

    private func list(_ marks: JSONValue?, _ name: String) -> [String]? {
        marks?[name]?.array?.compactMap(\.string)
    }

    private func mark(_ client: Client, _ op: String, _ id: String, as user: String) async throws {
        let item = "{\"items\":[{\"op\":\"\(op)\",\"id\":\"\(id)\"}]}"
        let reply = try await client.send(.post, "/v1/stories/batch", as: user, item)
        #expect(reply.json["items"]?[0]?["outcome"]?.string == "updated", "\(op)")
    }

    @Test("SYN-05 A sync ends with the lists of marks that changed since the last one, whole")
    func lists() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let a = try await client.create(as: "ana", title: "A")
            let b = try await client.create(as: "ana", title: "B")
            let first = try await sync(client, as: "ben", limit: 1)
            #expect(first.marks.count > 1 && first.marks.dropLast().allSatisfy { $0 == nil })
            for name in ["favourites", "hidden", "viewed"] { #expect(list(first.marks.last ?? nil, name) == []) }
            #expect(try await sync(client, as: "ben", since: first.next).marks == [nil])

            for op in ["favourite", "view"] { try await mark(client, op, a, as: "ben") }
            try await mark(client, "favourite", b, as: "ben")
            let second = try await sync(client, as: "ben", since: first.next)
            #expect(list(second.marks[0], "favourites") == [a, b].sorted())
            #expect(list(second.marks[0], "viewed") == [a])
            #expect(list(second.marks[0], "hidden") == nil)
            // Who marked what is nobody else's business.
            #expect(try await sync(client, as: "ana").marks.last??["favourites"]?.array?.isEmpty == true)
            #expect(try await client.get("/v1/changes").json["marks"] == nil)

            try await mark(client, "unfavourite", a, as: "ben")
            try await mark(client, "hide", b, as: "ben")
            let third = try await sync(client, as: "ben", since: second.next)
            #expect(list(third.marks.last ?? nil, "favourites") == [b])
            #expect(list(third.marks.last ?? nil, "hidden") == [b])
            #expect(list(third.marks.last ?? nil, "viewed") == nil)
            #expect(try await sync(client, as: "ben", since: third.next).marks.last == .some(nil))
        }
    }

    @Test(
        "SYN-05 PRV-02 A mark on a story that became invisible goes as with a deleted one, and comes back",
        arguments: [false, true]
    )
    func invisible(isDeleted: Bool) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "A")
            for op in ["favourite", "view", "hide"] { try await mark(client, op, id, as: "ben") }
            let before = try await sync(client, as: "ben")
            #expect(list(before.marks.last ?? nil, "favourites") == [id])
            if isDeleted {
                _ = try await client.send(.delete, "/v1/stories/\(id)", as: "ana")
            } else {
                _ = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", #"{"privacy":"private"}"#)
            }
            let after = try await sync(client, as: "ben", since: before.next)
            let empty = try JSONValue(parsing: Array(#"{"favourites":[],"hidden":[],"viewed":[]}"#.utf8))
            #expect(after.marks.last == .some(empty))
            guard !isDeleted else { return }
            _ = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", #"{"privacy":"public"}"#)
            let back = try await sync(client, as: "ben", since: after.next)
            for name in ["favourites", "hidden", "viewed"] { #expect(list(back.marks.last ?? nil, name) == [id]) }
        }
    }

    @Test("SYN-03 A cursor from before there were marks is still taken, and brings them all")
    func olderCursor() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "A")
            try await mark(client, "favourite", id, as: "ben")
            let next = try await sync(client, as: "ben").next
            let viewer = Viewer(user: try #require(UserID("ben")))
            let codec = SyncCursorCodec(keys: fixture.library.store.keys, now: fixture.library.now)
            var cursor = try #require(codec.decode(next, viewer: viewer))
            #expect(cursor.marks != nil)
            cursor.marks = nil
            let old = codec.encode(cursor, viewer: viewer)
            #expect(old.utf8.count < next.utf8.count && next.utf8.count <= 120)
            #expect(list(try await sync(client, as: "ben", since: old).marks.last ?? nil, "favourites") == [id])
        }
    }
}

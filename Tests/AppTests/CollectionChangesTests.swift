import App
import Formats
import HTTPTypes
import Library
import Storage
import Stories
import Testing
import Web

@Suite("SYN-05 Collections in changes")
struct CollectionChangesTests {
    /// Reads the changes to the end; returns the collections of every page, and the next cursor.
    private func sync(
        _ client: Client,
        as user: String?,
        since: String? = nil,
        limit: Int = 200
    ) async throws -> (collections: [JSONValue?], next: String) {
        var (collections, next): ([JSONValue?], String?) = ([], since)
        while true {
            let query = next.map { "&since=" + $0 } ?? ""
            let page = try await client.get("/v1/changes?limit=\(limit)" + query, as: user).json
            collections.append(page["collections"])
            next = try #require(page["next"]?.string)
            guard page["more"]?.bool == true else { return (collections, try #require(next)) }
        }
    }

    private func titles(_ collections: JSONValue??) -> [String]? {
        (collections ?? nil)?.array?.compactMap { $0["title"]?.string }
    }

    private func order(_ collections: JSONValue??, of title: String) -> [String]? {
        (collections ?? nil)?.array?.first { $0["title"]?.string == title }?["order"]?.array?.compactMap(\.string)
    }

    private func add(_ client: Client, _ title: String, _ rest: String = "", as user: String) async throws -> String {
        let reply = try await client.send(.post, "/v1/collections", as: user, "{\"title\":\"\(title)\"\(rest)}")
        return try #require(reply.json["id"]?.string)
    }

    @Test("SYN-05 A sync ends with all collections if one of them or its order changed since the last one")
    func lists() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let a = try await client.create(as: "ana", title: "A", extra: #","collection":"Delta""#)
            let b = try await client.create(as: "ana", title: "B", extra: #","collection":"Delta""#)
            let empty = try await sync(client, as: "ana", limit: 1)
            #expect(empty.collections.count > 1 && empty.collections.dropLast().allSatisfy { $0 == nil })
            #expect(titles(empty.collections.last) == [])

            let id = try await add(client, "Delta", as: "ana")
            let made = try await sync(client, as: "ana", since: empty.next)
            #expect(titles(made.collections.last) == ["Delta"] && order(made.collections.last, of: "Delta") == [])
            #expect(try await sync(client, as: "ana", since: made.next).collections == [nil])

            let path = "/v1/collections/\(id)/order"
            let reply = try await client.send(.put, path, as: "ana", "{\"stories\":[\"\(b)\",\"\(a)\"]}")
            #expect(reply.status == 204)
            let ordered = try await sync(client, as: "ana", since: made.next)
            #expect(order(ordered.collections.last, of: "Delta") == [b, a])

            _ = try await client.send(.delete, "/v1/stories/\(b)", as: "ana")
            let shorter = try await sync(client, as: "ana", since: ordered.next)
            #expect(order(shorter.collections.last, of: "Delta") == [a])

            _ = try await client.send(.delete, "/v1/collections/\(id)", as: "ana")
            let gone = try await sync(client, as: "ana", since: shorter.next)
            #expect(titles(gone.collections.last) == [])
        }
    }

    @Test("SYN-05 PRV-02 A collection and the stories in its order are there only for those who may see them")
    func audience() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let open = try await client.create(as: "ana", title: "Open", extra: #","collection":"Trip""#)
            let closed = try await client.create(
                as: "ana",
                title: "Closed",
                extra: #","collection":"Trip""#
            )
            _ = try await client.send(.patch, "/v1/stories/\(closed)", as: "ana", #"{"privacy":"private"}"#)
            let trip = try await add(client, "Trip", #","privacy":"public""#, as: "ana")
            let first = try await sync(client, as: "ben")
            #expect(titles(first.collections.last) == ["Trip"])

            // What others may not see changes nothing for them: neither a private collection nor a story in an order.
            _ = try await add(client, "Mine", as: "ana")
            let path = "/v1/collections/\(trip)/order"
            _ = try await client.send(.put, path, as: "ana", "{\"stories\":[\"\(closed)\"]}")
            let second = try await sync(client, as: "ben", since: first.next)
            #expect(second.collections == [nil])
            _ = try await client.send(.put, path, as: "ana", "{\"stories\":[\"\(closed)\",\"\(open)\"]}")
            let third = try await sync(client, as: "ben", since: second.next)
            #expect(order(third.collections.last, of: "Trip") == [open])
            #expect(order(try await sync(client, as: "ana").collections.last, of: "Trip") == [closed, open])

            _ = try await client.send(.patch, "/v1/stories/\(open)", as: "ana", #"{"privacy":"private"}"#)
            let fourth = try await sync(client, as: "ben", since: third.next)
            #expect(order(fourth.collections.last, of: "Trip") == [])
            #expect(try await sync(client, as: nil).collections == [nil])
        }
    }
}

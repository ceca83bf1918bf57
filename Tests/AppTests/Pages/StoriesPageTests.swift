import App
import Foundation
import HTTPTypes
import Stories
import TestSupport
import Testing

@Suite("The list of stories as a page")
struct StoriesPageTests {
    private static func page(_ query: String, _ client: Client, as user: String? = nil) async throws -> PageReader {
        let reply = try await client.get("/stories\(query)", as: user, headers: [.accept: "text/html"])
        #expect(reply.status == 200 && reply.headers[.contentType] == "text/html; charset=utf-8")
        return try PageReader(reply.bytes)
    }

    private static func titles(_ page: PageReader) -> [String] {
        page.elements.filter { $0.name == "h2" }.map(\.text)
    }

    @Test("PRV-02 It lists what its viewer sees, newest first, each with a link to its page, and loads no script")
    func list() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let open = try await client.create(as: "ana", title: "Open <b>", extra: ",\"date\":\"1936\"")
            _ = try await client.create(as: "ana", title: "Closed", extra: ",\"privacy\":\"private\"")
            let all = try await StoriesPageTests.page("", client)
            #expect(StoriesPageTests.titles(all) == ["Open <b>"])
            #expect(all.elements.contains { $0.name == "a" && $0.attributes["href"] == "/stories/\(open)" })
            #expect(!all.elements.contains { $0.name == "script" })
            #expect(!all.elements.contains { $0.attributes["content"] == "noindex" })
            #expect(Set(StoriesPageTests.titles(try await StoriesPageTests.page("", client, as: "ana"))).count == 2)
        }
    }

    @Test("MAP-09 Filters of a form combine, and its empty fields and what other sites add are ignored")
    func filters() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Early", extra: ",\"date\":\"1936\"")
            fixture.clock.advance(seconds: 1)
            _ = try await client.create(as: "ana", title: "Late", extra: ",\"date\":\"1980\"")
            for (query, expected) in [
                ("?q=&kind=&from=&to=&sort=", ["Late", "Early"]), ("?from=1950&utm_source=x", ["Late"]),
                ("?q=early", ["Early"]), ("?sort=date", ["Early", "Late"]), ("?kind=photo", []),
                ("?cursor=nonsense", ["Late", "Early"]),
            ] {
                let page = try await StoriesPageTests.page(query, client)
                #expect(StoriesPageTests.titles(page) == expected, "\(query)")
            }
            let wrong = try await client.get("/stories?from=1936-13-45")
            #expect(wrong.status == 400 && wrong.headers[.contentType] == "text/html; charset=utf-8")
            #expect(try PageReader(wrong.bytes).first("body")?.text.contains("“from”") == true)
        }
    }

    @Test("Its pages follow each other by links and name every story once")
    func pages() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            for number in 0..<45 { _ = try await client.create(as: "ana", title: "Story \(number)") }
            var (query, seen): (String?, [String]) = ("?q=story", [])
            while let asked = query {
                let page = try await StoriesPageTests.page(asked, client)
                seen += StoriesPageTests.titles(page)
                let next = page.elements.first { $0.attributes["rel"] == "next" }?.attributes["href"]
                query = next.map { String($0.dropFirst("/stories".count)) }
            }
            #expect(seen.count == 45 && Set(seen).count == 45)
        }
    }
}

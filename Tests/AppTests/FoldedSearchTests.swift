import App
import Formats
import Foundation
import HTTPTypes
import Library
import Storage
import Stories
import StoryMap
import TestSupport
import Testing

/// MAP-09, GEO-04: what words find, in which order, and what is marked.
@Suite("Words find stories however they are written")
struct FoldedSearchTests {
    private static func titles(
        _ client: Client,
        _ query: String,
        as user: String? = "cora",
        _ path: String = "/v1/stories"
    ) async throws -> [String] {
        let list = try await client.get(path + query, as: user).json
        return (list["features"]?.array ?? []).compactMap { $0["properties"]?["title"]?.string }
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    @Test("MAP-09 Search ignores case, accents, apostrophes and punctuation, in the index and in the database alike")
    func folded() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "St. John’s Church, Zoë O'Neal")
            _ = try await client.create(as: "ana", title: "Straße", extra: #","text":"Smith & Sons\nÉGLISE (1936)""#)
            let store = fixture.library.store
            let key = DigestKey(high: 1, low: 2)
            let (index, database) = (
                TextSearch(store: store, key: key), TextSearch(store: store, key: key, mostAtOnce: 1)
            )
            let cases: [(String, String?)] = [
                ("St. John's", "St. John’s Church, Zoë O'Neal"), ("st johns", "St. John’s Church, Zoë O'Neal"),
                ("ST-JOHNS", "St. John’s Church, Zoë O'Neal"), ("zoe", "St. John’s Church, Zoë O'Neal"),
                ("Zoe\u{308}", "St. John’s Church, Zoë O'Neal"), ("O’Neal", "St. John’s Church, Zoë O'Neal"),
                ("oneal", "St. John’s Church, Zoë O'Neal"), ("hurc", "St. John’s Church, Zoë O'Neal"),
                ("STRASSE", "Straße"), ("eglise, 1936!", "Straße"), ("smith and sons", "Straße"), ("zoe eglise", nil),
                ("?!", nil), ("-", nil), ("nowhere", nil),
            ]
            for (words, expected) in cases {
                let found = try await FoldedSearchTests.titles(client, "?q=" + FoldedSearchTests.escaped(words))
                #expect(found == [expected].compactMap(\.self), "\(words)")
                let folded = try StorySearch(["q": [words]]).words
                let one = try await index.matches(of: folded, viewer: .anonymous, among: 2, isRanked: true)
                let other = try await database.matches(of: folded, viewer: .anonymous, among: 2, isRanked: true)
                #expect(one.ranks == other.ranks && one.stories == other.stories, "\(words)")
                #expect(one.stories.count == found.count, "\(words)")
            }
            let areReady = [await index.isReady, await database.isReady]
            #expect(areReady == [true, false])
            #expect(try await FoldedSearchTests.titles(client, "?q=%20").count == 2)
        }
    }

    @Test("GEO-04 LOC-08 A place shown exactly is found by neighbourhood, county, state and country")
    func places() async throws {
        let fixture = try await ServiceFixture(gazetteer: TwinGazetteer.withPart.get())
        try await fixture.run { client async throws in
            let open = try await client.create(as: "ana", title: "Open")
            let closed = try await client.create(as: "ana", title: "Closed", latitude: 33.7555)
            let coarse = #"{"lat":33.7555,"lon":-84.3736,"precision":"approximate","cell":0.01}"#
            _ = try await client.send(.put, "/v1/stories/\(closed)/location", as: "ana", coarse)
            for words in [
                "sweet auburn", "Fulton County", "fulton", "georgia", "United States", "USA", "U.S.", "atlanta",
            ] {
                let query = "?q=" + FoldedSearchTests.escaped(words)
                #expect(try await FoldedSearchTests.titles(client, query) == ["Open"], "\(words)")
                #expect(try await FoldedSearchTests.titles(client, query, as: nil) == ["Open"], "\(words)")
                #expect(try await FoldedSearchTests.titles(client, query, as: "ana").sorted() == ["Closed", "Open"])
            }
            // A place that its owner named by a code alone.
            let named = #"{"lat":33.7555,"lon":-84.3736,"name":"Ebenezer","city":"ATL","state":"GA","country":"US"}"#
            _ = try await client.send(.put, "/v1/stories/\(open)/location", as: "ana", named)
            for words in ["ebenezer", "Georgia", "united states", "sweet auburn"] {
                let query = "?q=" + FoldedSearchTests.escaped(words)
                #expect(try await FoldedSearchTests.titles(client, query) == ["Open"], "\(words)")
            }
        }
    }

    @Test("MAP-09 The best match comes first, whatever is newest, and pages of this order join without a gap")
    func ranked() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let stories: [(String, String)] = [
                    ("Elm", ""), ("Elms", ""), ("Helmets", ""), ("Tagged", #","tags":["elm"]"#),
                    ("Named", #","people":["Elmira"]"#), ("Mentioned", #","mentions":["Elm Street"]"#),
                    ("Told", #","text":"under an elm""#), ("Inside", #","text":"the helmsman""#),
                ]
                // The best one is the oldest.
                for (title, extra) in stories { _ = try await client.create(as: "ana", title: title, extra: extra) }
                let best = stories.map(\.0)
                #expect(try await FoldedSearchTests.titles(client, "?q=elm") == best)
                #expect(try await FoldedSearchTests.titles(client, "?q=elm&sort=relevance") == best)
                #expect(try await FoldedSearchTests.titles(client, "?q=ELM&bbox=-180,-85,180,85") == best)
                let newest = try await FoldedSearchTests.titles(client, "?q=elm&sort=newest")
                #expect(newest.sorted() == best.sorted() && newest != best)
                #expect(try await FoldedSearchTests.titles(client, "?sort=relevance").count == best.count)
                var (titles, next) = ([String](), "/v1/stories?limit=3&q=elm" as String?)
                while let address = next {
                    let page = try await client.get(address, as: "cora").json
                    titles += (page["features"]?.array ?? []).compactMap { $0["properties"]?["title"]?.string }
                    next = page["links"]?.array?.first?["href"]?.string
                }
                #expect(titles == best)
            }
    }

    @Test("MAP-09 Matches come with what stands around them, marked, in JSON and, escaped, on the page")
    func excerpts() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let text =
                    String(repeating: "long ", count: 60) + "the <b>Café</b> & more "
                    + String(repeating: "x ", count: 90)
                let extra = ",\"text\":\"\(text)\",\"tags\":[\"CAFE\"]"
                let id = try await client.create(as: "ana", title: "A <i>cafe</i>", extra: extra)
                let list = try await client.get("/v1/stories?q=caf%C3%A9", as: "cora").json
                let matches = try #require(list["features"]?[0]?["properties"]?["matches"]?.array)
                #expect(matches.compactMap { $0["part"]?.string } == ["title", "text", "tag"])
                #expect(matches[0]["text"]?.string == "A <i>cafe</i>" && matches[0]["cut_before"]?.bool == false)
                #expect(matches[0]["marks"]?[0]?.array?.compactMap(\.integer) == [5, 9])
                let shown = try #require(matches[1]["text"]?.string)
                #expect(text.contains(shown) && shown.count <= TextExcerpt.longest)
                #expect(matches[1]["cut_before"]?.bool == true && matches[1]["cut_after"]?.bool == true)
                let mark = (matches[1]["marks"]?[0]?.array ?? []).compactMap(\.integer)
                try #require(mark.count == 2)
                #expect(String(decoding: Array(shown.utf16)[mark[0]..<mark[1]], as: UTF16.self) == "Café")
                // Only lists of a search have matches.
                let plain = try await client.get("/v1/stories", as: "cora").json
                #expect(plain["features"]?[0]?["properties"]?["matches"] == nil)
                #expect(try await client.get("/v1/stories/\(id)", as: "cora").json["matches"] == nil)
                let page = String(decoding: try await client.get("/stories?q=cafe").bytes, as: UTF8.self)
                #expect(page.contains("A &lt;i&gt;<mark>cafe</mark>&lt;/i&gt;"))
                #expect(page.contains("&lt;b&gt;<mark>Café</mark>&lt;/b&gt; &amp; more"))
                #expect(!page.contains("<b>") && !page.contains("<i>"))
            }
    }

    @Test(
        "MAP-09 PRV-03 Tags and people match in any case and are listed once, as most stories that are seen spell them"
    )
    func spellings() async throws {
        try await ServiceFixture()
            .run { client async throws in
                for (tag, level) in [
                    ("Café", "public"), ("café", "public"), ("café", "public"), ("CAFE", "private"),
                    ("CAFE", "private"),
                    ("CAFE", "private"),
                ] {
                    let extra = ",\"tags\":[\"\(tag)\"],\"people\":[\"\(tag) O'Neal\"],\"privacy\":\"\(level)\""
                    _ = try await client.create(as: "ana", title: tag, extra: extra)
                }
                for (user, value, count) in [("cora", "café", 3), ("ana", "CAFE", 6)] {
                    for (path, value) in [("tags", value), ("people", value + " O'Neal")] {
                        for query in [
                            "", "?prefix=CAF", "?prefix=caf%C3%A9", "?tag=CAFE", "?person=cafe%20o%E2%80%99neal",
                        ] {
                            let list = try await client.get("/v1/\(path)\(query)", as: user).json
                            #expect(list["numberMatched"]?.integer == 1, "\(path)\(query)")
                            #expect(list["values"]?[0]?["value"]?.string == value, "\(path)\(query)")
                            #expect(list["values"]?[0]?["count"]?.integer == count, "\(path)\(query)")
                        }
                    }
                    for filter in ["tag=cafe", "tag=CAF%C3%89", "person=caf%C3%A9%20ONEAL", "tag=x&tag=Cafe"] {
                        let found = try await FoldedSearchTests.titles(client, "?" + filter, as: user)
                        #expect(found.count == count, "\(filter)")
                    }
                }
            }
    }

    @Test("MAP-09 The holder of a link searches by the same rules, in what the link shows")
    func shared() async throws {
        try await ServiceFixture(gazetteer: TwinGazetteer.withPart.get())
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "Zoë O'Neal")
                for (precision, isExact) in [("exact", true), ("approximate", false)] {
                    let body = "{\"story\":\"\(id)\",\"precision\":\"\(precision)\"}"
                    let made = try await client.send(.post, "/v1/me/share-links", as: "ana", body).json
                    let secret = try #require(made["secret"]?.string)
                    func count(_ words: String) async throws -> Int? {
                        let path = "/v1/shared/stories?q=" + FoldedSearchTests.escaped(words)
                        let reply = try await client.get(path, headers: [.authorization: "Bearer " + secret])
                        return reply.json["numberMatched"]?.integer
                    }
                    #expect(try await count("zoe oneal") == 1)
                    #expect(try await count("Fulton County") == (isExact ? 1 : 0))
                    #expect(try await count("!") == 0)
                }
            }
    }
}

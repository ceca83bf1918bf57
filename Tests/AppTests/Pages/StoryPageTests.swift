import App
import Formats
import Foundation
import HTTPTypes
import Library
import Storage
import Stories
import TestSupport
import Testing

@Suite("A story's own page")
struct StoryPageTests {
    private static let absent = "0123456789abcdef0123456789abcdef"

    /// A page with its answer.
    private struct Page {
        let reply: Client.Reply
        let reader: PageReader

        var text: String { reader.first("body")?.text ?? "" }
        func contains(_ words: String) -> Bool { text.contains(words) }
    }

    private static func page(_ id: String, _ client: Client, as user: String? = nil) async throws -> Page {
        let reply = try await client.get("/stories/\(id)", as: user)
        #expect(reply.status == 200)
        return Page(reply: reply, reader: try PageReader(reply.bytes))
    }

    private static func undated(_ headers: HTTPFields) -> HTTPFields {
        var headers = headers
        headers[.date] = nil
        return headers
    }

    private static func run(
        options: WaymarkService.Options = .init(),
        _ body: @escaping @Sendable (Client, ServiceFixture) async throws -> Void
    ) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run(options: options) { try await body($0, fixture) }
    }

    @Test("A public story can be read whole without a script, and says what it is to other sites")
    func whole() async throws {
        try await StoryPageTests.run { client, _ async throws in
            let extra = """
                ,"text":"First.\\n\\nSecond\\nline.","date":"1936-05-04","tags":["blues","river"],"people":["Ida"],\
                "mentions":["Rome"],"collection":"Summer","alt":"A porch","media_url":"https://media.example/a.mp3"
                """
            let id = try await client.create(as: "ana", title: "The porch", extra: extra)
            _ = try await client.putPicture(Array(SmallPicture.webp().utf8), on: id, as: "ana")
            let page = try await StoryPageTests.page(id, client)
            #expect(page.reply.headers[.contentType] == "text/html; charset=utf-8")
            #expect(page.reader.first("h1")?.text == "The porch")
            #expect(page.reader.first("title")?.text == "The porch – Waymark")
            for words in [
                "Interview", "4 May 1936", "Public", "Everyone can see it.", "blues", "river", "Ida", "Rome", "Summer",
                "Ana", "33.7554, -84.3736", "Recording (MP3) at media.example",
            ] {
                #expect(page.contains(words), "\(words)")
            }
            let paragraphs = page.reader.elements.filter { $0.name == "p" && $0.attributes["dir"] == "auto" }
            #expect(paragraphs.map(\.text) == ["First.", "Secondline."])
            let picture = try #require(page.reader.first("img", "class", "story-picture"))
            #expect(picture.attributes["alt"] == "A porch")
            let source = try #require(picture.attributes["src"])
            #expect(try await client.get(source).status == 200)
            let graph = page.reader.openGraph
            #expect(graph["og:title"] == "The porch" && graph["og:description"] == "First. Second line.")
            #expect(graph["og:url"]?.hasSuffix("/stories/\(id)") == true)
            #expect(graph["og:image"]?.hasSuffix(source) == true)
            // Not the place and not the date.
            #expect(!graph.values.contains { $0.contains("33.") || $0.contains("1936") })
        }
    }

    @Test("PRV-03 A story that is not there and one for others are the same page, byte for byte")
    func absence() async throws {
        try await StoryPageTests.run { client, fixture async throws in
            let closed = try await client.create(as: "ana", title: "Closed", extra: ",\"privacy\":\"private\"")
            let family = try await client.create(as: "ana", title: "Kin", extra: ",\"privacy\":\"family_only\"")
            let deleted = try await client.create(as: "ana", title: "Gone")
            _ = try await client.send(.delete, "/v1/stories/\(deleted)", as: "ana")
            var request: HTTPFields = [:]
            request[try Browser.field("X-Request-Id")] = "same"
            for user in ["cora", nil] {
                let expected = try await client.get("/stories/\(StoryPageTests.absent)", as: user, headers: request)
                #expect(expected.status == 404 && expected.headers[.cacheControl] == "no-store")
                #expect(expected.headers[.contentType] == "text/html; charset=utf-8")
                #expect(try PageReader(expected.bytes).first("h1")?.text == "That story is not here")
                for id in [closed, family, deleted, "no-such-thing", closed.uppercased()] {
                    let reply = try await client.get("/stories/\(id)", as: user, headers: request)
                    #expect(reply.status == 404 && reply.bytes == expected.bytes)
                    #expect(StoryPageTests.undated(reply.headers) == StoryPageTests.undated(expected.headers))
                }
            }
            #expect(try await client.get("/stories/\(family)", as: "ben").status == 200)
            #expect(try await client.get("/stories/\(closed)", as: "ben").status == 404)
            #expect(try await client.get("/stories/\(closed)", as: "ana").status == 200)
        }
    }

    @Test("PRV-03 Only a public story says something to other sites, and only it may be listed by search engines")
    func openGraph() async throws {
        try await StoryPageTests.run { client, fixture async throws in
            let story = try await client.create(as: "ana", title: "Mine")
            for (privacy, isPublic) in [("public", true), ("family_only", false), ("private", false)] {
                let body = #"{"privacy":"\#(privacy)"}"#
                #expect(try await client.send(.put, "/v1/stories/\(story)/privacy", as: "ana", body).status == 200)
                let reader = try await StoryPageTests.page(story, client, as: "ana").reader
                #expect(reader.openGraph.isEmpty != isPublic, "\(privacy)")
                #expect((reader.first("meta", "name", "robots") == nil) == isPublic, "\(privacy)")
            }
            let id = try #require(StoryID(story))
            _ = try await client.send(.put, "/v1/stories/\(story)/privacy", as: "ana", #"{"privacy":"public"}"#)
            _ = try await fixture.library.moderation.autoPrivate.set(true, stories: [id])
            let page = try await StoryPageTests.page(story, client, as: "ana")
            #expect(page.reader.openGraph.isEmpty && page.contains("An app has made this story private"))
            #expect(page.contains("You chose: Public.") && page.contains("Only its owner can see it."))
            #expect(try await client.get("/stories/\(story)").status == 404)
        }
    }

    @Test("LOC-08 Others see an approximate place as its area alone, whatever the point; a hidden one not at all")
    func areas() async throws {
        try await StoryPageTests.run { client, _ async throws in
            var seen: Set<String> = []
            for point in [#""lat":33.7512,"lon":-84.3987"#, #""lat":33.7034,"lon":-84.3056"#] {
                let place = #","location":{\#(point),"precision":"approximate","cell":0.1,"name":"The mill"}"#
                let id = try await client.create(as: "ana", title: "A", latitude: nil, extra: place)
                let page = try await StoryPageTests.page(id, client)
                #expect(page.contains("about 11 km") && page.contains("Between latitude 33.7 and 33.8"))
                #expect(page.contains("longitude -84.4 and -84.3") && !page.contains("The mill"))
                for digits in ["33.75", "33.70", "84.39", "84.30", "84.35"] { #expect(!page.contains(digits)) }
                seen.insert(page.text)
                let map = page.reader.elements.compactMap { $0.attributes["class"] }.filter { $0.hasPrefix("map-") }
                #expect(map == ["map-cell"])
                let cell = try #require(page.reader.first("rect")).attributes
                seen.insert(cell.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " "))
                let own = try await StoryPageTests.page(id, client, as: "ana")
                #expect(own.contains("The mill") && own.contains("Others see an area of about 11 km"))
                #expect(own.contains("33.7512") || own.contains("33.7034"))
                #expect(own.reader.first("circle", "class", "map-point") != nil)
            }
            // One text and one drawing for both.
            #expect(seen.count == 2)
            let place = #","location":{"lat":33.7512,"lon":-84.3987,"precision":"hidden","family_sees_exact":true}"#
            let id = try await client.create(as: "ana", title: "A", latitude: nil, extra: place)
            #expect(try await StoryPageTests.page(id, client).contains("No place on the map"))
            #expect(try await StoryPageTests.page(id, client, as: "ben").contains("33.7512, -84.3987"))
        }
    }

    @Test("LOC-05 A place of low accuracy is marked", arguments: [(20, false), (50, false), (51, true), (800, true)])
    func accuracy(metres: Int, isMarked: Bool) async throws {
        try await StoryPageTests.run { client, _ async throws in
            let place = #","location":{"lat":33.75,"lon":-84.39,"accuracy":\#(metres),"source":"gps"}"#
            let id = try await client.create(as: "ana", title: "A", latitude: nil, extra: place)
            let page = try await StoryPageTests.page(id, client)
            #expect(page.contains("Low accuracy: the place may be off by \(metres) m or more.") == isMarked)
            #expect(page.contains("Accurate to about \(metres) m.") != isMarked)
        }
    }

    @Test("LOC-11 Only the owner sees a place that a program read out of the text, until it is confirmed")
    func proposals() async throws {
        try await StoryPageTests.run { client, fixture async throws in
            let id = try await client.create(as: "ana", title: "A", latitude: nil)
            var service: HTTPFields = [:]
            let request = Accounts.KeyRequest(holder: .service(Accounts.serviceScopes), name: "backend", days: nil)
            service[.authorization] = "Bearer " + (try await fixture.accounts.makeKey(request).text)
            service[try Browser.field("Waymark-User")] = "ana"
            let guess = #"{"lat":35.1495,"lon":-90.049,"source":"ai_extracted","name":"Beale Street"}"#
            let put = try await client.send(.put, "/v1/stories/\(id)/location", guess, headers: service)
            #expect(put.status == 202)
            for user in ["ben", "cora", nil] {
                let page = try await StoryPageTests.page(id, client, as: user)
                #expect(!page.contains("Beale") && !page.contains("35.1495") && page.contains("No place on the map"))
            }
            let own = try await StoryPageTests.page(id, client, as: "ana")
            #expect(own.contains("Places to confirm") && own.contains("Beale Street"))
            let waiting = try await client.get("/v1/me/location-proposals", as: "ana").json["proposals"]?[0]
            let proposal = try #require(waiting?["id"]?.string)
            #expect(own.reader.first("li", "data-proposal", proposal) != nil)
            let path = "/v1/me/location-proposals/\(proposal)/confirm"
            #expect(try await client.send(.post, path, as: "ana").status == 200)
            let page = try await StoryPageTests.page(id, client)
            #expect(page.contains("Beale Street") && page.contains("Read out of the text by a program"))
            #expect(try await !StoryPageTests.page(id, client, as: "ana").contains("Places to confirm"))
        }
    }

    @Test("The script learns what it needs, and about others' stories nothing that their page does not say")
    func script() async throws {
        try await StoryPageTests.run { client, _ async throws in
            let id = try await client.create(as: "ana", title: "A")
            _ = try await client.send(.put, "/v1/stories/\(id)/favourite", as: "ben")
            _ = try await client.send(.put, "/v1/stories/\(id)/hide", as: "ben")
            func data(_ user: String?) async throws -> Set<String> {
                let main = try #require(try await StoryPageTests.page(id, client, as: user).reader.first("main"))
                return Set(main.attributes.keys.filter { $0.hasPrefix("data-") })
            }
            #expect(try await data(nil) == ["data-story"])
            #expect(try await data("ana") == ["data-story", "data-signed-in", "data-own"])
            #expect(try await data("ben") == ["data-story", "data-signed-in", "data-favourite", "data-hidden"])
            #expect(try await StoryPageTests.page(id, client, as: "ben").contains("You have hidden this story"))
        }
    }

    @Test("The page comes by the cookie of the session, and from an ended one as to a visitor")
    func cookie() async throws {
        try await StoryPageTests.run { client, _ async throws in
            let kin = try await client.create(as: "ana", title: "Kin", extra: ",\"privacy\":\"family_only\"")
            let open = try await client.create(as: "ana", title: "Open")
            let ben = try await Browser.signedIn(as: "ben", client)
            let opened = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"]
            let page = try await ben.get("/stories/\(kin)", opened)
            #expect(page.status == 200 && page.headers[.cacheControl] == "private, no-cache")
            // Another site learns nothing from embedding it.
            let embedded = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"]
            #expect(try await ben.get("/stories/\(kin)", embedded).status == 404)
            let ended = Browser(client, cookie: "nonsense")
            #expect(try await ended.get("/stories/\(kin)").status == 404)
            let visitor = try await client.get("/stories/\(open)")
            #expect(try await ended.get("/stories/\(open)").bytes == visitor.bytes)
            #expect(try await client.get("/stories/\(open)?fbclid=1&utm_source=mail").bytes == visitor.bytes)
        }
    }

    @Test("The page is kept by its tag, which changes with what its reader sees")
    func tags() async throws {
        try await StoryPageTests.run { client, _ async throws in
            let id = try await client.create(as: "ana", title: "A")
            let first = try await client.get("/stories/\(id)")
            #expect(first.headers[.cacheControl] == "public, no-cache")
            #expect(first.headers[.vary]?.contains("Cookie") == true)
            let tag = try #require(first.headers[.eTag])
            #expect(try await client.get("/stories/\(id)", headers: [.ifNoneMatch: tag]).status == 304)
            // What another viewer marks for themselves is not in it.
            _ = try await client.send(.put, "/v1/stories/\(id)/favourite", as: "ben")
            #expect(try await client.get("/stories/\(id)", headers: [.ifNoneMatch: tag]).status == 304)
            _ = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", #"{"title":"B"}"#)
            let changed = try await client.get("/stories/\(id)", headers: [.ifNoneMatch: tag])
            #expect(changed.status == 200 && changed.headers[.eTag] != tag)
        }
    }

    @Test("The policy allows nothing inline, and media from the named origins alone")
    func policy() async throws {
        var options = WaymarkService.Options()
        options.mediaOrigins = Set(["https://media.example"].compactMap(MediaOrigin.init))
        try await StoryPageTests.run(options: options) { client, _ async throws in
            let media = #","media_url":"https://media.example/a.mp4","thumbnail_url":"https://media.example/a.jpg""#
            let id = try await client.create(as: "ana", title: "A", extra: media)
            let page = try await StoryPageTests.page(id, client)
            let policy = try #require(page.reply.headers[.contentSecurityPolicy])
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
            #expect(policy.contains("img-src 'self' https://media.example;") && !policy.contains("unsafe"))
            #expect(policy.contains("frame-ancestors 'none'") && policy.contains("base-uri 'none'"))
            #expect(page.reader.first("video", "src", "https://media.example/a.mp4") != nil)
            #expect(page.reader.first("img", "src", "https://media.example/a.jpg") != nil)
            for element in page.reader.elements {
                #expect(element.name != "style" && element.attributes.keys.allSatisfy { !$0.hasPrefix("on") })
                #expect(element.attributes["style"] == nil)
                if element.name == "script" { #expect(element.attributes["src"] == "/assets/story.js") }
            }
            // An origin that only begins alike is none of them.
            for host in ["media.example.evil", "media.example@evil", "media.example:1", "other.example"] {
                let url = "https://\(host)/a.mp4"
                let id = try await client.create(as: "ana", title: "A", extra: ",\"media_url\":\"\(url)\"")
                let page = try await StoryPageTests.page(id, client)
                #expect(page.reader.first("video") == nil && page.reader.first("a", "href", url) != nil, "\(url)")
            }
        }
    }

    @Test("Hostile words stay words in every field", arguments: HTMLWriterTests.hostile)
    func hostile(words: String) async throws {
        try await StoryPageTests.run { client, _ async throws in
            var json = JSONWriter(capacity: 256)
            json.value(words)
            let text = String(decoding: json.bytes, as: UTF8.self)
            let plain = try await client.create(as: "ana", title: "A", extra: Self.everywhere("\"A\""))
            let body = #"{"kind":"photo","title":\#(text),"location":{"lat":1,"lon":2,"name":\#(text)}"#
            let reply = try await client.send(.post, "/v1/stories", as: "ana", body + Self.everywhere(text) + "}")
            guard let id = reply.json["id"]?.string else {
                // What a story may not hold is refused, and no page shows it.
                #expect(reply.status == 422)
                return
            }
            let page = try await StoryPageTests.page(id, client)
            let other = try await StoryPageTests.page(plain, client)
            let names = Set(page.reader.elements.map(\.name)).subtracting(["bdi", "br"])
            #expect(names.subtracting(other.reader.elements.map(\.name)).isEmpty)
            #expect(page.reader.first("h1")?.text.unicodeScalars.elementsEqual(words.unicodeScalars) == true)
            #expect(page.reader.elements.count { $0.name == "script" } == 1)
            // The title of a tab and what other sites show have no way to end a change of direction.
            let shown = [page.reader.first("title")?.text ?? ""] + page.reader.openGraph.values
            #expect(!shown.contains { $0.unicodeScalars.contains { (0x202A...0x202E).contains($0.value) } })
            #expect(page.reader.first("h1", "dir", "auto") != nil)
        }
    }

    private static func everywhere(_ text: String) -> String {
        let lists = ["tags", "people", "mentions"].map { ",\"\($0)\":[\(text)]" }
        return lists.joined() + ["text", "collection", "alt"].map { ",\"\($0)\":\(text)" }.joined()
    }
}

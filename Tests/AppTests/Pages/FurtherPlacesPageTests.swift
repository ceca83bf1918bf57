import App
import Formats
import HTTPTypes
import Library
import Stories
import TestSupport
import Testing

@Suite("LOC-10 Further places on a story's page")
struct FurtherPlacesPageTests {
    private static let media = #","media_url":"https://media.example/a.mp3#t=5""#

    private static func run(_ body: @escaping @Sendable (Client) async throws -> Void) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        var options = WaymarkService.Options()
        options.mediaOrigins = Set(["https://media.example"].compactMap(MediaOrigin.init))
        try await fixture.run(options: options) { try await body($0) }
    }

    private static func page(_ id: String, _ client: Client, as user: String? = nil) async throws -> PageReader {
        let reply = try await client.get("/stories/\(id)", as: user)
        #expect(reply.status == 200)
        return try PageReader(reply.bytes)
    }

    private static func items(_ page: PageReader) -> [String] { page.elements.filter { $0.name == "li" }.map(\.text) }

    @Test("Each place says its part, name and precision in words, and links the map and the recording")
    func list() async throws {
        try await FurtherPlacesPageTests.run { client async throws in
            let places = [
                #"{"role":"born","lat":33.75,"lon":-84.39,"name":"<b>Openfield</b>","seconds":760.25}"#,
                #"{"role":"lived","lat":51.512345,"lon":-0.123456,"precision":"approximate","cell":0.1,"seconds":3723}"#,
                #"{"role":"first_school","geometry":{"type":"LineString","coordinates":[[10,50],[11,51]]}}"#,
                #"{"lat":12.5,"lon":13.5,"precision":"hidden","name":"Secretville"}"#,
                #"{"role":"worked","seconds":4000,"geometry":{"type":"MultiPolygon","coordinates":"#
                    + "[[[[0,0],[1,0],[1,1],[0,0]]],[[[10,50],[13,50],[13,53],[10,50]]]]}}",
            ]
            let extra = FurtherPlacesPageTests.media + #","places":[\#(places.joined(separator: ","))]"#
            let id = try await client.create(as: "ana", title: "A", extra: extra)
            let page = try await FurtherPlacesPageTests.page(id, client)
            let items = FurtherPlacesPageTests.items(page)
            #expect(
                items == [
                    "Born: <b>Openfield</b>The exact place.Show on the mapHear it from 12:40",
                    "LivedSomewhere in an area of about 11 km across. The exact place is not shown."
                        + "Show on the mapHear it from 1:02:03",
                    "Worked: Place without a nameGiven as several areas.Show on the mapHear it from 1:06:40",
                    "First school: Place without a nameGiven as a line.Show on the map",
                ]
            )
            #expect(page.first("h2", "id", "places-title")?.text == "Places in this story")
            let heard = page.elements.filter { $0.name == "a" && $0.attributes["data-seconds"] != nil }
            let address = "https://media.example/a.mp3#t="
            #expect(heard.map { $0.attributes["href"] } == ["760.25", "3723", "4000"].map { address + $0 })
            #expect(heard.map { $0.attributes["data-seconds"] } == ["760.25", "3723", "4000"])
            let maps = page.elements.compactMap { $0.attributes["href"] }.filter { $0.hasPrefix("/#map=") }
            let views = ["15/33.75/-84.39", "10/51.55/-0.15", "2/51.5/12.25", "8/50.5/10.5"]
            #expect(maps == views.map { "/#map=\($0)&story=\(id)" })
            // Every link says of which place it is.
            for link in page.elements where link.attributes["aria-describedby"]?.hasPrefix("further-place-") == true {
                #expect(page.first("p", "id", link.attributes["aria-describedby"] ?? "") != nil)
            }
            let own = try await FurtherPlacesPageTests.page(id, client, as: "ana")
            let mine = FurtherPlacesPageTests.items(own).joined(separator: "\n")
            #expect(mine.contains("Secretville") && mine.contains("Others do not learn of this place."))
            #expect(mine.contains("Others see an area of about 11 km across."))
        }
    }

    @Test("Without a recording there is nothing to hear, and a story without places has no list")
    func without() async throws {
        try await FurtherPlacesPageTests.run { client async throws in
            let bare = try await client.create(as: "ana", title: "A", extra: FurtherPlacesPageTests.media)
            #expect(try await FurtherPlacesPageTests.page(bare, client).first("h2", "id", "places-title") == nil)
            for media in ["", #","media_url":"https://media.example/a.pdf""#] {
                let place = media + #","places":[{"lat":1,"lon":2,"seconds":7}]"#
                let id = try await client.create(as: "ana", title: "A", extra: place)
                let page = try await FurtherPlacesPageTests.page(id, client)
                #expect(page.first("h2", "id", "places-title") != nil)
                #expect(page.elements.allSatisfy { $0.attributes["data-seconds"] == nil })
            }
        }
    }

    @Test("LOC-11 PRV-03 The owner gets what waits, to confirm or reject; all others get the same page, byte for byte")
    func waiting() async throws {
        try await FurtherPlacesPageTests.run { client async throws in
            let id = try await client.create(as: "ana", title: "A")
            func pages() async throws -> [[UInt8]] {
                var pages: [[UInt8]] = []
                for user in ["ben", "cora", nil] {
                    pages.append(try await client.get("/stories/\(id)", as: user).bytes)
                }
                return pages
            }
            let before = try await pages()
            let guess = #"{"role":"born","lat":35.1495,"lon":-90.049,"source":"ai_extracted","name":"Beale Street"}"#
            #expect(try await client.send(.post, "/v1/stories/\(id)/places", as: "ana", guess).status == 202)
            #expect(try await pages() == before)
            let waiting = try await client.get("/v1/me/places/waiting", as: "ana").json["places"]?[0]?["id"]?.string
            let place = try #require(waiting)
            let own = try await FurtherPlacesPageTests.page(id, client, as: "ana")
            let item = try #require(own.first("li", "data-waiting", place))
            #expect(item.text == "Born: Beale StreetLatitude and longitude: 35.1495, -90.049")
            #expect(own.first("h3")?.text == "Places to confirm" && own.first("h2", "id", "places-title") == nil)
            let path = "/v1/stories/\(id)/places/\(place)/confirm"
            #expect(try await client.send(.post, path, as: "ana").status == 200)
            let shown = try await FurtherPlacesPageTests.page(id, client)
            #expect(FurtherPlacesPageTests.items(shown) == ["Born: Beale StreetThe exact place.Show on the map"])
            #expect(try await FurtherPlacesPageTests.page(id, client, as: "ana").first("h3") == nil)
        }
    }

    @Test("Every known part of a place has words of its own, and the language of the page")
    func roles() async throws {
        try await FurtherPlacesPageTests.run { client async throws in
            let places = PlaceRole.known.enumerated()
                .map { #"{"role":"\#($1)","lat":\#($0),"lon":1,"seconds":\#($0),"name":"N"}"# }
            let id = try await client.create(
                as: "ana",
                title: "A",
                extra: #","places":[\#(places.joined(separator: ","))]"#
            )
            let words = try await FurtherPlacesPageTests.items(FurtherPlacesPageTests.page(id, client))
                .map { String($0.prefix { $0 != ":" }) }
            #expect(words.count == PlaceRole.known.count && words.prefix(2) == ["Spoken of", "Recorded"])
            let reply = try await client.get("/stories/\(id)", headers: [.acceptLanguage: "es"])
            let spanish = try FurtherPlacesPageTests.items(PageReader(reply.bytes))
                .map { String($0.prefix { $0 != ":" }) }
            #expect(spanish.count == words.count && Set(spanish).isDisjoint(with: words), "\(spanish)")
        }
    }
}

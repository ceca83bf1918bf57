import Library
import App
import Formats
import Foundation
import Gazetteer
import Geometry
import HTTPTypes
import Importing
import Storage
import Stories
import TestSupport
import Testing

@Suite("Story fields in every input")
struct StoryFieldTests {
    @Test(
        "LOC-07 HTTP reads every date that import reads, and reads back its own",
        arguments: [
            ("1936?", "1936-01-01", "1936-12-31"), ("1936; 1941", "1936-01-01", "1941-12-31"),
            ("ca. 1920", "1915-01-01", "1925-12-31"), ("May 3, 1911", "1911-05-03", "1911-05-03"),
            ("1920s", "1920-01-01", "1929-12-31"), ("1914-18", "1914-01-01", "1918-12-31"),
        ]
    )
    func dates(text: String, first: String, last: String) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x", extra: ",\"date\":\"\(text)\"")
            let read = try await client.get("/v1/stories/\(id)", as: "ana")
            #expect(read.json["date"]?.string == text)
            for day in [first, last] {
                #expect(try await client.get("/v1/stories?from=\(day)&to=\(day)").json["numberMatched"]?.integer == 1)
            }
            let same = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", "{\"date\":\"\(text)\"}")
            #expect(same.status == 200 && same.bytes == read.bytes)
            let none = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", #"{"date":"n.d."}"#)
            #expect(none.status == 200 && none.json["date"]?.string == "n.d.")
            let cleared = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", #"{"date":null}"#)
            #expect(cleared.status == 200 && cleared.json["date"]?.isNull == true)
        }
    }

    @Test(
        "LOC-07 Words that name no day are kept as a date, with a warning for the owner, and shown only beside exact places"
    )
    func words() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let words = "the summer after the flood"
            let id = try await client.create(as: "ana", title: "x", extra: ",\"date\":\"\(words)\"")
            let own = try await client.get("/v1/stories/\(id)", as: "ana").json
            #expect(own["date"]?.string == words && own["warnings"]?[0]?["code"]?.string == "date")
            let others = try await client.get("/v1/stories/\(id)").json
            #expect(others["date"]?.string == words && others["warnings"] == nil)
            #expect(try await client.get("/v1/stories?from=1800").json["numberMatched"]?.integer == 0)
            #expect(try await client.get("/v1/histogram").json["undated"]?.integer == 1)
            let place = #"{"location":{"lat":33.7,"lon":-84.3,"precision":"approximate","cell":0.1}}"#
            #expect(try await client.send(.patch, "/v1/stories/\(id)", as: "ana", place).status == 200)
            #expect(try await client.get("/v1/stories/\(id)").json["date"]?.isNull == true)
            #expect(try await client.get("/v1/stories/\(id)", as: "ana").json["date"]?.string == words)
        }
    }

    @Test(
        "LOC-07 A season that may also mean years is warned of, for its owner alone",
        arguments: [
            ("2001-21", true), ("1914/1918", false), ("2001-12", false), ("1940-25", false), ("2001/2021", false),
        ]
    )
    func seasonOrYears(date: String, isWarned: Bool) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x", extra: ",\"date\":\"\(date)\"")
            let own = try await client.get("/v1/stories/\(id)", as: "ana").json["warnings"]?[0]
            #expect((own?["code"]?.string == "date") == isWarned)
            #expect(try await client.get("/v1/stories/\(id)").json["warnings"] == nil)
        }
    }

    @Test("MAP-09 The filters read the dates that stories have, also open ones and those before our era")
    func filters() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            for date in ["before 1900", "44 BC", "1985/..", "3 de mayo de 1911"] {
                let id = try await client.create(as: "ana", title: "x", extra: ",\"date\":\"\(date)\"")
                #expect(try await client.get("/v1/stories/\(id)", as: "ana").json["date"]?.string == date)
            }
            for (filter, count) in [
                ("from=1900", 2), ("to=1899", 2), ("from=-0043&to=-0043", 2), ("from=-0040&to=-0039", 1),
                ("from=44%20BC&to=1%20BC", 2), ("from=mayo%20de%201911&to=1920s", 1), ("from=2000", 1),
            ] {
                let found = try await client.get("/v1/stories?\(filter)")
                #expect(found.json["numberMatched"]?.integer == count, "\(filter)")
            }
            // Open sides are no days on which anything is known to have happened.
            let histogram = try await client.get("/v1/histogram").json
            #expect(histogram["bins"]?[0]?["from"]?.string == "-0043-01-01")
        }
    }

    @Test("LOC-07 A story accepts its own date back whatever it is, even one now in the future")
    func ownDate() async throws {
        let fixture = try await ServiceFixture()
        let owner = try #require(UserID("ana"))
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "x")
            let file = Array("id,title,date\n1,One,2999\n".utf8)
            // An import without a day to compare with takes what the file says.
            _ = try await fixture.library.imports.add(
                StoryImporter(options: .init(owner: owner)).read(file, fileName: "a.csv").stories
            )
            let list = try await client.get("/v1/stories?from=2999", as: "ana").json["features"]?[0]
            let id = try #require(list?["id"]?.string)
            let reply = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", #"{"date":"2999","title":"y"}"#)
            #expect(reply.status == 200 && reply.json["title"]?.string == "y")
            #expect(try await client.send(.patch, "/v1/stories/\(id)", as: "ana", #"{"date":"2998"}"#).status == 422)
        }
    }

    @Test("LOC-07 Only an event may lie ahead, and it cannot become another kind with its date")
    func events() async throws {
        let fixture = try await ServiceFixture()
        let owner = try #require(UserID("ana"))
        try await fixture.run { client async throws in
            func body(_ kind: String) -> String {
                "{\"kind\":\"\(kind)\",\"title\":\"Reunion\",\"date\":\"2999-06-19\"}"
            }
            let refused = try await client.send(.post, "/v1/stories", as: "ana", body("photo"))
            #expect(refused.status == 422 && refused.json["errors"]?[0]?["field"]?.string == "date")
            let made = try await client.send(.post, "/v1/stories", as: "ana", body("event"))
            let id = try #require(made.json["id"]?.string)
            let path = "/v1/stories/\(id)"
            let changed = try await client.send(.patch, path, as: "ana", #"{"kind":"photo"}"#)
            #expect(changed.status == 422 && changed.json["errors"]?[0]?["field"]?.string == "kind")
            #expect(try await client.send(.patch, path, as: "ana", #"{"kind":"photo","date":"1999"}"#).status == 200)

            let rows = "id,title,kind,date\n1,One,event,2999\n2,Two,photo,2999\n"
            var options = StoryImporter.Options(owner: owner)
            options.today = fixture.clock.now.day
            let read = StoryImporter(options: options).read(Array(rows.utf8), fileName: "a.csv")
            #expect(read.errors.map(\.row) == [3])
        }
    }

    @Test("LOC-07 All invalid fields are named at once, and nothing is changed")
    func allAtOnce() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let wrong = """
                {"kind":"No kind","title":7,"date":"1936-13","family":"none","media_url":"javascript:1","tags":["a\\nb"],\
                "location":{"lat":91,"lon":0,"precision":"approximate","cell":0.5,"city":"a\\nb"},"surprise":1}
                """
            let expected: Set<String> = [
                "title", "location.lat", "surprise", "location.cell", "location.city", "kind", "tags[0]", "media_url",
                "date", "family",
            ]
            let id = try await client.create(as: "ana", title: "x")
            let before = try await client.get("/v1/stories/\(id)", as: "ana").bytes
            for (method, path) in [(HTTPRequest.Method.post, "/v1/stories"), (.patch, "/v1/stories/\(id)")] {
                let reply = try await client.send(method, path, as: "ana", wrong)
                let fields = reply.json["errors"]?.array?.compactMap { $0["field"]?.string } ?? []
                #expect(reply.status == 422 && Set(fields) == expected && fields.count == expected.count, "\(fields)")
            }
            let place = #"{"lat":91,"lon":"x","precision":"approximate","cell":0.5,"name":"a\nb"}"#
            let reply = try await client.send(.put, "/v1/stories/\(id)/location", as: "ana", place)
            #expect(reply.json["errors"]?.array?.compactMap { $0["field"]?.string } == ["lat", "lon", "cell", "name"])
            #expect(try await client.get("/v1/stories/\(id)", as: "ana").bytes == before)
        }
    }

    @Test("LOC-07 Lengths count user-perceived characters, over HTTP and in imports, with a byte limit as well")
    func characters() async throws {
        let fixture = try await ServiceFixture()
        let limit = StoryLimits.titleLength
        let texts = [
            ("é", limit, true), ("é", limit + 1, false), ("語", limit, true), ("e\u{301}", limit, true),
            // One character of twenty-five bytes: few of them are a name, hundreds are not.
            ("👨‍👩‍👧‍👦", 100, true), ("👨‍👩‍👧‍👦", limit, false),
        ]
        try await fixture.run { client async throws in
            for (character, count, isTaken) in texts {
                let title = String(repeating: character, count: count)
                let body = "{\"kind\":\"photo\",\"title\":\"\(title)\"}"
                let reply = try await client.send(.post, "/v1/stories", as: "ana", body)
                #expect(reply.status == (isTaken ? 201 : 422), "\(character) \(count)")
                if isTaken { #expect(reply.json["title"]?.string == title) }
                let message = reply.json["errors"]?[0]?["message"]?.string
                if !isTaken { #expect(message?.contains("at most \(limit) characters") == true) }
                var options = StoryImporter.Options(owner: try #require(UserID("ana")))
                options.today = fixture.clock.now.day
                let read = StoryImporter(options: options).read(Array("title\n\(title)\n".utf8), fileName: "a.csv")
                #expect(read.problems.isEmpty == isTaken)
            }
            let document = try await client.get("/openapi.json").json["components"]?["schemas"]?["StoryInput"]
            let title = document?["properties"]?["title"]
            #expect(title?["maxLength"]?.integer == limit && title?["x-maxCharacters"]?.integer == limit)
            #expect(title?["description"]?.string?.contains("characters") == true)
        }
    }

    @Test("PRV-08 A cell without a precision never leaves a location exact")
    func cellAlone() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let alone = #"{"lat":33.7,"lon":-84.3,"cell":1}"#
            let body = #"{"kind":"photo","title":"A","location":\#(alone)}"#
            let refused = try await client.send(.post, "/v1/stories", as: "ana", body)
            #expect(refused.status == 422 && refused.json["errors"]?[0]?["field"]?.string == "location.cell")
            let story = "/v1/stories/\(try await client.create(as: "ana", title: "B"))"
            let put = try await client.send(.put, story + "/location", as: "ana", alone)
            #expect(put.status == 422 && put.json["errors"]?[0]?["field"]?.string == "cell")
            let near = #"{"lat":33.7,"lon":-84.3,"precision":"approximate","name":"Mill"}"#
            #expect(try await client.send(.put, story + "/location", as: "ana", near).status == 200)
            let wider = try await client.send(.put, story + "/location", as: "ana", alone)
            #expect(wider.status == 200 && wider.json["location"]?["cell"]?.number == 1)
            let patch = #"{"location":{"precision":"approximate","cell":0.1}}"#
            let patched = try await client.send(.patch, story, as: "ana", patch)
            #expect(patched.status == 200 && patched.json["location"]?["cell"]?.number == 0.1)
        }
    }

    @Test("A story accepted over HTTP survives export and import", arguments: [ExportFormat.geojson, .csv])
    func roundTrip(format: ExportFormat) async throws {
        let fixture = try await ServiceFixture()
        let other = try await ServiceFixture()
        try await fixture.run { client async throws in
            for place in [
                #"{"lat":0,"lon":0,"source":"gps","accuracy":7}"#, #"{"lat":1,"lon":2,"source":"manual"}"#,
                #"{"lat":3,"lon":4,"precision":"approximate","cell":0.1,"family_sees_exact":true}"#,
            ] {
                let body = """
                    {"kind":"recipe","title":"Gumbo","date":"ca. 1920","tags":["okra","roux"],"people":["Ida"],\
                    "text":"One\\ntwo","alt":"A pot","collection":"kitchen","location":\(place)}
                    """
                #expect(try await client.send(.post, "/v1/stories", as: "ana", body).status == 201)
            }
            let guess = #"{"kind":"photo","title":"G","location":{"lat":5,"lon":6,"source":"ai_extracted"}}"#
            #expect(try await client.send(.post, "/v1/stories", as: "ana", guess).status == 201)
            let waiting = try await client.get("/v1/me/location-proposals", as: "ana").json["proposals"]?[0]
            let path = "/v1/me/location-proposals/\(waiting?["id"]?.string ?? "")/confirm"
            #expect(try await client.send(.post, path, as: "ana").status == 200)
        }
        let owner = try #require(UserID("ana"))
        func exported(_ fixture: ServiceFixture) async throws -> [UInt8] {
            let viewer = try #require(try await fixture.library.viewer(of: owner))
            return try await fixture.exported(format, as: viewer).bytes
        }
        let first = try await exported(fixture)
        let read = StoryImporter(options: .init(owner: owner)).read(first, fileName: "export.\(format.rawValue)")
        #expect(read.errorCount == 0 && read.stories.count == 4, "\(read.problems)")
        try await other.library.store.write { try $0.save(User(id: owner, name: "Ana"), at: other.clock.now) }
        _ = try await other.library.imports.add(read.stories)
        let again = StoryImporter(options: .init(owner: owner))
            .read(try await exported(other), fileName: "export.\(format.rawValue)")
        func facts(_ result: ImportResult) -> Set<[String]> {
            Set(
                result.stories.map { story in
                    let place = story.location
                    return [
                        story.kind.rawValue, story.title, story.text ?? "", story.date?.text ?? "", story.alt ?? "",
                        story.collection ?? "", story.tags.joined(separator: "|"), story.people.joined(separator: "|"),
                        "\(place?.coordinate.latitude ?? -1) \(place?.coordinate.longitude ?? -1)",
                        "\(place?.source.rawValue ?? "") \(place?.precision.name ?? "") \(place?.accuracy ?? -1)",
                        "\(place?.familySeesExact ?? false) \(story.isProposal)",
                    ]
                }
            )
        }
        #expect(facts(again) == facts(read))
        #expect(Set(read.stories.compactMap { $0.location?.source }) == [.gps, .manual, .aiExtracted])
        #expect(read.stories.contains { $0.location?.coordinate.latitude == 0 })
        let trusting = read.stories.filter { $0.location?.familySeesExact == true }
        #expect(trusting.map { $0.location?.precision } == [.approximate(.tenth)])
        #expect(read.stories.allSatisfy { !$0.isProposal })
        #expect(read.stories.count { $0.kind.rawValue == "recipe" } == 3)
    }
}

@Suite("Names and times of locations")
struct LocationNameTests {
    @Test("LOC-03 Moving the pin derives its names again, unless they were entered for the new place")
    func movedPin() async throws {
        let fixture = try await ServiceFixture(gazetteer: try TwinGazetteer.index.get())
        try await fixture.run { client async throws in
            let place = #","location":{"lat":33.7554,"lon":-84.3736,"name":"Grandma's porch"}"#
            let id = try await client.create(as: "ana", title: "x", latitude: nil, extra: place)
            let path = "/v1/stories/\(id)"
            func patch(_ location: String) async throws -> JSONValue {
                let reply = try await client.send(.patch, path, as: "ana", "{\"location\":\(location)}")
                #expect(reply.status == 200)
                return reply.json["location"] ?? .null
            }
            let made = try await client.get(path, as: "ana").json["location"]
            #expect(made?["city"]?.string == "Atlanta" && made?["name"]?.string == "Grandma's porch")
            // A few metres put it right.
            let nudged = try await patch(#"{"lat":33.7555}"#)
            #expect(nudged["name"]?.string == "Grandma's porch")
            // What was derived is derived for where it is now, and no word of the owner's.
            let derived = made?["derived"]?.array ?? []
            #expect(derived.contains(.string("city")) && nudged["derived"]?.array == derived)
            // Elsewhere it is another place.
            let moved = try await patch(#"{"lat":36.154,"lon":-95.9928}"#)
            #expect(moved["city"]?.string == "Tulsa" && moved["state"]?.string == "Oklahoma")
            #expect(moved["name"]?.string != "Grandma's porch")
            // What is typed now is for here, and stays.
            let typed = try await patch(#"{"city":"Oil City"}"#)
            #expect(typed["city"]?.string == "Oil City")
            #expect(typed["derived"]?.array?.contains(.string("city")) == false)
            // Sent back as it was read, with another pin, what was derived is no word of the owner's.
            let whole = """
                {"lat":33.749,"lon":-84.388,"state":"\(moved["state"]?.string ?? "")","city":"Terminus"}
                """
            let put = try await client.send(.put, path + "/location", as: "ana", whole).json["location"]
            #expect(put?["state"]?.string == "Georgia" && put?["city"]?.string == "Terminus")
        }
    }

    @Test("LOC-03 A place without a name gets the known district's name, marked as derived")
    func derivedName() async throws {
        let fixture = try await ServiceFixture(gazetteer: try TwinGazetteer.withPart.get())
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x")
            let location = try await client.get("/v1/stories/\(id)").json["location"]
            #expect(location?["name"]?.string == "Sweet Auburn")
            #expect(location?["derived"]?.array?.contains(.string("name")) == true)
        }
    }

    @Test("LOC-03 On an added street the address is known but does not name the place")
    func derivedAddress() async throws {
        let files = try ImportFixture()
        let street = [
            "900", "Encinal Avenue", "Encinal Avenue", "", "37.7650", "-122.2450", "R", "ST", "US", "", "CA", "001", "",
            "", "0", "", "3", "America/Los_Angeles", "2026-01-01",
        ]
        _ = try files.added([try files.write(street.joined(separator: "\t") + "\n", as: "US.txt")])
        let fixture = try await ServiceFixture()
        let library = try await StoryLibrary(
            store: fixture.library.store,
            gazetteer: files.index,
            additions: try GazetteerAdditions.load(beside: files.database),
            now: { fixture.clock.now }
        )
        // The middle of a town would be the town.
        let door = try #require(Coordinate(latitude: 37.7650, longitude: -122.2450))
        let location = library.maps.derivingNames(StoryLocation(coordinate: door))
        #expect(location.names[.address] == "Encinal Avenue" && location.derived.contains(.address))
        #expect(location.names[.name] == nil && location.names[.city] == "Alameda", "\(location.names)")
    }

    @Test("LOC-03 A location's times are visible only to those who get it exactly")
    func times() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let start = RFC3339.format(fixture.clock.now)
            let id = try await client.create(as: "ana", title: "x")
            let path = "/v1/stories/\(id)"
            func times(_ viewer: String? = "ana") async throws -> [String?] {
                let location = try await client.get(path, as: viewer).json["location"]
                return [location?["created_at"]?.string, location?["updated_at"]?.string]
            }
            #expect(try await times() == [start, start])
            fixture.clock.advance(seconds: 60)
            _ = try await client.send(.patch, path, as: "ana", #"{"title":"y"}"#)
            #expect(try await times() == [start, start])
            let same = #"{"lat":33.7554,"lon":-84.3736}"#
            let before = try await client.get(path, as: "ana").bytes
            #expect(try await client.send(.put, path + "/location", as: "ana", same).bytes == before)
            fixture.clock.advance(seconds: 60)
            let moved = RFC3339.format(fixture.clock.now)
            _ = try await client.send(.put, path + "/location", as: "ana", #"{"lat":33.8,"lon":-84.3}"#)
            #expect(try await times() == [start, moved])
            #expect(try await times(nil) == [start, moved])
            fixture.clock.advance(seconds: 60)
            let cell = #"{"lat":33.8,"lon":-84.3,"precision":"approximate"}"#
            _ = try await client.send(.put, path + "/location", as: "ana", cell)
            #expect(try await times("cora") == [nil, nil])
            #expect(try await times(nil) == [nil, nil])
            #expect(try await times().first == .some(start))
            _ = try await client.send(.delete, path + "/location", as: "ana")
            fixture.clock.advance(seconds: 60)
            _ = try await client.send(.put, path + "/location", as: "ana", same)
            let again = RFC3339.format(fixture.clock.now)
            #expect(try await times() == [again, again])
        }
    }
}

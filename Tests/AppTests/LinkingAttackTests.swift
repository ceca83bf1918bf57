import App
import Library
import Formats
import Geometry
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

/// Attacks on an approximate or hidden place by what stands beside it: date, order, time of creation, other stories.
@Suite("Attacks linking an owner's stories")
struct LinkingAttackTests {
    static let precisions: [LocationPrecision] = PublishedCell.allCases.map { .approximate($0) } + [.hidden]

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    @Test(
        "PRV-09 Dates, order and creation times reduce the error of the cell's centre to 0.8 times at best",
        arguments: precisions
    )
    func outings(precision: LocationPrecision) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let outings = LinkedOutings(
            of: try #require(UserID("ana")),
            shown: precision,
            until: fixture.clock.now,
            seed: 20
        )
        let library = fixture.library
        try await library.store.write { transaction in
            for story in outings.stories { try library.feed.insert(story, in: transaction) }
        }
        try await fixture.run { client async throws in
            let attacker = try await LinkingAttacker(reading: client, owner: "ana")
            #expect(attacker.seen.count == outings.stories.count)
            let center = LinkingAttackTests.median(attacker.errors(.center, secrets: outings.secrets))
            for method in LinkingAttacker.Method.allCases where method != .center {
                let errors = attacker.errors(method, secrets: outings.secrets)
                #expect(errors.count == outings.secrets.count && errors.count > 200)
                let error = LinkingAttackTests.median(errors)
                #expect(error >= 0.8 * center, "\(method): \(error.rounded()) m, the centre \(center.rounded()) m")
            }
        }
    }

    /// What a stranger can ask about the times of ana's stories.
    private static func probes(_ id: String) -> [String] {
        var probes = [
            "/v1/stories", "/v1/stories/\(id)", "/v1/stories?limit=1", "/v1/changes", "/v1/bounds",
            "/v1/clusters?bbox=-85,33,-84,34&zoom=18", "/v1/clusters?bbox=-85,33,-84,34&zoom=8&from=2019-07-14",
            "/v1/histogram", "/v1/histogram?from=2019-07-01&to=2019-07-31&bins=31",
            "/v1/histogram?from=2010-01-01&to=2019-12-31&bins=120&bbox=-85,33,-84,34",
            "/v1/nearby?lat=33.75&lon=-84.35&from=2019-07-14&to=2019-07-14",
        ]
        for (from, to) in [
            ("2019-07-14", "2019-07-14"), ("2019-07-15", "2019-07-31"), ("2019-01-01", "2019-06-30"),
            ("2019-08-01", "2019-12-31"), ("2010-01-01", "2018-12-31"), ("2020", "2020"),
        ] {
            probes.append("/v1/stories?from=\(from)&to=\(to)")
            probes.append("/v1/clusters?bbox=-85,33,-84,34&zoom=8&from=\(from)&to=\(to)")
        }
        return probes
    }

    private static func transcript(_ client: Client, _ probes: [String], as user: String?) async throws -> [[UInt8]] {
        var transcript: [[UInt8]] = []
        for probe in probes {
            var next: String? = probe
            while let path = next {
                let reply = try await client.get(path, as: user)
                transcript.append(Array("\(probe) \(reply.status) \(reply.headers[.eTag] ?? "")\n".utf8) + reply.bytes)
                next = reply.json["links"]?.array?.first { $0["rel"]?.string == "next" }?["href"]?.string
                if probe.hasPrefix("/v1/changes") { next = nil }
            }
        }
        return transcript
    }

    @Test(
        "PRV-09 Strangers get the same bytes for any day of its period; owner and trusted family get the day",
        arguments: precisions
    )
    func sameBytes(precision: LocationPrecision) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            for (number, date) in ["2019-07-13", "2019-07-14", "2019-07-15"].enumerated() {
                _ = try await client.create(as: "ana", title: "Exact \(number)", extra: ",\"date\":\"\(date)\"")
            }
            let cell = precision.cell.map { ",\"cell\":\($0.degrees)" } ?? ""
            let place =
                ",\"location\":{\"lat\":33.7561,\"lon\":-84.3722,\"precision\":\"\(precision.name)\"\(cell),"
                + "\"family_sees_exact\":true},\"date\":\"2019-07-14\""
            let id = try await client.create(as: "ana", title: "Secret", latitude: nil, extra: place)
            let probes = LinkingAttackTests.probes(id)
            let viewers: [String?] = [nil, "cora"]
            var first: [[[UInt8]]] = []
            for viewer in viewers { first.append(try await LinkingAttackTests.transcript(client, probes, as: viewer)) }
            for day in ["2019-07-01", "2019-07-31", "2019-07-15/2019-07-16"] {
                let body = "{\"date\":\"\(day)\"}"
                let reply = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", body)
                #expect(reply.status == 200 && reply.json["date"]?.string == day)
                #expect(try await client.get("/v1/stories/\(id)", as: "ben").json["date"]?.string == day)
                for (viewer, expected) in zip(viewers, first) {
                    let now = try await LinkingAttackTests.transcript(client, probes, as: viewer)
                    #expect(now == expected, "\(day)")
                }
                // Owner and trusted family find it by its day, in lists, on the map and over time.
                let first = day.prefix(10)
                for user in ["ana", "ben"] {
                    let question = "from=\(first)&to=\(first)"
                    let list = try await client.get("/v1/stories?\(question)", as: user).json
                    #expect(list["features"]?.array?.contains { $0["id"]?.string == id } == true)
                    let none = try await client.get("/v1/stories?from=2019-07-20&to=2019-07-22", as: user).json
                    #expect(none["numberMatched"]?.integer == 0)
                    let near = try await client.get("/v1/nearby?lat=33.7561&lon=-84.3722&\(question)", as: user).json
                    #expect(near["features"]?.array?.contains { $0["id"]?.string == id } == true)
                    let bins = try await client.get("/v1/histogram?\(question)&bins=1", as: user).json
                    #expect(bins["numberMatched"]?.integer == list["numberMatched"]?.integer)
                }
            }
        }
    }

    @Test(
        "PRV-09 Another user's export has times as coarse as their view",
        arguments: ExportFormat.allCases.filter { !$0.isTiles }
    )
    func exports(format: ExportFormat) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let place = #","location":{"lat":33.75,"lon":-84.37,"precision":"approximate","cell":0.01}"#
            _ = try await client.create(as: "ana", title: "A", latitude: nil, extra: place + #","date":"2019-07-14""#)
        }
        let day = RFC3339.format(fixture.clock.now).prefix(10)
        for (user, isOwner) in [("ana", true), ("cora", false), (nil, false)] {
            var viewer = Viewer.anonymous
            if let id = user.flatMap({ UserID($0) }) { viewer = try #require(try await fixture.library.viewer(of: id)) }
            let (bytes, outcome) = try await fixture.exported(format, as: viewer)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(outcome.written == 1 && text.contains("2019-07"))
            #expect(text.contains("2019-07-14") == isOwner, "\(text)")
            // The others do not say when a story was made.
            let saysTimes = [ExportFormat.geojson, .ndjson, .csv, .kml, .geoPackage].contains(format)
            #expect(text.contains(day.prefix(7)) == saysTimes && text.contains("\(day)T") == (isOwner && saysTimes))
        }
    }

    @Test("PRV-09 A story keeps its place in its owner's lists, without revealing its creation order to others")
    func order() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            var ids: [String] = []
            for number in 0..<12 {
                fixture.clock.advance(seconds: 60)
                let precision = number.isMultiple(of: 3) ? ",\"precision\":\"approximate\",\"cell\":0.1" : ""
                let place = ",\"location\":{\"lat\":33.75,\"lon\":-84.37,\"family_sees_exact\":true\(precision)}"
                ids.append(try await client.create(as: "ana", title: "\(number) tale", latitude: nil, extra: place))
            }
            func list(_ user: String?, _ query: String) async throws -> [String] {
                var found: [String] = []
                var next: String? = "/v1/stories?limit=2" + query
                while let path = next {
                    let page = try await client.get(path, as: user).json
                    found += (page["features"]?.array ?? []).compactMap { $0["id"]?.string }
                    next = page["links"]?.array?.first?["href"]?.string
                }
                return found
            }
            let coarse = Set(ids.indices.filter { $0.isMultiple(of: 3) }.map { ids[$0] })
            for query in ["", "&bbox=-85,33,-84,34", "&owner=ana", "&q=tale", "&q=1"] {
                // A whole word comes before the beginning of one.
                let expected = query == "&q=1" ? [ids[1], ids[11], ids[10]] : Array(ids.reversed())
                for user in ["ana", "ben"] { #expect(try await list(user, query) == expected, "\(query) \(user)") }
                // Of the coarse ones a stranger knows the year: they come last, in no order of time.
                let shown = try await list("cora", query)
                #expect(shown == expected.filter { !coarse.contains($0) } + expected.filter(coarse.contains).sorted())
                #expect(try await list(nil, query) == shown)
            }
            let changes = try await client.get("/v1/changes?limit=100").json["changed"]?.array ?? []
            let told = changes.compactMap { $0["id"]?.string }
            #expect(told == ids.sorted())
            for story in changes where story["id"]?.string.map(coarse.contains) == true {
                let time = story["created_at"]?.string
                #expect(time?.hasSuffix("-01-01T00:00:00Z") == true && story["updated_at"]?.string == time)
            }
        }
    }

    @Test("PRV-09 An owner may show the exact date of an approximate place, and is warned of its effect")
    func choice() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            func place(_ more: String, latitude: Double = 33.7554) -> String {
                ",\"location\":{\"lat\":\(latitude),\"lon\":-84.3736,\"precision\":\"approximate\"\(more)},\"date\":\"2019-07-14\""
            }
            let alone = try await client.create(as: "ana", title: "A", latitude: nil, extra: place(""))
            let created = try await client.send(
                .post,
                "/v1/stories",
                as: "ana",
                "{\"kind\":\"photo\",\"title\":\"B\"\(place(",\"date_precision\":\"exact\""))}"
            )
            let id = try #require(created.json["id"]?.string)
            #expect(created.json["warnings"] == nil)
            #expect(created.json["location"]?["date_precision"]?.string == "exact")
            #expect(try await client.get("/v1/stories/\(id)").json["date"]?.string == "2019-07-14")
            #expect(try await client.get("/v1/stories/\(alone)").json["date"]?.string == "2019-07")
            // A move keeps the choice; a change of the choice is one for everybody.
            let move = "{\"lat\":33.7555,\"lon\":-84.3736}"
            _ = try await client.send(.put, "/v1/stories/\(id)/location", as: "ana", move)
            #expect(try await client.get("/v1/stories/\(id)").json["date"]?.string == "2019-07-14")
            let patch = "{\"location\":{\"date_precision\":\"place\"}}"
            _ = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", patch)
            #expect(try await client.get("/v1/stories/\(id)").json["date"]?.string == "2019-07")
            // One of the same day far from it says nothing of where it is.
            _ = try await client.create(as: "ana", title: "Far", latitude: 34.2, extra: ",\"date\":\"2019-07-14\"")
            let quiet = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", "{\"title\":\"B1\"}")
            #expect(quiet.status == 200 && quiet.json["warnings"] == nil)
            // An exact story of the same day beside it narrows the cell: the owner is told, nobody else.
            _ = try await client.create(as: "ana", title: "C", latitude: 33.7561, extra: ",\"date\":\"2019-07-14\"")
            let warned = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", "{\"title\":\"B2\"}")
            #expect(warned.json["warnings"]?.array?.first?["code"]?.string == "neighbours")
            let read = try await client.get("/v1/stories/\(id)", as: "ana")
            #expect(read.headers[.eTag] == warned.headers[.eTag] && read.json["warnings"] == nil)
            let mine = try await client.get("/v1/stories?view=mine", as: "ana").json["features"]?.array ?? []
            let noted = mine.filter { $0["properties"]?["warnings"] != nil }.compactMap { $0["id"]?.string }
            #expect(Set(noted) == [alone, id])
            for user in [nil, "ben", "cora"] as [String?] {
                let list = try await client.get("/v1/stories", as: user)
                #expect(!String(decoding: list.bytes, as: UTF8.self).contains("warnings"))
            }
        }
    }
}

import App
import Library
import Formats
import Foundation
import Gazetteer
import HTTPTypes
import Testing

@Suite("Compatible interfaces of other geocoders")
struct GeocoderInterfaceTests {
    /// Runs `body` with a client of a service that has a gazetteer of three cities.
    private static func run(_ body: @escaping @Sendable (Client) async throws -> Void) async throws {
        try await ServiceFixture(gazetteer: TwinGazetteer.index.get()).run(body)
    }

    @Test("Nominatim: a search has the members its clients read, in the same order and types")
    func nominatimSearch() async throws {
        try await Self.run { client async throws in
            for path in ["/nominatim/search?q=Atlanta&format=jsonv2", "/nominatim/search/?q=Atlanta"] {
                let reply = try await client.get(path)
                #expect(reply.status == 200)
                #expect(reply.headers[.contentType] == "application/json")
                #expect(reply.headers[.accessControlAllowOrigin] == "*")
                let text = String(decoding: reply.bytes, as: UTF8.self)
                let names = [
                    "place_id", "licence", "lat", "lon", "category", "type", "place_rank", "importance", "addresstype",
                    "name", "display_name", "address", "boundingbox", "confidence",
                ]
                let positions = names.map { text.range(of: "\"\($0)\":")?.lowerBound }
                #expect(!positions.contains(nil))
                #expect(
                    zip(positions, positions.dropFirst()).allSatisfy { $0 ?? text.endIndex < $1 ?? text.startIndex }
                )
                let place = try #require(reply.json.array?.first)
                #expect(place["lat"]?.string == "33.7490000")
                #expect(place["lon"]?.string == "-84.3879800")
                #expect(place["category"]?.string == "place")
                #expect(place["type"]?.string == "city")
                #expect(place["place_rank"]?.integer == 16)
                #expect(place["display_name"]?.string == "Atlanta, Fulton County, Georgia, United States")
                #expect(place["address"]?["city"]?.string == "Atlanta")
                #expect(place["address"]?["country_code"]?.string == "us")
                #expect(
                    place["boundingbox"]?.array?.map(\.string)
                        == ["33.5890000", "33.9090000", "-84.5479800", "-84.2279800"]
                )
                #expect(place["osm_type"] == nil)
                #expect(place["extratags"] == nil)
            }
            let old = try await client.get("/nominatim/search?q=Atlanta&format=json&extratags=True&namedetails=1")
                .json[0]
            #expect(old?["class"]?.string == "place")
            #expect(old?["extratags"]?["geonames"]?.string == "2")
            #expect(old?["namedetails"]?["name"]?.string == "Atlanta")
            #expect(try await client.get("/nominatim/search?q=qwxzzy").bytes == Array("[]".utf8))
            let parts = try await client.get("/nominatim/search?city=Tulsa&state=Oklahoma&email=a@b.c&dedupe=1").json
            #expect(parts[0]?["name"]?.string == "Tulsa")
        }
    }

    @Test("Nominatim: filters are obeyed")
    func nominatimFilters() async throws {
        try await Self.run { client async throws in
            func names(_ query: String) async throws -> [String] {
                try await client.get("/nominatim/search?" + query).json.array?.compactMap { $0["name"]?.string } ?? []
            }
            #expect(try await names("q=Atlanta&countrycodes=fr").isEmpty)
            #expect(try await names("q=Atlanta&countrycodes=us,fr") == ["Atlanta"])
            #expect(try await names("q=Atlanta&viewbox=2,49,3,48&bounded=1").isEmpty)
            #expect(try await names("q=Atlanta&viewbox=2,49,3,48&bounded=0") == ["Atlanta"])
            #expect(try await names("q=Georgia&featureType=state") == ["Georgia"])
            #expect(try await names("q=Georgia&featureType=city").isEmpty)
            let number = try await client.get("/nominatim/search?q=Atlanta").json[0]?["place_id"]?.integer
            #expect(try await names("q=Atlanta&exclude_place_ids=\(try #require(number))").isEmpty)
        }
    }

    @Test("Nominatim: a position has its place at every zoom, and none at sea")
    func nominatimReverse() async throws {
        try await Self.run { client async throws in
            let here = "/nominatim/reverse?lat=33.75&lon=-84.39"
            let place = try await client.get(here + "&format=jsonv2").json
            #expect(place["name"]?.string == "Atlanta")
            #expect(place["address"]?["state"]?.string == "Georgia")
            for (zoom, name) in [("10", "Atlanta"), ("5", "Georgia"), ("3", "United States"), ("-4", "United States")] {
                let found = try await client.get(here + "&format=json&zoom=\(zoom)").json
                #expect(found["name"]?.string == name, "zoom \(zoom)")
                #expect(found["address"]?["country"]?.string == "United States")
            }
            let sea = try await client.get("/nominatim/reverse?lat=-40&lon=-120&format=jsonv2")
            #expect(sea.status == 200)
            #expect(sea.bytes == Array(#"{"error":"Unable to geocode"}"#.utf8))
            let collection = try await client.get(here + "&format=geojson").json
            #expect(collection["type"]?.string == "FeatureCollection")
            let feature = collection["features"]?[0]
            #expect(feature?["geometry"]?["coordinates"]?.array?.count == 2)
            #expect(feature?["bbox"]?.array?.count == 4)
            #expect(feature?["properties"]?["address"]?["city"]?.string == "Atlanta")
        }
    }

    @Test("Nominatim: XML and geocodejson have the same content, and XML can carry any query")
    func nominatimShapes() async throws {
        try await Self.run { client async throws in
            let reply = try await client.get("/nominatim/reverse?lat=33.75&lon=-84.39")
            #expect(reply.headers[.contentType] == "text/xml; charset=utf-8")
            let text = String(decoding: reply.bytes, as: UTF8.self)
            #expect(text.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<reversegeocode "))
            #expect(text.contains("<city>Atlanta</city>"))
            let query = "/nominatim/search?format=xml&q=%22%3C%26%3E%27%01%0A%F0%9F%92%A9%20Atlanta"
            for path in ["/nominatim/reverse?lat=33.75&lon=-84.39", query] {
                let parser = XMLChecker(try await client.get(path).bytes)
                #expect(parser.isWhole, "\(path)")
            }
            let geocode = try await client.get("/nominatim/search?q=Atlanta&format=geocodejson").json
            #expect(geocode["geocoding"]?["version"]?.string == "0.1.0")
            let place = geocode["features"]?[0]?["properties"]?["geocoding"]
            #expect(place?["label"]?.string == "Atlanta, Fulton County, Georgia, United States")
            #expect(place?["admin"]?["level4"]?.string == "Georgia")
        }
    }

    @Test("Nominatim: errors use its wording, and callbacks must be plain names")
    func nominatimErrors() async throws {
        try await Self.run { client async throws in
            for path in [
                "search?format=jsonv2", "search?q=a&city=b", "search?q=a&format=toml", "reverse?lat=1&format=json",
                "reverse?lat=x&lon=1&format=json", "reverse?lat=91&lon=1&format=json",
                "reverse?lat=nan&lon=1&format=json",
                "reverse?lat=0x10&lon=1&format=json", "search?q=Atlanta&viewbox=1,2,3&bounded=1",
                "search?q=Atlanta&viewbox=a,1,2,3,4", "search?q=Atlanta&viewbox=0x1,1,2,3",
                "search?q=Atlanta&json_callback=alert(1)", "search?q=\(String(repeating: "a", count: 2_001))",
            ] {
                let reply = try await client.get("/nominatim/" + path)
                #expect(reply.status == 400, "\(path)")
                #expect(reply.json["error"]?["code"]?.integer == 400, "\(path)")
                #expect(reply.json["error"]?["message"]?.string?.isEmpty == false, "\(path)")
            }
            let script = try await client.get("/nominatim/search?q=Atlanta&json_callback=a.b_1")
            #expect(script.headers[.contentType] == "application/javascript; charset=utf-8")
            let text = String(decoding: script.bytes, as: UTF8.self)
            #expect(text.hasPrefix("a.b_1([{") && text.hasSuffix("}])"))
            let status = try await client.get("/nominatim/status")
            #expect(status.bytes == Array("OK".utf8))
            #expect(try await client.get("/nominatim/status?format=json").json["status"]?.integer == 0)
            #expect(try await client.get("/nominatim/lookup?osm_ids=N1&format=json").bytes == Array("[]".utf8))
            let found = try await client.get("/nominatim/search?q=Atlanta&format=json&limit=1").json.array?.first
            let number = try #require(found?["place_id"]?.integer)
            let again = try await client.get("/nominatim/lookup?place_ids=1,\(number),x&format=json").json.array
            #expect(again?.count == 1)
            #expect(again?.first?["name"]?.string == "Atlanta")
            #expect(again?.first?["place_id"]?.integer == number)
        }
    }

    @Test("Photon: a settlement around a position is also its city, and osm_tag includes and excludes")
    func photonTags() async throws {
        try await Self.run { client async throws in
            let reverse = try await client.get("/photon/reverse?lat=33.75&lon=-84.39").json["features"]?[0]
            #expect(reverse?["properties"]?["name"]?.string == "Atlanta")
            #expect(reverse?["properties"]?["city"]?.string == "Atlanta")
            for (tag, isFound) in [
                ("place:city", true), ("place", true), (":city", true), ("!place:village", true), ("!:village", true),
                (":!village", true), ("place:!village", true), ("tourism", false), ("place:village", false),
                ("!place:city", false), (":!city", false), ("place:!city", false),
            ] {
                let tag = try #require(tag.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
                let found = try await client.get("/photon/api?q=Atlanta&osm_tag=\(tag)").json["features"]?.array ?? []
                #expect(found.contains { $0["properties"]?["name"]?.string == "Atlanta" } == isFound, "\(tag)")
            }
            let both = try await client.get("/photon/api?q=Atlanta&osm_tag=tourism&osm_tag=place:city").json
            #expect(both["features"]?.array?.isEmpty == false)
        }
    }

    @Test("Nominatim: a place_id fits the 31 bits that clients store, and leads back to its place")
    func placeNumbers() async throws {
        try await Self.run { client async throws in
            for query in ["Atlanta", "Georgia", "30303", "United States"] {
                let path = "/nominatim/search?format=json&q=\(query.replacing(" ", with: "%20"))"
                for place in try await client.get(path).json.array ?? [] {
                    let number = try #require(place["place_id"]?.integer)
                    #expect((0...Int(Int32.max)).contains(number))
                    let found = try await client.get("/nominatim/lookup?place_ids=\(number)&format=json").json.array
                    #expect(found?.contains { $0["display_name"]?.string == place["display_name"]?.string } == true)
                }
            }
        }
    }

    @Test("Photon: features with extents from north-west to south-east")
    func photon() async throws {
        try await Self.run { client async throws in
            for path in ["/photon/api?q=Atlanta&limit=3&lang=en", "/photon/api/?q=Atlan&lat=33&lon=-84&zoom=12"] {
                let reply = try await client.get(path).json
                #expect(reply["type"]?.string == "FeatureCollection")
                let feature = reply["features"]?[0]
                #expect(feature?["geometry"]?["coordinates"]?.array?.first == .number(-84.38798))
                let properties = feature?["properties"]
                #expect(properties?["osm_value"]?.string == "city")
                #expect(properties?["countrycode"]?.string == "US")
                #expect(properties?["state"]?.string == "Georgia")
                #expect(properties?["postcode"] == nil)
                let extent = properties?["extent"]?.array?.compactMap(\.number) ?? []
                #expect(extent.count == 4 && extent[0] < extent[2] && extent[1] > extent[3])
            }
            let reverse = try await client.get("/photon/reverse?lat=33.75&lon=-84.39&limit=5").json
            #expect(reverse["features"]?[0]?["properties"]?["name"]?.string == "Atlanta")
            let city = try await client.get("/photon/reverse?lat=33.75&lon=-84.39&layer=state&limit=5").json
            #expect(city["features"]?.array?.map { $0["properties"]?["name"]?.string } == ["Georgia"])
            #expect(try await client.get("/photon/reverse?lat=-40&lon=-120").json["features"]?.array?.isEmpty == true)
            #expect(try await client.get("/photon/api?q=qwxzzy").json["features"]?.array?.isEmpty == true)
            for path in [
                "api", "api?q=", "api?q=a&lat=x&lon=1", "api?q=a&bbox=1,2", "reverse?lat=1", "reverse?lon=x&lat=1",
            ] {
                let reply = try await client.get("/photon/" + path)
                #expect(reply.status == 400, "\(path)")
                #expect(reply.json["message"]?.string?.isEmpty == false, "\(path)")
            }
            #expect(try await client.get("/photon/status").json["status"]?.string == "Ok")
        }
    }

    @Test("Pelias: properties, boxes and the parsed query; a box beyond a pole continues")
    func pelias() async throws {
        try await Self.run { client async throws in
            for path in ["/pelias/v1/search?text=Atlanta", "/pelias/v1/autocomplete?text=Atla&focus.point.lat=33"] {
                let reply = try await client.get(path).json
                #expect(reply["geocoding"]?["query"]?["size"]?.integer == 10)
                let feature = reply["features"]?[0]
                #expect(feature?["bbox"]?.array?.count == 4)
                #expect(feature?["properties"]?["gid"]?.string == "geonames:locality:2")
                #expect(feature?["properties"]?["country_a"]?.string == "USA")
                #expect(feature?["properties"]?["region"]?.string == "Georgia")
                #expect(reply["bbox"]?.array?.count == 4)
            }
            let layers = try await client.get("/pelias/v1/reverse?point.lat=33.75&point.lon=-84.39").json
            let names = layers["features"]?.array?.compactMap { $0["properties"]?["layer"]?.string }
            #expect(names?.first == "locality")
            let over = try await client.get("/pelias/v1/reverse?point.lat=146.25&point.lon=95.61&size=1").json
            #expect(over["features"]?[0]?["properties"]?["name"]?.string == "Atlanta")
            let none = try await client.get("/pelias/v1/search?text=Atlanta&boundary.country=FRA").json
            #expect(none["features"]?.array?.isEmpty == true)
            for country in ["ZZZ", "ZZ", "Atlantis"] {
                for path in ["search?text=Atlanta", "reverse?point.lat=33.75&point.lon=-84.39"] {
                    let none = try await client.get("/pelias/v1/\(path)&boundary.country=\(country)").json
                    #expect(none["features"]?.array?.isEmpty == true, "\(path) \(country)")
                }
            }
            for (circle, count) in [
                ("lat=33.9&boundary.circle.lon=-84.3", 1),
                ("lat=33.9&boundary.circle.lon=-84.3&boundary.circle.radius=5", 0),
                ("lat=48.85&boundary.circle.lon=2.35", 0),
                ("lat=89&boundary.circle.lon=2.35&boundary.circle.radius=9000", 1),
            ] {
                let found = try await client.get("/pelias/v1/search?text=Atlanta&boundary.circle.\(circle)").json
                #expect(found["features"]?.array?.count == count, "\(circle)")
            }
            let endless = try await client.get("/pelias/v1/reverse?point.lat=1e999&point.lon=1")
            #expect(endless.json["geocoding"]?["errors"]?[0]?.string == "invalid param 'point.lat'")
            for path in [
                "search", "search?text=", "reverse?point.lat=1", "reverse?point.lat=1&point.lon=x",
                "search?text=Atlanta&boundary.circle.lat=north&boundary.circle.lon=1",
                "reverse?point.lat=0x10&point.lon=1",
            ] {
                let reply = try await client.get("/pelias/v1/" + path)
                #expect(reply.status == 400, "\(path)")
                #expect(reply.json["geocoding"]?["errors"]?.array?.isEmpty == false, "\(path)")
                #expect(reply.json["features"]?.array?.isEmpty == true)
            }
        }
    }

    @Test("Additional client parameters are ignored, whatever they are")
    func lenient() async throws {
        try await Self.run { client async throws in
            for path in [
                "/nominatim/search?q=Atlanta&limit=-3&limit=x&foo=bar&bounded=yes",
                "/nominatim/reverse?lat=33.75&lon=-444.39&zoom=1e300&format=json",
                "/photon/api?q=Atlanta&limit=99999999999",
                "/photon/api?q=Atlanta&osm_tag=place&layer=", "/pelias/v1/search?text=Atlanta&size=1e99&api_key=1",
                "/photon/reverse?lat=33.75&lon=-84.39&radius=nan",
            ] {
                let reply = try await client.get(path)
                #expect(reply.status == 200, "\(path)")
                #expect(String(decoding: reply.bytes, as: UTF8.self).contains("Atlanta"), "\(path)")
                let tag = try #require(reply.headers[.eTag])
                var headers = HTTPFields()
                headers[.ifNoneMatch] = tag
                #expect(try await client.get(path, headers: headers).status == 304)
            }
            #expect(try await client.get("/v1/reverse?lat=33.75&lon=-84.39&foo=bar").status == 400)
            #expect(try await client.send(.post, "/nominatim/search", as: nil, "{}").status == 405)
        }
    }
}

/// Whether bytes are well-formed XML, by a count of tags and a look at what stands between them.
private struct XMLChecker {
    let isWhole: Bool

    init(_ bytes: [UInt8]) {
        var open: [Substring] = []
        var rest = Substring(String(decoding: bytes, as: UTF8.self))
        var isGood = true
        while let start = rest.firstIndex(of: "<") {
            let text = rest[..<start]
            if text.contains(">") || text.contains("\u{1}") { isGood = false }
            guard let end = rest[start...].firstIndex(of: ">") else {
                isGood = false
                break
            }
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("?") { continue }
            if tag.contains("<") || tag.filter({ $0 == "\"" }).count % 2 != 0 { isGood = false }
            let name = tag.prefix { $0 != " " }
            if name.hasPrefix("/") {
                if open.popLast() != name.dropFirst() { isGood = false }
            } else if !tag.hasSuffix("/") {
                open.append(name)
            }
        }
        isWhole = isGood && open.isEmpty
    }
}

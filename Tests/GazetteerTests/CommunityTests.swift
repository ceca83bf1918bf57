import Foundation
import Gazetteer
import Geometry
import Testing

/// A row of `geodata/supplement.tsv` with the names of what it lies in.
private struct CommunityPlace {
    var id: String
    var name: String
    var aliases: [String]
    var kind: String
    var city: String
    /// The name of its state, or of its country outside the USA.
    var region: String

    static func all() throws -> [CommunityPlace] {
        let states = try names(in: "states.tsv", code: 1, name: 3)
        let countries = try names(in: "countries.tsv", code: 1, name: 3)
        // GeoNames has its own numbers for some of them.
        let numbers = try names(in: "community.tsv", code: 0, name: 8)
        let text = try String(contentsOf: RealGazetteer.folder.appending(path: "supplement.tsv"), encoding: .utf8)
        return text.split(separator: "\n").dropFirst()
            .map { line in
                let row = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
                let number = numbers[row[0]] ?? ""
                return CommunityPlace(
                    id: number.isEmpty ? "waymark:\(row[0])" : "geonames:\(number)",
                    name: row[1],
                    aliases: row[2].split(separator: ";").map(String.init),
                    kind: row[3],
                    city: row[4],
                    region: states[row[5]] ?? countries[row[6]] ?? ""
                )
            }
    }

    private static func names(in table: String, code: Int, name: Int) throws -> [String: String] {
        let rows = String(decoding: try RealGazetteer.table(table), as: UTF8.self).split(separator: "\n").dropFirst()
        return Dictionary(
            rows.map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
                .map { (String($0[code]), String($0[name])) },
            uniquingKeysWith: { first, _ in first }
        )
    }
}

@Suite("GEO-05 Historic and community places")
struct CommunityTests {
    let index: GazetteerIndex

    init() throws {
        index = try RealGazetteer.index.get()
    }

    /// All of them; in debug builds, which are slow, one in four.
    private static func tried(_ places: [CommunityPlace]) -> [CommunityPlace] {
        RealGazetteer.isDebug ? stride(from: 0, to: places.count, by: 4).map { places[$0] } : places
    }

    @Test("Each ranks first by name and city, and by name and state")
    func names() throws {
        let places = try CommunityPlace.all()
        #expect(places.count >= 300)
        for place in Self.tried(places) {
            for around in [place.city, place.region] where !around.isEmpty {
                let query = "\(place.name), \(around)"
                #expect(index.search(query).first?.id == place.id, "\(query)")
            }
        }
    }

    @Test("Each is among the first five by every other name")
    func aliases() throws {
        for place in Self.tried(try CommunityPlace.all()) {
            for alias in place.aliases {
                let query = "\(alias), \(place.city.isEmpty ? place.region : place.city)"
                #expect(index.search(query).prefix(5).contains { $0.id == place.id }, "\(query)")
            }
        }
    }

    @Test(
        "Labels give the containing place and the kind",
        arguments: [
            ("Sweet Auburn", "Sweet Auburn, Atlanta, Georgia, United States", PlaceKind.neighbourhood),
            ("Auburn Ave, Atlanta", "Auburn Avenue, Atlanta, Georgia, United States", .street),
            ("Black Wall Street, Tulsa", "Greenwood, Tulsa, Oklahoma, United States", .neighbourhood),
            ("Edmund Pettus Bridge", "Edmund Pettus Bridge, Selma, Alabama, United States", .landmark),
            ("Nicodemus, Kansas", "Nicodemus, Kansas, United States", .village),
            ("Harlem, New York", "Harlem, New York City, New York, United States", .neighbourhood),
            ("Brooklyn", "Brooklyn, New York City, New York, United States", .neighbourhood),
        ]
    )
    func labels(query: String, label: String, kind: PlaceKind) throws {
        let match = try #require(index.search(query).first)
        #expect(match.label == label)
        #expect(match.kind == kind)
    }

    @Test("Each lies in its county and country, and former names have their years")
    func joined() throws {
        let seneca = try #require(index.search("Seneca Village, New York").first)
        #expect(seneca.admin2 == "New York County")
        #expect((seneca.fromYear, seneca.toYear) == (1825, 1857))
        let africville = try #require(index.search("Africville").first)
        #expect(africville.admin1 == "Nova Scotia")
        #expect(africville.countryCode == "ca")
        let atlanta = try #require(index.search("Atlanta, Georgia").first)
        #expect((atlanta.fromYear, atlanta.toYear) == (nil, nil))
    }
}

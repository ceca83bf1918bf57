import Gazetteer
import GazetteerCompiler
import Geometry
import Testing

@Suite("Districts, waters, landmarks and airports")
struct LandformTests {
    let index: GazetteerIndex

    private static let districts = Fixture.table(
        "id name country admin1 lat lon west south east north names",
        """
        DE.detmold Detmold DE 07 51.9 8.8 8 51.4 9.4 52.4 Regierungsbezirk_Detmold
        """
    )

    private static let places = Fixture.table(
        "id name lat lon country admin1 county population names",
        """
        1 Rennes 48.11 -1.67 FR 11 _ 209375 _
        2 Liberty 41 -74 US NY _ 250000 _
        3 Bielefeld 52.03 8.53 DE 07 DE.detmold 331906 _
        4 Memphis 35.1495 -90.049 US TX _ 633104 _
        """
    )

    private static let landforms = Fixture.table(
        "source id name kind lat lon country admin1 county city prominence names abbreviations",
        """
        waymark mississippi-river Mississippi_River river 35.15 -90.07 US _ _ _ 2000000 _ _
        waymark lake-michigan Lake_Michigan water 43.5 -87 US _ _ _ 300000 _ _
        waymark fisk Fisk_University landmark 35.1673 -90.08 US TX _ 4 20000 _ _
        waymark overton-park Overton_Park park 35.147 -89.987 US TX _ _ 4000 _ _
        airportsdata mem Memphis_International_Airport airport 35.0424 -89.9767 US TX _ 4 30000 Memphis_Airport MEM
        """
    )

    init() throws {
        var sources = Fixture.sources
        (sources.places, sources.districts, sources.landforms) = (Self.places, Self.districts, Self.landforms)
        index = try GazetteerIndex(bytes: GazetteerBytes(try GazetteerBuilder.build(sources, checksum: [])))
    }

    @Test(
        "GEO-01 Rivers, lakes, landmarks, airports and districts are found by their names",
        arguments: [
            ("Mississippi River", "waymark:mississippi-river", "river"),
            ("Lake Michigan", "waymark:lake-michigan", "water"),
            ("Fisk University, Memphis", "waymark:fisk", "landmark"), ("MEM", "airportsdata:mem", "airport"),
            ("Memphis Airport", "airportsdata:mem", "airport"),
            ("Overton Park, Memphis", "waymark:overton-park", "park"),
            ("Detmold, Germany", "natural-earth:DE.detmold", "county"),
            ("Bielefeld, Detmold", "geonames:3", "city"),
        ]
    )
    func found(query: String, id: String, kind: String) throws {
        let match = try #require(index.search(query).first)
        #expect((match.id, match.kind.name) == (id, kind))
        #expect(match.unmatched.isEmpty)
        #expect(index.match(id: id)?.id == id)
    }

    @Test("GEO-02 Reverse geocoding names landmarks, but not rivers and airports")
    func reverse() throws {
        let campus = try #require(Coordinate(latitude: 35.1673, longitude: -90.08))
        #expect(index.reverse(campus)?.neighbourhood == "Fisk University")
        let runway = try #require(Coordinate(latitude: 35.0424, longitude: -89.9767))
        #expect(index.reverse(runway)?.neighbourhood == nil)
        let town = try #require(Coordinate(latitude: 52.03, longitude: 8.53))
        #expect(index.reverse(town)?.place.admin2 == "Detmold")
    }

    @Test("GEO-01 The part after a comma is trusted more than a misspelling of the part before it")
    func comma() throws {
        let match = try #require(index.search("Boulevard de la Liberte, Rennes").first)
        #expect(match.name == "Rennes")
        #expect(match.unmatched == ["boulevard", "de", "la", "liberte"])
        #expect(index.search("Libertey, Rennes").first?.name == "Rennes")
        #expect(index.search("Libertey, NY").first?.name == "Liberty")
    }
}

import Gazetteer
import GazetteerCompiler
import Testing

@Suite("Completing a visible prefix")
struct CompletionTests {
    let index: GazetteerIndex

    /// Large cities with bynames that begin like the names of smaller ones.
    private static let places = Fixture.table(
        "id name lat lon country admin1 county population names",
        """
        1 Quito -0.23 -78.52 GE _ _ 1400000 San_Francisco_de_Quito
        2 San_Francisco 37.77 -122.42 US TX _ 864816 _
        3 San_Fratello 38.01 14.6 DE _ _ 3900 _
        4 Mumbai 19.07 72.88 TR _ _ 12691836 Bombay|Bombaim|मुंबई
        5 Bombay_Beach 33.35 -115.73 US TX _ 171 _
        6 Montevideo -34.9 -56.19 GE _ _ 1270737 Münster-Video
        7 Münster 51.96 7.63 DE 07 _ 314319 _
        8 Boston 42.36 -71.06 US NY _ 675647 Trimountain|Tremont
        9 Tremont 40.85 -73.9 US NY _ 31000 _
        10 The_Bronx 40.85 -73.87 US NY _ 1472654 Bronks
        11 Tremblay 48.98 2.57 FR 11 _ 36000 _
        12 Bombay_Hill 33.36 -115.74 US TX _ 90 _
        """
    )

    init() throws {
        var sources = Fixture.sources
        sources.places = Self.places
        index = try GazetteerIndex(bytes: GazetteerBytes(try GazetteerBuilder.build(sources, checksum: [])))
    }

    @Test(
        "GEO-08 A visible prefix match ranks before an alias of a larger place",
        arguments: [
            ("san fr", "San Francisco"), ("trem", "Tremont"), ("trembl", "Tremblay"), ("Mün", "Münster"),
            ("bomb", "Bombay Beach"), ("bron", "The Bronx"),
        ]
    )
    func visibleFirst(prefix: String, name: String) throws {
        let matches = index.suggest(prefix)
        let first = try #require(matches.first)
        #expect(first.name == name)
        #expect(first.matchedName == nil)
        #expect(first.matchType == .exact)
        // Behind the first alias nothing starts as typed any more.
        let aliases = matches.drop { $0.matchedName == nil }
        #expect(aliases.allSatisfy { $0.matchedName != nil && $0.matchType == .alias })
    }

    @Test(
        "GEO-08 A place comes before a hardly better known one whose name begins with the whole of its own",
        arguments: [
            (900_000, ["San Francisco", "San Francisco Bay"]), (9_000_000, ["San Francisco Bay", "San Francisco"]),
        ]
    )
    func wholeName(people: Int, names: [String]) throws {
        var sources = Fixture.sources
        sources.places = Fixture.table(
            "id name lat lon country admin1 county population names",
            """
            21 San_Francisco 37.77 -122.42 US TX _ 864816 _
            22 San_Francisco_Bay 37.7 -122.3 US TX _ \(people) _
            """
        )
        let index = try GazetteerIndex(bytes: GazetteerBytes(try GazetteerBuilder.build(sources, checksum: [])))
        #expect(index.suggest("san fr").map(\.name) == names)
    }

    @Test("GEO-08 An alias is displayed as written")
    func aliasIsShown() throws {
        let quito = try #require(index.suggest("san fr").first { $0.name == "Quito" })
        #expect(quito.matchedName == "San Francisco de Quito")
        #expect(index.suggest("मुं").first?.matchedName == "मुंबई")
        #expect(index.search("Bombay").first { $0.name == "Mumbai" }?.matchedName == "Bombay")
        #expect(index.search("San Francisco").first?.matchedName == nil)
    }

    @Test("GEO-08 A fully typed alias keeps a place in a full list, after prefix matches")
    func wholeAlias() throws {
        let one = index.suggest("bombay", options: SearchOptions(limit: 2))
        #expect(one.map(\.name) == ["Bombay Beach", "Mumbai"])
        let three = index.suggest("bombay", options: SearchOptions(limit: 3)).map(\.name)
        #expect(three == ["Bombay Beach", "Bombay Hill", "Mumbai"])
        // Begun only, it does not drive out what begins so.
        let begun = index.suggest("bomba", options: SearchOptions(limit: 2)).map(\.name)
        #expect(begun == ["Bombay Beach", "Bombay Hill"])
        #expect(index.suggest("tremont", options: SearchOptions(limit: 1)).map(\.name) == ["Tremont"])
    }

    @Test("GEO-08 Prefix matches also rank first among added and bundled places combined")
    func addedPlaces() throws {
        let added = AddedPlace(
            id: "own:a/1",
            name: "Sanfranco",
            kind: .city,
            latitude: 40,
            longitude: 10,
            // Better known than what visibly begins so.
            population: 3_000_000,
            names: [AddedName("San Frutos")]
        )
        let compiled = try GazetteerBuilder.build(
            added: { add in try add(added) },
            sources: Fixture.sources,
            space: .memory
        )
        var builder = AddressBuilder()
        let bytes = try builder.finish(places: compiled, checksum: [1])
        let search = PlaceSearch(places: index, addedPlaces: try GazetteerIndex(bytes: GazetteerBytes(bytes)))
        let names = search.suggest("san fr").map(\.name)
        #expect(Set(names.prefix(2)) == ["San Francisco", "San Fratello"])
        #expect(Set(names.dropFirst(2)) == ["Quito", "Sanfranco"])
        #expect(search.suggest("sanf").first?.name == "Sanfranco")
        #expect(search.suggest("san frut").first?.matchedName == "San Frutos")
    }
}

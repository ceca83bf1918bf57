import Gazetteer
import GazetteerCompiler
import Testing

@Suite("Former names")
struct FormerNameTests {
    /// A city that was renamed twice, a city that has the first of these names today, and a city without a past.
    private static func index(former: String) throws -> GazetteerIndex {
        var sources = Fixture.sources
        sources.places = Fixture.table(
            "id name lat lon country admin1 county population names",
            """
            1 Chemnitz 50.83 12.92 DE 07 _ 250000 _
            2 Marxburg 51.5 13 DE 07 _ 300000 _
            3 Amberg 49.4 11.8 DE 07 _ 42000 _
            """
        )
        sources.former = Fixture.table("place name from_year to_year", former)
        return try GazetteerIndex(bytes: GazetteerBytes(try GazetteerBuilder.build(sources, checksum: [])))
    }

    private static let former = """
        1 Marxburg 1953 1990
        1 Kamenz _ 1701
        DE Altland 1871 1918
        """

    @Test("GEO-05 A former name finds its place, and is shown with its years")
    func shown() throws {
        let index = try Self.index(former: Self.former)
        let found = try #require(index.search("Kamenz").first)
        #expect(found.name == "Chemnitz" && found.matchType == .alias && found.matchedName == "Kamenz")
        #expect(found.matchedYears == YearSpan(from: nil, to: 1701))
        #expect(index.search("Altland").first?.kind == .country)
        #expect(index.search("Amberg").first?.matchedYears == nil)
    }

    @Test(
        "GEO-05 With a year, the places that had a name then come before those that have it now, and say their name then",
        arguments: [
            (nil, ["Marxburg", "Chemnitz"], nil), (1960, ["Chemnitz", "Marxburg"], "Marxburg"),
            (1953, ["Chemnitz", "Marxburg"], "Marxburg"), (1990, ["Chemnitz", "Marxburg"], "Marxburg"),
            (1991, ["Marxburg", "Chemnitz"], nil), (1650, ["Marxburg", "Chemnitz"], "Kamenz"),
        ] as [(Int?, [String], String?)]
    )
    func ofYear(year: Int?, names: [String], then: String?) throws {
        let index = try Self.index(former: Self.former)
        var options = SearchOptions(preferredCountry: nil)
        options.year = year
        let found = index.search("Marxburg", options: options)
        #expect(found.map(\.name) == names)
        #expect(found.first { $0.name == "Chemnitz" }?.nameThen == then)
        #expect(found.first { $0.name == "Marxburg" }?.nameThen == nil)
    }

    @Test(
        "GEO-05 Spans of years are printed",
        arguments: [
            (YearSpan(from: 1924, to: 1991), "1924–1991"), (YearSpan(from: nil, to: 1930), "until 1930"),
            (YearSpan(from: 1991, to: nil), "since 1991"), (YearSpan(from: nil, to: nil), ""),
        ]
    )
    func printed(span: YearSpan, text: String) { #expect(span.text == text) }

    @Test("Years in the wrong order are an error with its row; a place that is in no other table is ignored")
    func wrongRows() throws {
        #expect(throws: GazetteerSourceError.self) { try Self.index(former: "1 Marxburg 1990 1953") }
        #expect(throws: GazetteerSourceError.self) { try Self.index(former: "one Marxburg 1953 1990") }
        #expect(try Self.index(former: "77 Nowhere 1953 1990").search("Nowhere").isEmpty)
    }

    @Test(
        "GEO-01 A country is known by its names and codes, in any case",
        arguments: [
            ("de", "DE"), ("DE", "DE"), ("Germany", "DE"), ("deutschland", "DE"), ("xx", nil), ("Amberg", nil),
            ("", nil),
        ] as [(String, String?)]
    )
    func countryByName(name: String, code: String?) throws {
        #expect(try Self.index(former: Self.former).code(ofCountryNamed: name) == code)
    }
}

import Gazetteer
import Geometry
import Testing

@Suite("Misspelt names")
struct MisspellingTests {
    let index: GazetteerIndex

    init() throws {
        index = try Fixture.index()
    }

    @Test(
        "GEO-01 One wrong letter is accepted and reported",
        arguments: [
            ("Altanta, GA", "geonames:3"), ("Atlnta, GA", "geonames:3"), ("Atlantta, GA", "geonames:3"),
            ("Atlenta GA", "geonames:3"), ("Atlanta, Gorgia", "geonames:3"), ("Istambul", "geonames:7"),
            ("Mound Bayoo, MS", "geonames:6"), ("Winston-Slaem", "geonames:24"), ("Стамбол", "geonames:7"),
            ("Germny", "geonames:2921044"), ("Fulton Conty, NY", "census:36035"), ("Okahoma", "geonames:17"),
        ]
    )
    func one(query: String, id: String) throws {
        let match = try #require(index.search(query).first)
        #expect(match.id == id)
        #expect(match.matchType == .fuzzy)
        #expect(match.unmatched.isEmpty)
    }

    @Test(
        "GEO-01 Two wrong letters in a longer name are accepted",
        arguments: [
            ("Atlnata, Gerogia", "geonames:3"), ("Constantinpole", "geonames:7"),
            ("Winsten-Saleem, NC", "geonames:24"), ("Mississipi", "geonames:14"), ("Missisippi", "geonames:14"),
        ]
    )
    func two(query: String, id: String) throws {
        let match = try #require(index.search(query).first)
        #expect(match.id == id)
        #expect(match.matchType == .fuzzy)
    }

    @Test(
        "GEO-01 Spaces may be missing or superfluous",
        arguments: [
            ("MoundBayou", "geonames:6"), ("Newyork", "geonames:10"), ("newyork city", "geonames:10"),
            ("At lanta, GA", "geonames:3"), ("winstonsalem", "geonames:24"), ("St.Louis", "geonames:8"),
        ]
    )
    func blanks(query: String, id: String) throws {
        #expect(try #require(index.search(query).first).id == id)
    }

    @Test("Correct spellings rank before misspellings")
    func exactFirst() throws {
        #expect(try #require(index.search("Paris").first).matchType == .exact)
        #expect(index.search("Harlem, GA").map(\.id).first == "geonames:21")
        #expect(!index.search("Paris, TX").contains { $0.matchType == .fuzzy })
    }

    @Test("Three wrong letters, or one letter of three, do not match", arguments: ["Atlxyzta", "Pxs", "Gz", "Tbqqqsi"])
    func tooMany(query: String) {
        #expect(index.search(query).isEmpty)
    }

    @Test(
        "GEO-01 A wrong comma and a wrong letter in a state's code are accepted",
        arguments: [
            ("Atlant,a GA", "geonames:3"), ("Atlanta,x GA", "geonames:3"), ("Atlanta, AG", "geonames:3"),
            ("Atlanta, aGA", "geonames:3"), ("Atlanta, G", "geonames:3"), ("Paris, TXx", "geonames:2"),
            ("Paris, XT", "geonames:2"), ("Harlem, N", "geonames:20"),
        ]
    )
    func commasAndCodes(query: String, id: String) {
        #expect(index.search(query).first?.id == id)
    }

    @Test("Two wrong letters are only searched within the country or filter")
    func twoInCountry() {
        #expect(index.search("Mnustre, Germany").first?.id == "geonames:23")
        #expect(index.search("Winsten-Saleem, USA").first?.id == "geonames:24")
        #expect(index.search("Mound Byaoo", options: SearchOptions(countries: ["us"])).first?.id == "geonames:6")
        #expect(index.search("Mound Byaoo", options: SearchOptions(countries: ["fr"])).isEmpty)
    }

    @Test("A misspelling is less certain than the name, two even less")
    func confidence() throws {
        let confidences = try ["Istanbul", "Istambul", "Istambol"]
            .map { try #require(index.search($0).first).confidence }
        #expect(confidences == confidences.sorted(by: >))
        #expect(Set(confidences).count == 3)
    }

    @Test("Every single edit of a longer name finds it with its state")
    func everyEdit() {
        let name = Array("Mound Bayou")
        var missed: [String] = []
        for position in name.indices where name[position] != " " {
            var edits = [name, name, name]
            edits[0].remove(at: position)
            edits[1].insert("x", at: position)
            edits[2][position] = "q"
            if position + 1 < name.count {
                var swapped = name
                swapped.swapAt(position, position + 1)
                edits.append(swapped)
            }
            for edit in edits {
                let query = String(edit) + ", MS"
                if index.search(query).first?.id != "geonames:6" { missed.append(query) }
            }
        }
        #expect(missed == [])
    }
}

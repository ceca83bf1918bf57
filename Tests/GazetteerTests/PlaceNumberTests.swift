import Gazetteer
import GazetteerCompiler
import Testing

@Suite("Numbers of places")
struct PlaceNumberTests {
    @Test("Places sharing a number are all found by it, and each by its own identifier")
    func collisions() throws {
        // Among so many identifiers two are bound to share 31 bits.
        var known: [Int: String] = [:]
        var pair: [String] = []
        for number in 0... {
            let id = "own:t/\(number)"
            if let other = known.updateValue(id, forKey: PlaceNumber.of(id)) {
                pair = [other, id]
                break
            }
        }
        let places = pair.enumerated()
            .map { AddedPlace(id: $1, name: "Twin \($0)", kind: .village, latitude: 30 + Double($0), longitude: 5) }
        let compiled = try GazetteerBuilder.build(
            added: { add in for place in places { try add(place) } },
            sources: Fixture.sources,
            space: .memory
        )
        var builder = AddressBuilder()
        let added = try GazetteerIndex(bytes: GazetteerBytes(try builder.finish(places: compiled, checksum: [1])))
        let search = PlaceSearch(places: try Fixture.index(), addedPlaces: added)
        let number = PlaceNumber.of(pair[0])
        #expect((0...Int(Int32.max)).contains(number))
        #expect(Set(search.matches(number: number).map(\.id)) == Set(pair))
        for (order, id) in pair.enumerated() { #expect(search.match(id: id)?.name == "Twin \(order)") }
        #expect(search.match(id: "geonames:3")?.name == "Atlanta")
        #expect(search.matches(number: PlaceNumber.of("geonames:3")).map(\.id) == ["geonames:3"])
    }
}

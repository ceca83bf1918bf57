import Gazetteer
import GazetteerCompiler
import Geometry
import Synchronization
import Testing

@Suite("Compiled file")
struct FormatTests {
    @Test("Equal tables give equal bytes, with the checksum of the sources inside")
    func deterministic() throws {
        let first = try Fixture.compiled()
        let second = try Fixture.compiled()
        #expect(second == first)
        let index = try GazetteerIndex(bytes: GazetteerBytes(first))
        #expect(index.sourceChecksum == Array(1...32))
        #expect(index.placeCount == 6 + 8 + 3 + 4 + 16 + 2)
        #expect(index.byteCount == first.count)
    }

    @Test("The order of rows does not change an answer")
    func rowOrder() throws {
        var sources = Fixture.sources
        let lines = sources.places.split(separator: 0x0A)
        sources.places = Array((lines.prefix(1) + lines.dropFirst().reversed()).joined(separator: [0x0A])) + [0x0A]
        let turned = try GazetteerIndex(bytes: GazetteerBytes(GazetteerBuilder.build(sources, checksum: [])))
        let index = try Fixture.index()
        for query in ["Paris", "Georgia", "Harlem", "New York", "Fulton County"] {
            #expect(turned.search(query) == index.search(query))
        }
    }

    @Test("A truncated file, or one of another kind or version, is rejected with a message")
    func refused() throws {
        let bytes = try Fixture.compiled()
        for length in 0..<bytes.count {
            #expect(throws: GazetteerError.self) { try GazetteerIndex(bytes: GazetteerBytes(Array(bytes[..<length]))) }
        }
        func code(_ change: (inout [UInt8]) -> Void) -> GazetteerError.Code? {
            var changed = bytes
            change(&changed)
            do {
                _ = try GazetteerIndex(bytes: GazetteerBytes(changed))
                return nil
            } catch {
                return (error as? GazetteerError)?.code
            }
        }
        #expect(code { $0[0] = 0 } == .notAGazetteer)
        #expect(code { $0[8] = 9 } == .unknownVersion)
        #expect(code { $0.append(0) } == .truncated)
        #expect(code { $0[12] = 0 } == .damaged)
    }

    @Test("Damaged bytes give an error or wrong answers, never a crash", arguments: UInt64(0)..<60)
    func damaged(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var bytes = try Fixture.compiled()
        // The later seeds spare the header, so that the damage reaches the readers.
        let start = seed < 20 ? 0 : 296
        for _ in 0..<(1 + Int(random.next() % 400)) {
            let position = start + Int(random.next() % UInt64(bytes.count - start))
            bytes[position] = seed % 2 == 0 ? 0xFF : UInt8(truncatingIfNeeded: random.next())
        }
        guard let index = try? GazetteerIndex(bytes: GazetteerBytes(bytes)) else { return }
        for query in ["Paris", "Atlanta, GA", "New York NY", "74106", "NRW", "Georgia", "Fulton County, Georgia"] {
            _ = index.search(query, options: SearchOptions(limit: 100, near: BoundingBox.world.center))
        }
        for prefix in ["a", "st", "new y", "m"] { _ = index.suggest(prefix, options: SearchOptions(limit: 100)) }
        for _ in 0..<20 {
            let position = Coordinate(wrappingLatitude: random.unit() * 180 - 90, longitude: random.unit() * 360)
            _ = index.reverse(position, options: ReverseOptions(farthestKilometres: 25_000))
        }
    }

    @Test("The caller's memory is released once, after its last use")
    func release() throws {
        let compiled = try Fixture.compiled()
        let released = Counter()
        try compiled.withUnsafeBytes { memory in
            do {
                let bytes = GazetteerBytes(memory: memory) { released.increment() }
                let index = try GazetteerIndex(bytes: bytes)
                #expect(index.search("Paris").count == 2)
                #expect(released.value == 0)
            }
            #expect(released.value == 1)
        }
        #expect(throws: GazetteerError.self) {
            try GazetteerIndex(bytes: GazetteerBytes(memory: UnsafeRawBufferPointer(start: nil, count: 0)) {})
        }
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func increment() { count.withLock { $0 += 1 } }
    }

    @Test("Errors in a table are reported with file and line")
    func mistakes() {
        func message(_ change: (inout GazetteerSources) -> Void) -> String? {
            var sources = Fixture.sources
            change(&sources)
            do {
                _ = try GazetteerBuilder.build(sources, checksum: [])
                return nil
            } catch {
                return "\(error)"
            }
        }
        #expect(message { $0.places = [] } == "places.tsv:1: the table is empty")
        #expect(
            message { $0.states = Array("a\tb\n".utf8) }?.hasPrefix("states.tsv:1: expected the columns id, ") == true
        )
        #expect(message { $0.zipcodes += Array("74107\tTulsa\n".utf8) } == "zipcodes.tsv:4: expected 5 fields, found 2")
        #expect(
            message { $0.zipcodes += Array("74107\tTulsa\tOK\t361\tx\n".utf8) }
                == "zipcodes.tsv:4: field 4 is not a number of degrees from -90 to 90"
        )
        #expect(
            message { $0.zipcodes += Array("-5\tTulsa\tOK\t36\t-95\n".utf8) }
                == "zipcodes.tsv:4: field 1 is not a number from 0 to 99999"
        )
        #expect(
            message { $0.places += Array("9\tX\t1\t1\tQQ\t\t\t0\t\n".utf8) }?.hasPrefix("places.tsv:18: the country QQ")
                == true
        )
    }
}

import Formats
import Gazetteer
import Geometry
import Importing
import Stories
import Testing

@Suite("The table of rows that wait for a place")
struct ReviewTests {
    private static let story = StoryID(high: 1, low: 2)

    private func row(_ title: String = "Hotel", candidates: Int = 2) throws -> ReviewTable.Row {
        var words = PlaceWords()
        (words.street, words.city) = ("12 Broad St", "Springfield")
        let found = try (0..<candidates)
            .map { number in
                PlaceCandidate(
                    label: "Springfield, \(number)",
                    kind: .city,
                    coordinate: try #require(Coordinate(latitude: 39.8 + Double(number), longitude: -89.6)),
                    confidence: 0.4,
                    radius: 5_000
                )
            }
        return ReviewTable.Row(
            row: 7,
            story: Self.story,
            owner: .archive,
            source: "green book",
            sourceID: "=7",
            title: title,
            words: words,
            candidates: found
        )
    }

    /// Returns a table of one row whose cells are changed.
    private func table(_ changes: [String: String], _ row: ReviewTable.Row? = nil) throws -> [UInt8] {
        var reader = CSVReader(ReviewTable.bytes(of: try row ?? self.row()))
        var fields = try #require(try reader.next()).fields
        for (column, value) in changes {
            fields[try #require(ReviewTable.columns.firstIndex(of: column))] = value
        }
        return ReviewTable.header + CSVWriter.row(fields)
    }

    private func choice(_ changes: [String: String]) throws -> ReviewChoice? {
        try ReviewReader(table(changes), fileName: "r.csv").rows.first?.choice
    }

    private func problem(_ changes: [String: String]) throws -> String {
        let bytes = try table(changes)
        do throws(ReviewReader.Failure) {
            _ = try ReviewReader(bytes, fileName: "r.csv")
            return "none"
        } catch {
            return error.problems.map(\.description).joined(separator: "\n")
        }
    }

    @Test("A row comes back with its story, whatever its title begins with")
    func roundTrip() throws {
        let written = ReviewTable.header + ReviewTable.bytes(of: try row("=HYPERLINK(\"x\")"))
        let reading = try ReviewReader(written, fileName: "r.csv")
        let read = try #require(reading.rows.first)
        #expect(read.story == Self.story && read.owner == .archive && read.source == "green book")
        #expect(read.sourceID == "=7")
        #expect(read.choice == .open)
        #expect(reading.header + read.bytes == written)
        #expect(String(decoding: written, as: UTF8.self).contains("'=HYPERLINK"))
        #expect(!String(decoding: written, as: UTF8.self).contains(",=7"))
    }

    @Test("A number, a position, none and nothing are choices")
    func choices() throws {
        guard case .candidate(let place)? = try choice(["choice": "2"]) else {
            Issue.record("no candidate")
            return
        }
        #expect(place.coordinate.latitude == 40.8 && place.kind == .city && place.radius == 5_000)
        #expect(try choice(["choice": " 1.0 "]) != .open)
        #expect(try choice(["choice": "NONE"]) == ReviewChoice.none)
        #expect(try choice(["choice": ""]) == .open)
        #expect(
            try choice(["choice": "33.75, -84.39"])
                == .position(try #require(.init(latitude: 33.75, longitude: -84.39)))
        )
    }

    @Test(
        "A bad edit names row, field and remedy",
        arguments: [
            ("choice", "3", "r.csv:2: choice: there is no candidate 3; choose 1, 2"),
            ("choice", "Springfield", "r.csv:2: choice: \"Springfield\" is not a choice"),
            ("choice", "95.2, 200", "r.csv:2: choice: \"95.2, 200\" is not a choice"),
            ("choice", "39,8", "r.csv:2: choice: \"39,8\" may be one number with a decimal comma"),
            ("choice", "-89.6, 39.8", "r.csv:2: choice: the two values look exchanged; write the latitude first"),
            ("lat_1", "398.0", "r.csv:2: lat_1: was changed"), ("lon_1", "x", "r.csv:2: lon_1: was changed"),
            ("kind_1", "City!", "r.csv:2: kind_1: was changed"), ("metres_1", "-1", "r.csv:2: metres_1: was changed"),
        ]
    )
    func mistakes(column: String, value: String, expected: String) throws {
        var changes = [column: value]
        if column != "choice" { changes["choice"] = "1" }
        let problem = try problem(changes)
        #expect(problem.hasPrefix(expected), "\(problem)")
    }

    @Test("A second choice for a story is rejected, whatever it is; open rows may be repeated")
    func repeated() throws {
        let (first, second) = (try table(["choice": "1"]), try table(["choice": "none"]))
        let both = first + second.dropFirst(ReviewTable.header.count)
        do throws(ReviewReader.Failure) {
            _ = try ReviewReader(both, fileName: "r.csv")
            Issue.record("no problem")
        } catch {
            #expect(
                error.problems.map(\.description)
                    == ["r.csv:3: choice: line 2 has a choice for this story already; remove one of the two"]
            )
        }
        let open = try table([:]).dropFirst(ReviewTable.header.count)
        #expect(try ReviewReader(first + open + open, fileName: "r.csv").rows.count == 3)
    }

    @Test("Semicolons, tabs and a missing mark are read as a spreadsheet program saves them")
    func otherProgram() throws {
        let text = String(decoding: try table(["choice": "1"]).dropFirst(3), as: UTF8.self)
        var reader = CSVReader(Array(text.utf8))
        var lines: [String] = []
        while let record = try reader.next() { lines.append(record.fields.joined(separator: ";")) }
        let rows = try ReviewReader(Array(lines.joined(separator: "\n").utf8), fileName: "r.csv").rows
        #expect(rows.count == 1)
        #expect(rows.first?.choice != .open)
    }

    @Test("A file that is no such table is refused with what to do")
    func other() {
        for text in ["", "title,lat\nA,1\n", "choice,story\n\"1", "choice,story\n\"a\"b,c\n"] {
            #expect(throws: ReviewReader.Failure.self) { try ReviewReader(Array(text.utf8), fileName: "r.csv") }
        }
        #expect(throws: ReviewReader.Failure.self) { try ReviewReader([0xFF, 0xFE, 0x41, 0], fileName: "r.csv") }
    }

    @Test("No bytes crash the reader, and what it reads of a changed table stands in it", arguments: 0..<60)
    func fuzz(seed: Int) throws {
        var generator = SplitMix64(seed: UInt64(seed))
        var bytes = try table(["choice": ["1", "none", "40, -80", ""][seed % 4]])
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            let at = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes[at] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: at)
            default: bytes.insert(Array("\",;\n\r\t1-'".utf8).randomElement(using: &generator) ?? 0, at: at)
            }
        }
        guard let reading = try? ReviewReader(bytes, fileName: "r.csv") else { return }
        let whole = reading.header + reading.rows.flatMap(\.bytes)
        #expect(whole.count <= bytes.count)
        #expect(bytes.starts(with: reading.header))
    }
}

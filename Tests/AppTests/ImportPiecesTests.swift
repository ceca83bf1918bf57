import Importing
import Library
import Storage
import Stories
import Testing

@Suite("Imports in pieces")
struct ImportPiecesTests {
    @Test(
        "A transaction has more rows as long as it is quick, and fewer when it keeps others waiting",
        arguments: [([1, 1, 1, 1, 1], 512), ([30, 30], 64), ([60], 32), ([60, 60, 60, 60], 16), ([1, 60, 1], 128)]
            as [([Int], Int)]
    )
    func size(milliseconds: [Int], rows: Int) {
        var size = PieceSize()
        for time in milliseconds { size.note(.milliseconds(time)) }
        #expect(size.rows == rows)
    }

    @Test("LOC-03 The same file makes the same stories in one transaction and in pieces, also of rows that are known")
    func same() async throws {
        let rows = (1...300)
            .map { "\($0),Letter \($0),\(33 + Double($0) / 400),-84.4,\($0 % 7 == 0 ? "private" : "public")\n" }
        let head = "id,title,lat,lon,privacy\n"
        let first = head + rows.prefix(200).joined()
        let second = head + rows.joined().replacing("Letter 15", with: "Postcard 15")
        var found: [[String]] = []
        for inPieces in [false, true] {
            let fixture = try await ServiceFixture(gazetteer: TwinGazetteer.index.get())
            try await fixture.makeFamilies()
            var options = StoryImporter.Options(owner: try #require(UserID("ana")))
            options.source = "letters"
            for text in [first, second] {
                _ = try await fixture.library.imports.add(
                    reading: Array(text.utf8),
                    fileName: "letters.csv",
                    by: StoryImporter(options: options),
                    inPieces: inPieces
                )
            }
            found.append(
                try await fixture.library.store.read { reader in
                    var lines: [String] = []
                    try reader.forEachStory { story in
                        let location = story.location
                        let names = LocationName.allCases.map { location?.names[$0] ?? "-" }.joined(separator: ",")
                        let derived = (location?.derived ?? []).map(\.rawValue).sorted().joined(separator: ",")
                        lines.append("\(story.sourceID ?? "") \(story.title) \(story.privacy) \(names) \(derived)")
                    }
                    return lines.sorted()
                }
            )
        }
        #expect(found[0] == found[1] && found[0].count == 300)
        #expect(found[1].contains { $0.contains("Georgia") }, "Without a derived name the comparison proves little.")
    }
}

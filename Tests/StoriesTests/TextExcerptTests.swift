import Foundation
import Geometry
import Stories
import Testing

@Suite("Excerpts around words")
struct TextExcerptTests {
    /// Returns an excerpt with its marks in brackets, and dots where it is cut.
    private static func shown(_ text: String, _ words: [String]) -> String? {
        guard let excerpt = TextExcerpt(of: text, marking: words) else { return nil }
        let inside = excerpt.pieces.map { $0.isMarked ? "[\($0.text)]" : $0.text }.joined()
        return (excerpt.isCutBefore ? "…" : "") + inside + (excerpt.isCutAfter ? "…" : "")
    }

    @Test(
        "MAP-09 Marks stand on the text as it is written, though the words were folded",
        arguments: [
            ("The Church of Zoë", ["zoe"], "The Church of [Zoë]"), ("Zoe\u{308}!", ["zoe"], "[Zoe\u{308}]!"),
            ("Straße", ["strasse"], "[Straße]"), ("Straße", ["ass"], "Str[aß]e"), ("Straße", ["sse"], "Stra[ße]"),
            ("O’Neal and ONeal", ["oneal"], "[O’Neal] and [ONeal]"),
            ("St. John's", ["st", "johns"], "[St]. [John's]"), ("a choirboy", ["choir"], "a [choir]boy"),
            ("U.S. Army", ["us"], "[U.S]. Army"), ("banana", ["ana", "nan"], "b[anan]a"),
            // Two Latin letters are marked only where they stand alone.
            ("Savannah, Ga., gave; GA", ["ga"], "Savannah, [Ga]., gave; [GA]"), ("Straße", ["ss"], nil),
            ("G.A. of Aga", ["ga"], "[G.A]. of Aga"), ("一二三", ["二三"], "一[二三]"),
            ("no such word", ["choir"], nil), ("", ["a"], nil), ("anything", [], nil),
            ("e\u{301}e", ["e"], "[e\u{301}e]"),
            ("👩‍🚀 flies", ["flies"], "👩‍🚀 [flies]"),
        ] as [(String, [String], String?)]
    )
    func marks(text: String, words: [String], expected: String?) {
        #expect(TextExcerptTests.shown(text, words) == expected)
    }

    @Test("A long text is cut between words around the first match")
    func cut() throws {
        let text = String(repeating: "before ", count: 40) + "the Église sang " + String(repeating: "after ", count: 60)
        let excerpt = try #require(TextExcerpt(of: text, marking: ["eglise"]))
        #expect(excerpt.isCutBefore && excerpt.isCutAfter)
        #expect(excerpt.text.hasPrefix("before ") && excerpt.text.hasSuffix("after"))
        #expect((120...TextExcerpt.longest).contains(excerpt.text.count))
        let mark = try #require(excerpt.marks.first)
        #expect(Array(excerpt.text.utf16)[mark] == ArraySlice("Église".utf16))
        let end = try #require(TextExcerpt(of: text + "coda", marking: ["coda"]))
        #expect(end.isCutBefore && !end.isCutAfter && end.text.hasSuffix("coda"))
        // Without a space it is cut between characters.
        let long = try #require(TextExcerpt(of: String(repeating: "歌", count: 900) + "鳥", marking: ["鳥"]))
        #expect(long.text.hasSuffix("鳥") && long.text.count == 61)
    }

    @Test("Of any text and any words: a part of the text, in bounds, with marks that match", arguments: UInt64(0)..<6)
    func anything(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let parts = [
            "a", "b", "é", "e\u{301}", "ß", "'", ".", " ", " ", "\n", "\r\n", "&", "9", "か", "\u{3099}", "한",
            "\u{1112}",
            "\u{1161}", "北", "ﬀ", "\u{301}", "\u{200d}", "\u{fe0f}", "👩‍🚀", "🇺🇸", "\u{0}", "𝔸", "ि", "word", "word ",
        ]
        func text(_ count: Int) -> String {
            (0..<count).map { _ in parts[Int.random(in: 0..<parts.count, using: &generator)] }.joined()
        }
        for round in 0..<1_500 {
            let text = text(Int.random(in: 0...(round.isMultiple(of: 5) ? 600 : 40), using: &generator))
            let words = ["a", "ss", "e", "word", "and", "9", "が", "하", "ba", "sse"]
                .filter { _ in Bool.random(using: &generator) }
            guard let excerpt = TextExcerpt(of: text, marking: words) else { continue }
            #expect(text.utf8.contains(Array(excerpt.text.utf8)), "\(text.debugDescription)")
            #expect(excerpt.text.count <= TextExcerpt.longest && !excerpt.marks.isEmpty)
            #expect(excerpt.pieces.map(\.text).joined() == excerpt.text)
            var last = -1
            for mark in excerpt.marks {
                #expect(mark.lowerBound > last && !mark.isEmpty && mark.upperBound <= excerpt.text.utf16.count)
                last = mark.upperBound
                let bounds = [mark.lowerBound, mark.upperBound]
                    .map { String.Index(utf16Offset: $0, in: excerpt.text) }
                // On whole characters, so that no accent is torn off its letter.
                #expect(bounds.allSatisfy { $0 == excerpt.text.endIndex || excerpt.text.indices.contains($0) })
            }
        }
    }

    @Test("LOC-08 A viewer gets excerpts of what is shown to them, and of no name of a place that is not shown exactly")
    func viewers() throws {
        let (ana, ben) = (try #require(UserID("ana")), try #require(UserID("ben")))
        var story = Story(
            id: StoryID(high: 1, low: 1),
            kind: .photo,
            title: "Elm",
            owner: ana,
            createdAt: Timestamp(milliseconds: 0)
        )
        (story.text, story.tags, story.people, story.mentions) = ("Under the elms", ["ELM"], ["Elmo"], ["Elmira"])
        let point = Coordinate(wrappingLatitude: 33.75, longitude: -84.37)
        story.location = StoryLocation(coordinate: point, names: [.address: "12 Elm Street", .city: "Atlanta"])
        func parts(_ viewer: Viewer) -> [String] {
            story.excerpts(marking: ["elm"], for: viewer).map { "\($0.part) \($0.excerpt.text)" }
        }
        let open = ["title Elm", "text Under the elms", "tag ELM", "person Elmo", "mention Elmira"]
        #expect(parts(Viewer(user: ben)) == open + ["place 12 Elm Street"])
        story.location?.precision = .approximate(.tenth)
        #expect(parts(Viewer(user: ben)) == open)
        #expect(parts(Viewer(user: ana)) == open + ["place 12 Elm Street"])
    }
}

import Folding
import Foundation
import Geometry
import Stories
import StoryMap
import TestSupport
import Testing

@Suite("Words in texts")
struct TextIndexTests {
    private static func made(of texts: [SearchableText], memory: Int) -> TextIndex? {
        let builder = TextIndexBuilder(key: testKey, memory: memory, names: names)
        for text in texts { builder.add(text) }
        return builder.index()
    }

    /// A story with its texts, for an oracle that reads all of them.
    private struct Written {
        let story: Story
        let text: SearchableText

        init(_ story: Story, _ generator: inout SplitMix64) {
            self.story = story
            let words = [
                "choir", "choirs", "Über", "ÉGLISE", "一二三", "a", "elm,", "(elm)", "12", "x-ray", "e\u{301}", "O'Neal",
                "St. John’s", "Straße",
            ]
            let gaps = [" ", "\n", "\t", "  ", "\r\n", "\u{a0}", "\u{2003}", " – ", "; "]
            func sentence(_ count: Int) -> String {
                (0..<Int.random(in: 0...count, using: &generator))
                    .map { _ in
                        let word = words[Int.random(in: 0..<words.count, using: &generator)]
                        return word + gaps[Int.random(in: 0..<gaps.count, using: &generator)]
                    }
                    .joined()
            }
            var text = SearchableText(visibilityOf: story)
            (text.title, text.terms, text.mentions, text.body) = (sentence(2), sentence(2), sentence(1), sentence(4))
            if let location = story.location {
                text.places = sentence(2)
                text.point = location.coordinate
            }
            self.text = text
        }

        /// The texts that a viewer may search, by field, folded by other means than the index does.
        func texts(for viewer: Viewer) -> [(TextField, String)] {
            guard story.isVisible(to: viewer) else { return [] }
            var texts: [(TextField, String)] = [
                (.title, text.title), (.terms, text.terms), (.places, text.mentions), (.body, text.body),
            ]
            if let location = story.location, story.precision(for: viewer) == .exact {
                texts += [(.places, text.places), (.places, TextIndexTests.names(location.coordinate, .point))]
            }
            return texts.map { ($0, TextIndexTests.folded($1)) }
        }

        /// The rank by the definition: for each word its best place, `nil` if one is missing.
        func rank(_ words: [String], for viewer: Viewer) -> UInt8? {
            let texts = texts(for: viewer)
            var sum = 0
            for word in words {
                var best: Int?
                for (field, text) in texts {
                    let isCode = word.count == 2 && word.allSatisfy { $0.isASCII && $0.isLetter }
                    for one in text.split(separator: " ") where isCode ? one == word : one.contains(word) {
                        let shape = one == word ? 0 : one.hasPrefix(word) ? 1 : 2
                        best = min(best ?? .max, Int(field.rawValue) * 3 + shape)
                    }
                }
                guard let best else { return nil }
                sum += best
            }
            return UInt8(sum)
        }
    }

    /// The names of places around a point: another one for each hemisphere.
    private static let names: PlaceNames = { point, _ in point.latitude > 0 ? "Fulton County\nGA" : "Choirville" }

    /// A text folded by Foundation.
    private static func folded(_ text: String) -> String {
        let letters = text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
            .replacing("ß", with: "ss").replacing("'", with: "").replacing("’", with: "")
        return String(letters.map { $0.isLetter || $0.isNumber ? $0 : " " })
    }

    private static let questions = [
        ["choir"], ["choirs"], ["hoi"], ["a"], ["e"], ["e", "12"], ["elm", "choir"], ["eglise"], ["二"],
        ["x", "a", "er"],
        ["nowhere"], ["elm", "nowhere"], ["oneal"], ["st", "johns"], ["strasse"], ["fulton"], ["ga"], ["uber", "fult"],
        ["ir"], ["oi", "ga"], ["二三"], ["hoir"],
    ]

    @Test(
        "MAP-09 GEO-04 Two Latin letters are found as a whole word alone, anything else also inside of words",
        arguments: [
            ("ga", "Savannah, Ga.", true), ("ga", "Savannah, GA", true), ("ga", "G.A.", true), ("ga", "gà", true),
            ("ga", "Ga-Adangbe", true), ("ga", "A garden", false), ("ga", "Saga", false),
            ("ga", "Agate, saga, gala", false),
            ("ga", "gaga", false), ("ga", "Georgia", false), ("al", "Alabama", false), ("al", "Mobile AL", true),
            ("us", "U.S. Army", true), ("us", "The bus", false), ("a", "gala", true), ("gal", "gala", true),
            ("ala", "gala", true), ("12", "1912", true), ("a1", "ba12", true), ("二三", "一二三", true),
            ("éé", "lééx", false),
            ("жи", "ежик", true),
        ]
    )
    func codes(word: String, text: String, isFound: Bool) throws {
        let owner = try #require(UserID("ana"))
        let story = Story(
            id: StoryID(high: 1, low: 1),
            kind: .photo,
            title: text,
            owner: owner,
            createdAt: Timestamp(milliseconds: 0)
        )
        let (viewer, searchable) = (Viewer(user: owner), SearchableText(story))
        let words = WordFolder.words(of: word)
        let index = try #require(TextIndex(key: testKey).changed([story.id], to: [searchable]))
        #expect(index.stories(containing: words, viewer: viewer).isEmpty != isFound)
        #expect(index.ranks(of: words, viewer: viewer).isEmpty != isFound)
        let matcher = TextMatcher(words, viewer: viewer) { _, _ in "" }
        #expect((matcher.rank(searchable) != nil) == isFound)
        #expect((TextExcerpt(of: text, marking: words) != nil) == isFound)
    }

    @Test(
        "MAP-09 PRV-02 LOC-08 Results and ranks match a scan of every text the viewer may read, after any changes",
        arguments: [1, 2, 3] as [UInt64]
    )
    func sameAsReading(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var world = StoryWorld(seed: seed, count: 150)
        var written: [StoryID: Written] = [:]
        for story in world.stories { written[story.id] = Written(story, &generator) }
        func made() throws -> TextIndex {
            try #require(TextIndexTests.made(of: written.values.map(\.text), memory: 1 << 20))
        }
        var index = try made()
        for round in 0..<12 {
            for viewer in world.viewers {
                for words in TextIndexTests.questions {
                    let expected = written.compactMapValues { $0.rank(words, for: viewer) }
                    let found = index.stories(containing: words, viewer: viewer)
                    #expect(found == Set(expected.keys), "round \(round), \(words)")
                    #expect(index.ranks(of: words, viewer: viewer) == expected, "round \(round), \(words)")
                    let matcher = TextMatcher(words, viewer: viewer, names: TextIndexTests.names)
                    let one = written.compactMapValues { matcher.rank($0.text) }
                    #expect(one == expected, "round \(round), \(words)")
                }
            }
            #expect(index.count == written.count)
            var changed: Set<StoryID> = []
            for _ in 0..<Int.random(in: 1...30, using: &generator) {
                let known = written.keys.sorted()
                let id = Bool.random(using: &generator) ? known.randomElement(using: &generator) : nil
                let story = world.randomStory(id: id)
                changed.insert(story.id)
                let isGone = Int.random(in: 0..<3, using: &generator) == 0
                written[story.id] = isGone ? nil : Written(story, &generator)
            }
            changed.formUnion(index.rereading(with: changed.count))
            let texts = changed.sorted().compactMap { written[$0]?.text }
            index = try #require(index.changed(changed, to: texts))
            if round == 7 { index = try made() }
        }
    }

    @Test("MAP-09 Substrings are found at every position in texts of every length", arguments: 1...70)
    func places(length: Int) {
        for start in 0..<length {
            for count in 1...min(length - start, 5) {
                var bytes = [UInt8](repeating: 0x2e, count: length)
                for offset in 0..<count { bytes[start + offset] = 0x61 + UInt8(offset) }
                let part = Array(bytes[start..<start + count])
                let found = bytes.withUnsafeBytes { bytes in
                    part.withUnsafeBytes { ByteSearch.first($0, in: bytes, from: 0, to: length) }
                }
                #expect(found == start)
                let missed = bytes.withUnsafeBytes { bytes in
                    part.withUnsafeBytes { ByteSearch.first($0, in: bytes, from: start + 1, to: length) }
                }
                #expect(missed == nil)
            }
        }
    }

    @Test("REL-01 An index that would take too much memory is not built, and skipped texts are reported")
    func memory() throws {
        let story = Story(
            id: StoryID(high: 1, low: 1),
            kind: .photo,
            title: "",
            owner: try #require(UserID("ana")),
            createdAt: Timestamp(milliseconds: 0)
        )
        var text = SearchableText(visibilityOf: story)
        text.body = (0..<5_000).map { "word\($0)" }.joined(separator: " ")
        let other = Story(
            id: StoryID(high: 1, low: 2),
            kind: .photo,
            title: "",
            owner: story.owner,
            createdAt: story.createdAt
        )
        let texts = [text, SearchableText(other)]
        #expect(TextIndexTests.made(of: texts, memory: 50_000) == nil)
        let index = try #require(TextIndexTests.made(of: texts, memory: 1 << 20))
        #expect(index.memory > 50_000 && index.memory < 200_000)
    }

    @Test("Runs stay few while stories change one by one, and the index reports when to rebuild it")
    func runs() throws {
        let owner = try #require(UserID("ana"))
        var index = TextIndex(key: testKey)
        for number in 0..<6_000 as Range<UInt64> {
            let story = Story(
                id: StoryID(high: 9, low: number),
                kind: .photo,
                title: "",
                owner: owner,
                createdAt: Timestamp(milliseconds: 0)
            )
            let reread = index.rereading(with: 1) + [story.id]
            let texts = reread.map { id in
                SearchableText(
                    Story(id: id, kind: .photo, title: "word\(id.low)", owner: owner, createdAt: story.createdAt)
                )
            }
            index = try #require(index.changed(reread, to: texts))
            if number == 3_000 { #expect(!index.isWorn) }
        }
        #expect(index.isWorn && index.runCount < 30, "\(index.runCount)")
        #expect(index.stories(containing: ["word5999"], viewer: Viewer(user: owner)).count == 1)
    }
}

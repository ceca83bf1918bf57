import ArgumentParser
import Foundation
import Geometry
import Stories
import StoryMap

/// `waymark bench words`.
struct WordsBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "words",
        abstract: "Measures the search for words in a synthetic collection: building the index, memory, searches.",
        discussion: """
            The words are made up and as unevenly frequent as those of a language. Each story has a title, a text, a \
            city and the code of a state. Uses one thread, no network and no database. Times are CPU times of this \
            thread, in microseconds unless a name says otherwise; p50 is the median, p99 the 99th percentile.

            Example: waymark bench words --stories 100000
            """
    )

    @Option(parsing: .unconditional, help: "The number of stories, 1000 to 5000000.")
    var stories = 100_000
    @Option(parsing: .unconditional, help: "The number of words in the text of a story, 1 to 1000.")
    var words = 100
    @Option(parsing: .unconditional, help: "The number of searches of each kind, 10 to 10000.")
    var searches = 200
    @Option(parsing: .unconditional, help: "The seed of the collection.")
    var seed: UInt64 = 1
    @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
    var format: BenchFormat?

    func validate() throws {
        guard (1_000...5_000_000).contains(stories) else {
            throw ValidationError("--stories must be 1000 to 5000000.")
        }
        guard (1...1_000).contains(words) else { throw ValidationError("--words must be 1 to 1000.") }
        guard (10...10_000).contains(searches) else { throw ValidationError("--searches must be 10 to 10000.") }
    }

    func run() async throws {
        let world = BenchWorld(count: stories, seed: seed)
        let bench = WordsBench(world: world, words: words, searches: searches)
        let rows = bench.run { Console.remark($0, quiet: false) }
        switch format ?? (isatty(STDOUT_FILENO) == 1 ? .text : .json) {
        case .text: print(BenchRow.table(rows))
        case .json: print(BenchRow.json(rows))
        }
    }
}

/// Measures the index of words.
struct WordsBench {
    let world: BenchWorld
    /// The number of words in a text.
    let words: Int
    /// The number of searches of each kind.
    let searches: Int

    private let vocabulary: [String] = (0..<50_000).map { WordsBench.spelling(of: $0) }
    /// Fifty codes of two letters.
    private static let codes = (0..<50)
        .map { number in "\(WordsBench.consonants[number / 5])\(WordsBench.consonants[number % 5 + 9])" }
    private static let consonants = Array("bdfghklmnprstvz")
    private static let vowels = Array("aeio")

    init(world: BenchWorld, words: Int, searches: Int) {
        (self.world, self.words, self.searches) = (world, words, searches)
    }

    /// Returns a made-up word of at least three letters, another one for each number.
    private static func spelling(of number: Int) -> String {
        let syllables = consonants.count * vowels.count
        var (rest, word) = (number, "")
        repeat {
            let syllable = rest % syllables
            word.append(consonants[syllable / vowels.count])
            word.append(vowels[syllable % vowels.count])
            // One less, so that no number has the word of another with leading zeros.
            rest = rest / syllables - 1
        } while rest >= 0
        return word.count > 2 ? word : word + "n"
    }

    /// Returns a word: the second most frequent occurs half as often as the most frequent, and so on (Zipf).
    private func word(using generator: inout SplitMix64) -> String {
        let rank = exp(generator.unit() * log(Double(vocabulary.count)))
        return vocabulary[min(vocabulary.count, Int(rank)) - 1]
    }

    private func text(_ count: Int, using generator: inout SplitMix64) -> String {
        (0..<count).map { _ in word(using: &generator) }.joined(separator: " ")
    }

    private func searchable(_ number: Int) -> SearchableText? {
        guard var story = world.story(number) else { return nil }
        var generator = SplitMix64(seed: SplitMix64.mix(world.seed ^ 0x77) &+ UInt64(number))
        story.title = text(5, using: &generator)
        story.text = text(words, using: &generator)
        let code = WordsBench.codes[Int(generator.next() % 50)]
        story.location?.names = [.city: word(using: &generator), .state: code.uppercased()]
        return SearchableText(story)
    }

    /// Runs all measurements; `remark` announces each one.
    func run(remark: (String) -> Void) -> [BenchRow] {
        remark("Indexing the words of \(world.count) stories …")
        let key = DigestKey(high: world.seed, low: UInt64(vocabulary.count))
        let builder = TextIndexBuilder(key: key, memory: 1 << 34)
        var (building, size) = (0.0, 0)
        var made: TextIndex?
        for number in 0..<world.count {
            // Making up a text is not part of indexing it.
            guard let text = searchable(number) else { continue }
            size += text.title.utf8.count + text.body.utf8.count + text.places.utf8.count
            building += BenchClock.seconds { builder.add(text) }
        }
        building += BenchClock.seconds { made = builder.index() }
        guard let index = made else { return [] }
        let count = Double(max(1, index.count))
        let rows = [
            BenchRow("words, build", building, unit: "s"),
            BenchRow("words, memory", Double(index.memory) / 1e6, unit: "MB"),
            BenchRow("words, memory a story", Double(index.memory) / count, unit: "bytes"),
            BenchRow("words, text a story", Double(size) / count, unit: "bytes"),
        ]
        remark("Searching …")
        return rows + questions.flatMap { times(of: $0.name, $0.words, in: index) }
    }

    /// The kinds of searches, each with its words.
    private var questions: [(name: String, words: [[String]])] {
        var generator = SplitMix64(seed: world.seed ^ 0x51)
        func draw(_ range: Range<Int>) -> String { vocabulary[Int.random(in: range, using: &generator)] }
        func each(_ words: () -> [String]) -> [[String]] { (0..<searches).map { _ in words() } }
        return [
            ("found nowhere", each { ["x" + draw(0..<vocabulary.count)] }),
            ("one rare", each { [draw(20_000..<vocabulary.count)] }),
            ("one frequent", each { [draw(0..<100)] }),
            ("three letters, anywhere", each { [String(draw(5_000..<vocabulary.count).dropFirst().prefix(3))] }),
            ("code of a state", each { WordsBench.codes.randomElement(using: &generator).map { [$0] } ?? [] }),
            ("two frequent", each { [draw(0..<100), draw(100..<1_000)] }),
            ("frequent and rare", each { [draw(0..<100), draw(20_000..<vocabulary.count)] }),
        ]
    }

    private func times(of name: String, _ questions: [[String]], in index: TextIndex) -> [BenchRow] {
        var found = 0
        let times = questions.map { words in
            BenchClock.seconds { found += index.stories(containing: words, viewer: .anonymous).count }
        }
        let ranked = questions.map { words in
            BenchClock.seconds { _ = index.ranks(of: words, viewer: .anonymous) }
        }
        return [
            BenchRow("words, \(name) (\(found / max(1, questions.count)) found)", seconds: times),
            BenchRow("words, \(name), ranked", seconds: ranked),
        ]
    }
}

import Stories
import StoryMap

extension MapBench {
    /// Measures the text index: building it, its memory, and searches that match no stories, a hundredth of them, and
    /// all of them.
    func words(key: DigestKey) -> [BenchRow] {
        let viewer = StoryQuery(viewer: .anonymous).viewer
        var sum = 0
        let making = BenchClock.seconds {
            for story in world.stories { sum &+= SearchableText(story).title.utf8.count }
        }
        var index: TextIndex?
        let building = BenchClock.seconds {
            let builder = TextIndexBuilder(key: key, memory: 1 << 32)
            for story in world.stories { builder.add(SearchableText(story)) }
            index = builder.index()
        }
        guard let index else { return [] }
        var rows = [
            BenchRow("words, build", max(0, building - making), unit: "s"),
            BenchRow("words, memory a story", Double(index.memory) / Double(max(1, index.count)), unit: "bytes"),
        ]
        for (name, words) in [("found nowhere", ["xylophone"]), ("one in a hundred", ["77"]), ("in all", ["story"])] {
            var found = 0
            let times = (0..<20)
                .map { _ in BenchClock.seconds { found = index.stories(containing: words, viewer: viewer).count } }
            rows.append(BenchRow("words, \(name) (\(found) found)", seconds: times))
            let ranking = (0..<20)
                .map { _ in BenchClock.seconds { found = index.ranks(of: words, viewer: viewer).count } }
            rows.append(BenchRow("words, \(name), ranked", seconds: ranking))
        }
        return rows
    }
}

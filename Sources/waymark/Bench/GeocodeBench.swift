import Gazetteer
import Geometry

/// Measures the geocoder: synthetic queries, keystrokes, the reliability of its confidence, and times.
struct GeocodeBench {
    let index: GazetteerIndex
    let queries: GeocodeQueries

    /// The maximum distance of a correct result, in metres.
    private static let reach = 25_000.0

    /// Runs all measurements; `remark` announces each one.
    func run(remark: (String) -> Void) -> [BenchRow] {
        remark("Made-up queries …")
        let sets: [(String, [GeneratedQuery])] = [
            ("US \"City, ST\"", queries.american(edits: 0, salt: 1)),
            ("US \"City, ST\", one edit", queries.american(edits: 1, salt: 2)),
            ("US \"City, ST\", one edit anywhere", queries.american(edits: 1, isAnywhere: true, salt: 9)),
            ("US \"City, ST\", two edits, eight letters or more", queries.american(edits: 2, shortest: 8, salt: 3)),
            ("world cities over 200,000, bare", queries.world(population: 200_000, edits: 0, salt: 4)),
            ("world cities over 200,000, bare, one edit", queries.world(population: 200_000, edits: 1, salt: 5)),
            ("names in any language, places over 100,000", queries.names(importance: 0.5, salt: 6)),
            ("US names, bare, drawn by population", queries.bare(salt: 7)),
            ("names of places everywhere, bare, drawn evenly", queries.anywhere(salt: 8)),
        ]
        var rows = sets.map { hits($0.0, $0.1) }
        remark("Keystrokes …")
        rows.append(keystrokes("letters typed until in the top 5, world cities over 100,000", country: nil, 100_000))
        rows.append(keystrokes("letters typed until in the top 5, US towns over 50,000", country: "us", 50_000))
        rows += SuggestBench(index: index, queries: queries).rows()
        remark("Confidence …")
        rows += GeocodeCalibration(index: index, queries: queries).rows()
        remark("Times …")
        let exact = queries.american(edits: 0, salt: 21) + queries.world(population: 200_000, edits: 0, salt: 22)
        let wrong = queries.american(edits: 1, salt: 23) + queries.world(population: 200_000, edits: 1, salt: 24)
        rows += times("search, exact", exact.map(\.text)) { _ = index.search($0) }
        rows += times("search, misspelt", wrong.map(\.text)) { _ = index.search($0) }
        rows += times("suggest", prefixes()) { _ = index.suggest($0) }
        rows += reverse()
        return rows
    }

    private func hits(_ name: String, _ queries: [GeneratedQuery]) -> BenchRow {
        var (first, five) = (0, 0)
        for query in queries {
            guard let expected = query.expected else { continue }
            let rank = index.search(query.text)
                .firstIndex { GreatCircle.distance($0.coordinate, expected) <= Self.reach }
            if rank == 0 { first += 1 }
            if rank != nil { five += 1 }
        }
        func share(_ part: Int) -> Double { 100 * Double(part) / Double(max(1, queries.count)) }
        return BenchRow(name, unit: "%", values: [("top1", share(first)), ("top5", share(five))])
    }

    private func keystrokes(_ name: String, country: String?, _ population: Int) -> BenchRow {
        let places = queries.typed(country: country, population: population)
        var (four, six) = (0, 0)
        for place in places {
            let letters = Array(place.name)
            let needed = (1...letters.count)
                .first { count in
                    index.suggest(String(letters.prefix(count))).contains { $0.coordinate == place.coordinate }
                }
            if let needed, needed <= 4 { four += 1 }
            if let needed, needed <= 6 { six += 1 }
        }
        func share(_ part: Int) -> Double { 100 * Double(part) / Double(max(1, places.count)) }
        return BenchRow(name, unit: "%", values: [("in 4", share(four)), ("in 6", share(six))])
    }

    private func prefixes() -> [String] {
        (queries.typed(country: nil, population: 100_000) + queries.typed(country: "us", population: 1_000))
            .enumerated()
            .map { number, place in String(place.name.prefix(1 + number % 8)) }
    }

    private func times(_ name: String, _ texts: [String], _ body: (String) -> Void) -> [BenchRow] {
        for text in texts.prefix(200) { body(text) }
        let seconds = texts.map { text in BenchClock.seconds { body(text) } }
        let rate = Double(texts.count) / max(1e-9, seconds.reduce(0, +))
        return [BenchRow(name, seconds: seconds), BenchRow("\(name), a second", rate.rounded(), unit: "")]
    }

    private func reverse() -> [BenchRow] {
        var generator = SplitMix64(seed: queries.seed)
        let positions = (0..<200_000)
            .map { _ in
                Coordinate(
                    wrappingLatitude: Math.degrees(Math.arcSine(2 * generator.unit() - 1)),
                    longitude: generator.unit() * 360 - 180
                )
            }
        var found = 0
        // Measured a hundred at a time, because a single look-up takes hardly longer than reading the clock.
        let single = stride(from: 0, to: positions.count, by: 100)
            .map { start in
                BenchClock.seconds {
                    for position in positions[start..<min(positions.count, start + 100)]
                    where index.reverse(position) != nil { found += 1 }
                } / 100
            }
        // In blocks, as for a large table: not all labels are in memory at once.
        var letters = 0
        let batch = BenchClock.seconds {
            for start in stride(from: 0, to: positions.count, by: 20_000) {
                let names = index.names(of: Array(positions[start..<min(positions.count, start + 20_000)]))
                for row in 0..<names.count { letters += names.labelBytes(row).count }
            }
        }
        let alone = Double(positions.count) / max(1e-9, single.reduce(0, +) * 100)
        return [
            BenchRow("reverse, evenly over the sphere, means of a hundred", seconds: single),
            BenchRow("reverse, one by one, a second", alone.rounded(), unit: ""),
            BenchRow(
                "reverse, labels in a batch, a second",
                (Double(positions.count) / max(1e-9, batch)).rounded(),
                unit: ""
            ),
        ]
    }
}

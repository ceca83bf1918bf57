import Folding
import Geometry
import Stories

/// An immutable, self-contained part of the index: added stories and removed stories.
///
/// The index is the sum of its segments: a row that removes a story repeats its content from the earlier segment.
final class Segment: Sendable {
    /// The contents of one layer.
    struct Layer: Sendable {
        /// The layer's points in ``Segment/run``.
        var points: Range<Int>
        /// The layer's added stories in ``Segment/layerRows``, newest first.
        var added: Range<Int>
        /// The layer's removed stories.
        var removed: Range<Int>
        /// The sum of the digests of the layer's rows.
        var digest: Digest
        /// The directory of its points' cells, if there are many.
        var directory: CellDirectory?
    }

    /// The strings that rows refer to by number.
    struct Words: Sendable {
        var layers = Interner<VisibilityLayer>()
        var kinds = Interner<StoryKind>()
        var owners = Interner<UserID>()
        var collections = Interner<String>()
        /// The spellings of tags and persons.
        private(set) var terms = Interner<Spelling>()
        /// Tags and persons by their keys, however they are spelled; see ``TermFolding``.
        private(set) var keys = Interner<Term>()
        /// The number in ``keys`` of each spelling.
        private(set) var keysOfTerms: [UInt32] = []
    }

    /// A tag or a person: as spelled, or its key.
    enum Term: Hashable, Sendable {
        case tag(String)
        case person(String)

        /// The text alone.
        var text: String {
            switch self {
            case .tag(let text), .person(let text): text
            }
        }

        /// Whether this is a tag.
        var isTag: Bool { if case .tag = self { true } else { false } }

        /// The key under which all spellings are the same.
        var key: Term {
            switch self {
            case .tag(let text): .tag(TermFolding.key(text))
            case .person(let text): .person(TermFolding.key(text))
            }
        }
    }

    /// A tag or a person as a story spells it, with its key.
    ///
    /// Spellings are compared by their bytes: two that differ only in how accents are encoded would otherwise be one,
    /// and a viewer would see the bytes of whichever story came first.
    struct Spelling: Hashable, Sendable {
        let term: Term
        let key: Term

        static func == (a: Spelling, b: Spelling) -> Bool {
            a.term.isTag == b.term.isTag && a.term.text.utf8.elementsEqual(b.term.text.utf8)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(term.isTag)
            var text = term.text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    let words: Words
    /// Added stories, newest first, then removed ones.
    let rows: [IndexedStory]
    /// The number of rows that add a story.
    let addedCount: Int
    /// The tags and persons of each row, from `termStarts[row]` to `termStarts[row + 1]`.
    let terms: [UInt32]
    let termStarts: [UInt32]
    /// The labels of added rows, from `labelStarts[row]` to `labelStarts[row + 1]`, see ``StoryLabel``.
    let labels: [UInt8]
    let labelStarts: [UInt64]
    /// The placements of each row, from `placementStarts[row]` to `placementStarts[row + 1]`, as positions in the run.
    let placements: [UInt32]
    let placementStarts: [UInt32]
    /// All points, by layer, then in Morton order.
    let run: PointRun
    /// Rows by layer.
    let layerRows: [UInt32]
    /// The positions in ``layerRows`` of added stories of which not all viewers see a place, ascending.
    let unplaced: [UInt32]
    /// The layers by number.
    let layers: [Layer]
    /// The digests of data shown only to viewers who see a row's location more precisely than published.
    private let details: [UInt32: StoryDetails]
    /// The times of rows that some viewers see more precisely than the public.
    let closer: [UInt32: CloserTimes]
    /// The rows in ``closer``, as a set for a fast check: most rows need no further look-up.
    let closerSet: PositionSet
    /// The rows with more precise times, by the layers whose viewers see these times.
    let closerRows: [UInt32: CloserRows]
    /// The facets of the points, if there are many.
    let facets: FacetIndex?
    /// The rows by story id; added rows come first, so that a row that adds a story is found before one that removes
    /// it.
    private let table: StoryTable

    init(
        words: Words,
        rows: [IndexedStory],
        addedCount: Int,
        terms: (values: [UInt32], starts: [UInt32]),
        labels: (bytes: [UInt8], starts: [UInt64]),
        placements: (positions: [UInt32], starts: [UInt32]),
        run: PointRun,
        layerRows: [UInt32],
        layers: [Layer],
        details: [UInt32: StoryDetails],
        closer: [UInt32: CloserTimes]
    ) {
        self.details = details
        self.closer = closer
        var closerSet = PositionSet(count: closer.isEmpty ? 0 : rows.count)
        closerSet.insert(closer.keys)
        self.closerSet = closerSet
        closerRows = Segment.closerRows(closer, rows: rows, addedCount: addedCount)
        self.words = words
        self.rows = rows
        self.addedCount = addedCount
        self.terms = terms.values
        self.termStarts = terms.starts
        self.labels = labels.bytes
        self.labelStarts = labels.starts
        self.placements = placements.positions
        self.placementStarts = placements.starts
        self.run = run
        self.layerRows = layerRows
        unplaced = Segment.unplacedPositions(layerRows, layers, placements: placements, marks: run.marks)
        self.layers = layers.map { layer in
            var layer = layer
            layer.directory = CellDirectory(run.codes, range: layer.points)
            return layer
        }
        table = StoryTable(rows)
        facets = FacetIndex(rows, terms: terms, run: run, words: words)
    }

    /// The size in bytes of everything except points and texts; strings and dictionary slots are not counted.
    var bytes: Int {
        let lists =
            terms.bytes + termStarts.bytes + placements.bytes + placementStarts.bytes + layerRows.bytes
            + unplaced.bytes
        return rows.bytes + lists + layers.bytes + table.bytes + 24 * details.count + closerBytes + (facets?.bytes ?? 0)
    }

    /// Returns the positions in `layerRows` of added stories without a point in their own layer, which all their viewers
    /// would see, if only more exactly.
    private static func unplacedPositions(
        _ layerRows: [UInt32],
        _ layers: [Layer],
        placements: (positions: [UInt32], starts: [UInt32]),
        marks: [Int8]
    ) -> [UInt32] {
        var found: [UInt32] = []
        for layer in layers {
            for position in layer.added {
                let row = Int(layerRows[position])
                let points = placements.positions[Int(placements.starts[row])..<Int(placements.starts[row + 1])]
                if points.contains(where: { layer.points.contains(Int($0)) && marks[Int($0)] > 0 }) { continue }
                found.append(UInt32(position))
            }
        }
        return found
    }

    private var closerBytes: Int {
        (MemoryLayout<CloserTimes>.stride + 4) * closer.count
            + closerRows.values.reduce(0) { $0 + $1.added.bytes + $1.removed.bytes }
    }

    /// Returns the row of a story, preferring the one that adds it, or `nil` if the segment does not contain it.
    func row(of id: StoryID) -> Int? {
        var found: Int?
        forEachRow(of: id) { row in
            found = row
            return false
        }
        return found
    }

    /// Calls `body` with the row that adds a story, then with the one that removes it, until it returns `false`.
    func forEachRow(of id: StoryID, while body: (Int) -> Bool) {
        table.forEachRow(of: id, id: { rows[$0].id }, while: body)
    }

    /// Returns the tags and persons of a row.
    func terms(of row: Int) -> ArraySlice<UInt32> { terms[Int(termStarts[row])..<Int(termStarts[row + 1])] }

    /// Returns the digest of data shown only to viewers who see the row's location more precisely than published.
    func details(of row: Int) -> StoryDetails { details[UInt32(row)] ?? .none }

    /// Returns the layer of a position in the run.
    func layer(ofPosition position: Int) -> UInt32 {
        var low = 0
        var high = layers.count
        // Bisects for the first layer that ends after the position.
        while low < high {
            let middle = (low + high) / 2
            if layers[middle].points.upperBound <= position { low = middle + 1 } else { high = middle }
        }
        return UInt32(low)
    }

    /// Returns the label of a row; empty for a row that removes a story.
    func label(of row: Int) -> ArraySlice<UInt8> { labels[Int(labelStarts[row])..<Int(labelStarts[row + 1])] }

    /// Returns the range of a row's placements in ``placements``.
    func placements(of row: Int) -> Range<Int> { Int(placementStarts[row])..<Int(placementStarts[row + 1]) }
}

extension Segment.Words {
    /// Returns the number of a spelling of a tag or a person, assigning the next one if it is new.
    mutating func intern(_ term: Segment.Term) -> UInt32 {
        // Only a new spelling is folded; spellings are compared by the text alone.
        if let known = terms.number(of: Segment.Spelling(term: term, key: term)) { return known }
        return intern(Segment.Spelling(term: term, key: term.key))
    }

    /// Returns the number of a spelling from another segment, assigning the next one if it is new.
    mutating func intern(_ spelling: Segment.Spelling) -> UInt32 {
        let number = terms.intern(spelling)
        if Int(number) == keysOfTerms.count { keysOfTerms.append(keys.intern(spelling.key)) }
        return number
    }
}

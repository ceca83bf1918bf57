import Geometry
import Stories

/// Collects rows in any order and puts them into a segment.
struct SegmentBuilder {
    private struct Pending {
        let story: IndexedStory
        let terms: Range<Int>
        let placements: Range<Int>
        let label: Range<Int>
        let details: UInt64
    }

    private var words = Segment.Words()
    private var added: [Pending] = []
    private var removed: [Pending] = []
    private var terms: [UInt32] = []
    private var placements: [IndexedPlacement] = []
    private var labels: [UInt8] = []
    private var digests: [Digest] = []
    private var layerDigests: [UInt64] = []
    private let key: DigestKey

    init(key: DigestKey) {
        self.key = key
    }

    var isEmpty: Bool { added.isEmpty && removed.isEmpty }

    mutating func reserve(_ count: Int) {
        added.reserveCapacity(count)
        placements.reserveCapacity(count)
    }

    private mutating func number(of layer: VisibilityLayer) -> UInt32 {
        let number = words.layers.intern(layer)
        if Int(number) == digests.count {
            digests.append(.zero)
            layerDigests.append(key.digest(of: layer))
        }
        return number
    }

    /// Adds a story.
    mutating func add(_ story: Story) {
        let firstTerm = terms.count
        for tag in story.tags { terms.append(words.terms.intern(.tag(tag))) }
        for person in story.people { terms.append(words.terms.intern(.person(person))) }
        let firstPlacement = placements.count
        let published = story.publishedPoint
        for placement in story.mapPlacements {
            let isPublished = placement.layer == story.layer && placement.coordinate == published
            let mark = Int8(placement.weight.signum()) * (isPublished && placement.weight > 0 ? 1 : 2)
            let layer = number(of: placement.layer)
            placements.append(IndexedPlacement(layer: layer, point: placement.coordinate, mark: mark))
        }
        let firstLabel = labels.count
        StoryLabel.append(story, to: &labels)
        let row = IndexedStory(
            id: story.id,
            created: story.createdAt.milliseconds,
            content: key.content(of: story),
            kind: words.kinds.intern(story.kind),
            owner: words.owners.intern(story.owner),
            layer: number(of: story.layer),
            collection: story.collection.map { words.collections.intern($0) } ?? IndexedStory.none,
            first: story.date?.first.daysSince1970 ?? .max,
            last: story.date?.last.daysSince1970 ?? .min
        )
        let pending = Pending(
            story: row,
            terms: firstTerm..<terms.count,
            placements: firstPlacement..<placements.count,
            label: firstLabel..<labels.count,
            details: key.details(of: story)
        )
        added.append(pending)
        sum(pending, isRemoval: false)
    }

    /// Adds a row that takes away an added story as `segment` has it.
    mutating func remove(_ row: Int, of segment: Segment) {
        let pending = copy(row, of: segment, sign: -1)
        removed.append(pending)
        sum(pending, isRemoval: true)
    }

    /// Copies a row as it is; the caller adds the digests with ``addDigests(of:)``.
    mutating func keep(_ row: Int, of segment: Segment) {
        let pending = copy(row, of: segment, sign: 1)
        if row < segment.addedCount { added.append(pending) } else { removed.append(pending) }
    }

    /// Adds the digests of all layers of a segment whose rows were copied.
    mutating func addDigests(of segment: Segment) {
        for (index, layer) in segment.layers.enumerated() {
            // A layer that is not here has lost all its rows, and its digests cancel.
            guard let number = words.layers.number(of: segment.words.layers[UInt32(index)]) else { continue }
            digests[Int(number)] = digests[Int(number)] + layer.digest
        }
    }

    /// Adds the digests of a row to its layers, or subtracts those of the row that a removal takes away.
    private mutating func sum(_ pending: Pending, isRemoval: Bool) {
        let own = Int(pending.story.layer)
        let existence = key.digest(of: pending.story, layer: layerDigests[own])
        digests[own] = isRemoval ? digests[own] - existence : digests[own] + existence
        for placement in placements[pending.placements] {
            let layer = Int(placement.layer)
            let digest = key.digest(
                of: pending.story,
                details: pending.details,
                at: placement.point,
                mark: isRemoval ? -placement.mark : placement.mark,
                layer: layerDigests[layer]
            )
            digests[layer] = isRemoval ? digests[layer] - digest : digests[layer] + digest
        }
    }

    private mutating func copy(_ row: Int, of segment: Segment, sign: Int8) -> Pending {
        let story = segment.rows[row]
        let firstTerm = terms.count
        for term in segment.terms(of: row) { terms.append(words.terms.intern(segment.words.terms[term])) }
        let firstPlacement = placements.count
        for index in segment.placements(of: row) {
            let position = Int(segment.placements[index])
            let layer = number(of: segment.words.layers[segment.layer(ofPosition: position)])
            let mark = segment.run.marks[position] * sign
            placements.append(IndexedPlacement(layer: layer, point: segment.run.points[position], mark: mark))
        }
        let firstLabel = labels.count
        // What is taken away is not shown.
        if sign > 0, row < segment.addedCount { labels.append(contentsOf: segment.label(of: row)) }
        let collection =
            story.collection == IndexedStory.none
            ? IndexedStory.none : words.collections.intern(segment.words.collections[story.collection])
        let indexed = IndexedStory(
            id: story.id,
            created: story.created,
            content: story.content,
            kind: words.kinds.intern(segment.words.kinds[story.kind]),
            owner: words.owners.intern(segment.words.owners[story.owner]),
            layer: number(of: segment.words.layers[story.layer]),
            collection: collection,
            first: story.first,
            last: story.last
        )
        return Pending(
            story: indexed,
            terms: firstTerm..<terms.count,
            placements: firstPlacement..<placements.count,
            label: firstLabel..<labels.count,
            details: segment.details(of: row)
        )
    }
}

extension SegmentBuilder {
    /// Where a placement goes: sorted by layer, then along the Morton curve, then by row.
    private struct Position {
        let layer: UInt32
        let row: UInt32
        let code: UInt64
        let placement: Int

        func isBefore(_ other: Position) -> Bool {
            if layer != other.layer { return layer < other.layer }
            if code != other.code { return code < other.code }
            return row != other.row ? row < other.row : placement < other.placement
        }
    }

    /// Puts everything in order.
    ///
    /// - Complexity: O(*n* log *n*).
    consuming func build() -> Segment {
        added.sort { $0.story.isListed(before: $1.story) }
        removed.sort { $0.story.isListed(before: $1.story) }
        let pending = added + removed
        var rowTerms: [UInt32] = []
        var termStarts: [UInt32] = [0]
        var rowLabels: [UInt8] = []
        rowLabels.reserveCapacity(labels.count)
        var labelStarts: [UInt64] = [0]
        var placementStarts: [UInt32] = [0]
        var positions: [Position] = []
        positions.reserveCapacity(placements.count)
        for (row, item) in pending.enumerated() {
            rowTerms.append(contentsOf: terms[item.terms])
            termStarts.append(UInt32(rowTerms.count))
            rowLabels.append(contentsOf: labels[item.label])
            labelStarts.append(UInt64(rowLabels.count))
            for (offset, index) in item.placements.enumerated() {
                let placement = placements[index]
                let slot = Int(placementStarts[row]) + offset
                let code = MercatorPoint(placement.point).morton
                positions.append(Position(layer: placement.layer, row: UInt32(row), code: code, placement: slot))
            }
            placementStarts.append(UInt32(positions.count))
        }
        let flat = pending.flatMap { placements[$0.placements] }
        positions.sort { $0.isBefore($1) }
        var rowPlacements = [UInt32](repeating: 0, count: positions.count)
        for (index, position) in positions.enumerated() { rowPlacements[position.placement] = UInt32(index) }
        // Of most stories nobody gets more than everybody.
        var details: [UInt32: UInt64] = [:]
        for (row, item) in pending.enumerated() where placements[item.placements].contains(where: { abs($0.mark) > 1 })
        {
            details[UInt32(row)] = item.details
        }
        let (layerRows, layers) = layered(pending.map(\.story.layer), addedCount: added.count, positions: positions)
        return Segment(
            words: words,
            rows: pending.map(\.story),
            addedCount: added.count,
            terms: (rowTerms, termStarts),
            labels: (rowLabels, labelStarts),
            placements: (rowPlacements, placementStarts),
            run: PointRun(
                codes: positions.map(\.code),
                points: positions.map { flat[$0.placement].point },
                rows: positions.map(\.row),
                marks: positions.map { flat[$0.placement].mark }
            ),
            layerRows: layerRows,
            layers: layers,
            details: details
        )
    }

    /// Groups rows and points by layer.
    private func layered(
        _ rowLayers: [UInt32],
        addedCount: Int,
        positions: [Position]
    ) -> (rows: [UInt32], layers: [Segment.Layer]) {
        var addedCounts = [Int](repeating: 0, count: digests.count)
        var removedCounts = addedCounts
        var pointCounts = addedCounts
        for (row, layer) in rowLayers.enumerated() {
            if row < addedCount { addedCounts[Int(layer)] += 1 } else { removedCounts[Int(layer)] += 1 }
        }
        for position in positions { pointCounts[Int(position.layer)] += 1 }
        var layers: [Segment.Layer] = []
        var next = [Int](repeating: 0, count: digests.count)
        var row = 0
        var point = 0
        for index in digests.indices {
            let firstRemoved = row + addedCounts[index]
            let end = firstRemoved + removedCounts[index]
            layers.append(
                Segment.Layer(
                    points: point..<point + pointCounts[index],
                    added: row..<firstRemoved,
                    removed: firstRemoved..<end,
                    digest: digests[index]
                )
            )
            next[index] = row
            row = end
            point += pointCounts[index]
        }
        var layerRows = [UInt32](repeating: 0, count: rowLayers.count)
        for (row, layer) in rowLayers.enumerated() {
            layerRows[next[Int(layer)]] = UInt32(row)
            next[Int(layer)] += 1
        }
        return (layerRows, layers)
    }
}

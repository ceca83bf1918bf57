import Geometry
import Stories

extension SegmentBuilder {
    /// The sort key and index of a row: added ones first, newest first, then removed ones.
    private struct RowKey {
        let isRemoval: Bool
        let created: Int64
        let id: StoryID
        let index: Int

        func isBefore(_ other: RowKey) -> Bool {
            if isRemoval != other.isRemoval { return other.isRemoval }
            return created != other.created ? created > other.created : id < other.id
        }
    }

    /// The sort key of a placement: by layer, then along the Morton curve, then by row.
    private struct Position {
        let layer: UInt32
        let row: UInt32
        let code: UInt64
        let placement: UInt32
        let slot: UInt32

        func isBefore(_ other: Position) -> Bool {
            if layer != other.layer { return layer < other.layer }
            if code != other.code { return code < other.code }
            return row != other.row ? row < other.row : slot < other.slot
        }
    }

    /// The sorted lists of rows.
    private struct Rows {
        var stories: [IndexedStory] = []
        var addedCount = 0
        var terms: [UInt32] = []
        var termStarts: [UInt32] = [0]
        var labels: [UInt8] = []
        var labelStarts: [UInt64] = [0]
        var placementStarts: [UInt32] = [0]
        var details: [UInt32: StoryDetails] = [:]
        var closer: [UInt32: CloserTimes] = [:]
        var positions: [Position] = []
    }

    /// Sorts everything and builds the segment.
    ///
    /// - Complexity: O(*n* log *n*).
    consuming func build() -> Segment {
        var rows = sortedRows()
        rows.positions.sort { $0.isBefore($1) }
        let positions = rows.positions
        var rowPlacements = [UInt32](repeating: 0, count: positions.count)
        for (index, position) in positions.enumerated() { rowPlacements[Int(position.slot)] = UInt32(index) }
        let (layerRows, layers) = layered(rows.stories, addedCount: rows.addedCount, positions: positions)
        return Segment(
            words: words,
            rows: rows.stories,
            addedCount: rows.addedCount,
            terms: (rows.terms, rows.termStarts),
            labels: (rows.labels, rows.labelStarts),
            placements: (rowPlacements, rows.placementStarts),
            run: PointRun(
                codes: positions.map(\.code),
                points: positions.map { placements[Int($0.placement)].point },
                rows: positions.map(\.row),
                marks: positions.map { placements[Int($0.placement)].mark },
                further: furtherMarks(positions)
            ),
            layerRows: layerRows,
            layers: layers,
            details: rows.details,
            closer: rows.closer
        )
    }

    /// Returns the points of stories with further places.
    private func furtherMarks(_ positions: [Position]) -> FurtherMarks {
        guard !further.isEmpty else { return .none }
        var marks: [(position: UInt32, content: FurtherContent)] = []
        for (index, position) in positions.enumerated() {
            let number = placements[Int(position.placement)].further
            guard number != IndexedStory.none else { continue }
            marks.append((UInt32(index), further[Int(number)]))
        }
        return FurtherMarks(marks)
    }

    private func sortedRows() -> Rows {
        var order = pending.enumerated()
            .map { RowKey(isRemoval: $1.isRemoval, created: $1.story.created, id: $1.story.id, index: $0) }
        order.sort { $0.isBefore($1) }
        var rows = Rows()
        rows.stories.reserveCapacity(pending.count)
        rows.terms.reserveCapacity(terms.count)
        rows.termStarts.reserveCapacity(pending.count + 1)
        rows.labels.reserveCapacity(labels.count)
        rows.labelStarts.reserveCapacity(pending.count + 1)
        rows.placementStarts.reserveCapacity(pending.count + 1)
        rows.positions.reserveCapacity(placements.count)
        for (row, key) in order.enumerated() {
            let item = pending[key.index]
            rows.stories.append(item.story)
            if !item.isRemoval { rows.addedCount += 1 }
            rows.terms += terms[termRange(key.index)]
            rows.termStarts.append(UInt32(rows.terms.count))
            rows.labels += labels[labelRange(key.index)]
            rows.labelStarts.append(UInt64(rows.labels.count))
            for index in placementRange(key.index) {
                let placement = placements[index]
                let position = Position(
                    layer: placement.layer,
                    row: UInt32(row),
                    code: MercatorPoint(placement.point).morton,
                    placement: UInt32(index),
                    slot: UInt32(rows.positions.count)
                )
                rows.positions.append(position)
            }
            rows.placementStarts.append(UInt32(rows.positions.count))
            if let details = details[key.index] { rows.details[UInt32(row)] = details }
            if let closer = closer[key.index] { rows.closer[UInt32(row)] = closer }
        }
        return rows
    }

    /// Groups rows and points by layer.
    private func layered(
        _ stories: [IndexedStory],
        addedCount: Int,
        positions: [Position]
    ) -> (rows: [UInt32], layers: [Segment.Layer]) {
        var addedCounts = [Int](repeating: 0, count: digests.count)
        var removedCounts = addedCounts
        var pointCounts = addedCounts
        for (row, story) in stories.enumerated() {
            if row < addedCount { addedCounts[Int(story.layer)] += 1 } else { removedCounts[Int(story.layer)] += 1 }
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
        var layerRows = [UInt32](repeating: 0, count: stories.count)
        for (row, story) in stories.enumerated() {
            layerRows[next[Int(story.layer)]] = UInt32(row)
            next[Int(story.layer)] += 1
        }
        return (layerRows, layers)
    }
}

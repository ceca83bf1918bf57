import Stories

/// What a segment keeps of a placement of a story with further places.
struct FurtherContent: Hashable, Sendable {
    /// The id of the place; ``StoryID/ownLocation`` for the story's own.
    let place: StoryID
    /// The digest of what viewers of the placement are shown of the place.
    let detail: UInt64
    /// Whether it is a further place that makes a fence; it changes only together with what the digest stands for.
    let makesFence: Bool

    /// A placement of the story's own location, whose digest is as without further places.
    static let own = FurtherContent(place: .ownLocation, detail: 0, makesFence: false)
}

/// The points of a run that belong to stories with further places: few, so that other stories cost nothing.
struct FurtherMarks: Sendable {
    /// A point of a story with further places.
    struct Mark: Sendable {
        /// The position in the run.
        let position: UInt32
        /// Whether it is a further place that makes a fence.
        let makesFence: Bool
        /// The id of the place; ``StoryID/ownLocation`` for the story's own.
        let place: StoryID
        /// The digest of what viewers of this point are shown of the place.
        let detail: UInt64

        init(position: UInt32, _ content: FurtherContent) {
            self.position = position
            makesFence = content.makesFence
            place = content.place
            detail = content.detail
        }

        /// What the segment keeps of the placement.
        var content: FurtherContent { FurtherContent(place: place, detail: detail, makesFence: makesFence) }
    }

    /// The points, by position.
    let marks: [Mark]

    /// No points.
    static let none = FurtherMarks(marks: [])

    /// The size of the points in bytes.
    var bytes: Int { marks.bytes }

    var isEmpty: Bool { marks.isEmpty }

    /// Returns the marks with positions in a range.
    func marks(in range: Range<Int>) -> ArraySlice<Mark> {
        marks.isEmpty ? [] : marks[first(from: range.lowerBound)..<first(from: range.upperBound)]
    }

    /// Returns the mark at a position, `nil` if the story there has only its own location.
    func mark(at position: Int) -> Mark? {
        guard !marks.isEmpty else { return nil }
        let index = first(from: position)
        return index < marks.count && Int(marks[index].position) == position ? marks[index] : nil
    }

    /// Returns the id of the place at a position.
    func place(at position: Int) -> StoryID { mark(at: position)?.place ?? .ownLocation }

    /// Returns the marks at some ascending positions, renumbered by their index among these.
    func keeping(_ positions: [UInt32]) -> FurtherMarks {
        guard !marks.isEmpty else { return .none }
        var kept: [Mark] = []
        var next = 0
        for (index, position) in positions.enumerated() {
            while next < marks.count, marks[next].position < position { next += 1 }
            guard next < marks.count else { break }
            guard marks[next].position == position else { continue }
            kept.append(Mark(position: UInt32(index), marks[next].content))
        }
        return FurtherMarks(marks: kept)
    }

    /// Returns the index of the first mark not before a position.
    private func first(from position: Int) -> Int {
        var (low, high) = (0, marks.count)
        while low < high {
            let middle = (low + high) / 2
            if Int(marks[middle].position) < position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

import Geometry
import Stories

/// What a segment keeps of a placement of a story with further places.
struct FurtherContent: Hashable, Sendable {
    /// The id of the place; ``StoryID/ownLocation`` for the story's own.
    let place: StoryID
    /// The digest of what viewers of the placement are shown of the place.
    let detail: UInt64
    /// Whether it is a further place that makes a fence; it changes only together with what the digest stands for.
    let makesFence: Bool
    /// The outline of the fence, or `nil` if it is around a point.
    let outline: Outline?

    /// A placement of the story's own location, whose digest is as without further places.
    static let own = FurtherContent(place: .ownLocation, detail: 0, makesFence: false, outline: nil)
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
    }

    /// A point on a line or an area that makes a fence.
    struct Outlined: Sendable {
        /// The position in the run.
        let position: UInt32
        let outline: Outline
        /// The box around the outline.
        let box: BoundingBox
    }

    /// The points, by position.
    let marks: [Mark]
    /// Those on lines and areas that make fences.
    let outlined: [Outlined]

    /// No points.
    static let none = FurtherMarks([])

    /// Creates the marks of what is kept of placements, by position.
    init(_ contents: [(position: UInt32, content: FurtherContent)]) {
        marks = contents.map { position, content in
            Mark(position: position, makesFence: content.makesFence, place: content.place, detail: content.detail)
        }
        outlined = contents.compactMap { position, content in
            content.outline.map { Outlined(position: position, outline: $0, box: $0.box) }
        }
    }

    /// The size of the points in bytes, with outlines as if no other run shared them.
    var bytes: Int {
        let corners = outlined.reduce(0) { $0 + $1.outline.cornerCount }
        return marks.bytes + outlined.bytes + corners * MemoryLayout<SIMD2<Double>>.stride
    }

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

    /// Returns the line or the area at a position that makes a fence.
    func outline(at position: Int) -> Outline? {
        guard !outlined.isEmpty else { return nil }
        let index = firstOutlined(from: position)
        return index < outlined.count && Int(outlined[index].position) == position ? outlined[index].outline : nil
    }

    /// Returns the lines and areas with positions in a range that make fences, and whose box touches another.
    func outlined(in range: Range<Int>, touching box: BoundingBox) -> [Outlined] {
        guard !outlined.isEmpty else { return [] }
        let range = firstOutlined(from: range.lowerBound)..<firstOutlined(from: range.upperBound)
        return outlined[range].filter { $0.box.touches(box) }
    }

    /// Returns what is kept of the placement at a position, `nil` if the story there has only its own location.
    func content(at position: Int) -> FurtherContent? { mark(at: position).map(content(of:)) }

    private func content(of mark: Mark) -> FurtherContent {
        FurtherContent(
            place: mark.place,
            detail: mark.detail,
            makesFence: mark.makesFence,
            outline: mark.makesFence ? outline(at: Int(mark.position)) : nil
        )
    }

    /// Returns the marks at some ascending positions, renumbered by their index among these.
    func keeping(_ positions: [UInt32]) -> FurtherMarks {
        guard !marks.isEmpty else { return .none }
        var kept: [(position: UInt32, content: FurtherContent)] = []
        var next = 0
        for (index, position) in positions.enumerated() {
            while next < marks.count, marks[next].position < position { next += 1 }
            guard next < marks.count else { break }
            guard marks[next].position == position else { continue }
            kept.append((UInt32(index), content(of: marks[next])))
        }
        return FurtherMarks(kept)
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

    /// Returns the index of the first line or area not before a position.
    private func firstOutlined(from position: Int) -> Int {
        var (low, high) = (0, outlined.count)
        while low < high {
            let middle = (low + high) / 2
            if Int(outlined[middle].position) < position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

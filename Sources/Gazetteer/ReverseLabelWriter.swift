import Geometry

/// Writes the labels of positions: "Sweet Auburn, Atlanta, Georgia".
struct ReverseLabelWriter {
    /// All labels written so far, stored consecutively.
    private(set) var bytes: [UInt8] = []
    private let index: GazetteerIndex
    private var known: [Known]

    /// A cached label.
    private struct Known {
        var settlement = GazetteerFormat.none
        var part = GazetteerFormat.none
        var unit = GazetteerFormat.none
        var isClose = false
        var start = 0
        var count = -1
    }

    /// Creates a writer; up to `remembered` labels, a power of two or zero, are cached to avoid duplicates.
    init(_ index: GazetteerIndex, remembered: Int = 0) {
        self.index = index
        known = [Known](repeating: Known(), count: remembered)
    }

    /// Writes the label of a position that belongs to a settlement, and returns its range in ``bytes``.
    mutating func label(_ setting: ReverseSetting, at point: ReversePoint, water: String?) -> Range<Int> {
        guard !point.isNear else { return near(setting, at: point, water: water) }
        let isClose = point.kilometresOutside <= Float(GazetteerIndex.closeKilometres)
        var mixed = UInt64(point.settlement) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ UInt64(point.part)) &* 0xBF58_476D_1CE4_E5B9
        let slot = Int(truncatingIfNeeded: (mixed ^ mixed >> 32) &+ UInt64(point.unit)) & (known.count - 1)
        guard !known.isEmpty else { return inside(setting, part: point.part) }
        let last = known[slot]
        if last.count >= 0, last.settlement == point.settlement, last.part == point.part, last.unit == point.unit,
            last.isClose == isClose
        {
            return last.start..<(last.start + last.count)
        }
        let written = inside(setting, part: point.part)
        known[slot] = Known(
            settlement: point.settlement,
            part: point.part,
            unit: point.unit,
            isClose: isClose,
            start: written.lowerBound,
            count: written.count
        )
        return written
    }

    /// Writes the settlement, preceded by its part or followed by its city, with its surroundings.
    private mutating func inside(_ setting: ReverseSetting, part: UInt32) -> Range<Int> {
        let settlement = setting.settlement
        let name = index.nameBytes(settlement.number)
        let around = index.nameBytes(setting.region ?? setting.country)
        if part != GazetteerFormat.none, let own = index.place(Int(part)) {
            let bytes = index.nameBytes(own.number)
            if !bytes.elementsEqual(name) { return join(bytes, name, around) }
        }
        if let city = index.place(settlement.city) { return join(name, index.nameBytes(city.number), around) }
        return join(name, index.nameBytes(setting.region), index.nameBytes(setting.country))
    }

    /// Writes "near Sparks, Nevada, United States, 75 km north-east", preceded by the name of the water if there is
    /// one.
    private mutating func near(_ setting: ReverseSetting, at point: ReversePoint, water: String?) -> Range<Int> {
        let start = bytes.count
        let settlement = setting.settlement
        if let water {
            bytes.append(contentsOf: water.utf8)
            bytes.append(contentsOf: Self.comma)
        }
        bytes.append(contentsOf: Self.near)
        _ = join(
            index.nameBytes(settlement.number),
            index.nameBytes(settlement.city),
            index.nameBytes(settlement.admin1),
            index.nameBytes(index.placeNumber(ofCountry: settlement.country))
        )
        let centre = settlement.coordinate
        bytes.append(contentsOf: Self.comma)
        append(Int((GreatCircle.distance(centre, point.coordinate) / 1000).rounded()))
        bytes.append(contentsOf: Self.kilometres)
        bytes.append(
            contentsOf: GazetteerIndex.direction(GreatCircle.bearing(from: centre, to: point.coordinate)).utf8
        )
        return start..<bytes.count
    }

    /// Joins the names of places with commas, the smallest place first; empty names and immediate repetitions are
    /// omitted.
    private mutating func join(
        _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer,
        _ third: UnsafeRawBufferPointer,
        _ fourth: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: first)
        var last = first
        func add(_ name: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
            guard !name.isEmpty, !name.elementsEqual(last) else { return }
            if bytes.count > start { bytes.append(contentsOf: Self.comma) }
            bytes.append(contentsOf: name)
            last = name
        }
        add(second, to: &bytes)
        add(third, to: &bytes)
        add(fourth, to: &bytes)
        return start..<bytes.count
    }

    /// Writes a text as a separate label.
    mutating func label(_ text: String) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        return start..<bytes.count
    }

    private mutating func append(_ number: Int) {
        if number >= 10 { append(number / 10) }
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }

    /// Returns a label as text.
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private static let comma = Array(", ".utf8)
    private static let near = Array("near ".utf8)
    private static let kilometres = Array(" km ".utf8)
}

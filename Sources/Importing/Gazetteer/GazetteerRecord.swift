package import Gazetteer

/// What a file adds to the gazetteer.
package enum GazetteerRecord: Sendable {
    /// A house or a point of a street.
    case address(AddressEntry)
    /// A place.
    case place(AddedPlace)
    /// A further name of a place that another record brings.
    case name(AddedName, place: String)
}

/// A file that cannot be read, in words.
package struct GazetteerFileProblem: Error, Sendable, CustomStringConvertible {
    /// One sentence without a full stop: where in the file, what, and what to do.
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// The rows of a table that could not be used: how many, and why the first of them.
package struct UnusedRows: Sendable, Equatable {
    /// How many are told.
    package static let most = 5

    /// How many there are.
    package private(set) var count = 0
    /// The lines of the first of them, counted from one, and what is wrong with each, without a full stop.
    package private(set) var first: [(line: Int, reason: String)] = []

    /// Creates an empty list.
    package init() {}

    package mutating func add(line: Int, _ reason: String) {
        count += 1
        if first.count < Self.most { first.append((line, reason)) }
    }

    /// Adds those of a further table.
    package mutating func add(_ more: UnusedRows) {
        count += more.count
        first = Array((first + more.first).prefix(Self.most))
    }

    package static func == (left: UnusedRows, right: UnusedRows) -> Bool {
        left.count == right.count && left.first.elementsEqual(right.first) { $0 == $1 }
    }
}

/// Why a row cannot be used, without a full stop.
struct UnusedRow: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// What a table holds, told by its first line.
package enum GazetteerTable: Sendable, Equatable {
    /// Addresses of OpenAddresses: LON, LAT, NUMBER, STREET and more.
    case openAddresses
    /// Places with `name`, `lat` and `lon`.
    case places
    /// The main table of GeoNames: nineteen columns between tabs.
    case geonames
    /// The further names of GeoNames.
    case geonamesNames
    /// The postal codes of GeoNames.
    case geonamesPostcodes
    /// OpenAddresses as GeoJSON, one feature a line.
    case addressFeatures

    /// What is wrong with a row of which nothing comes, without a full stop.
    var refusal: String {
        switch self {
        case .geonames: "it is of no kind that is looked for by name, or has no position"
        case .geonamesNames: "it is no name, but a link or a code"
        case .geonamesPostcodes: "it has no postal code or no position"
        case .addressFeatures, .openAddresses, .places: "it is no point with a street"
        }
    }

    /// Tells by the first line, `nil` if it is none of these.
    package init?(firstLine: String) {
        if firstLine.hasPrefix("{") {
            self = .addressFeatures
            return
        }
        let tabbed = firstLine.split(separator: "\t", omittingEmptySubsequences: false)
        if tabbed.count == 19, Int(tabbed[0]) != nil {
            self = .geonames
        } else if tabbed.count >= 4, tabbed.count <= 10, Int(tabbed[0]) != nil, Int(tabbed[1]) != nil {
            self = .geonamesNames
        } else if tabbed.count == 12, tabbed[0].utf8.count == 2 {
            self = .geonamesPostcodes
        } else {
            let columns = Set(
                firstLine.lowercased().split { ",;\t".contains($0) }
                    .map { $0.filter { !" \"\u{FEFF}\r".contains($0) } }
            )
            if columns.isSuperset(of: ["lon", "lat", "number", "street"]) {
                self = .openAddresses
            } else if columns.contains("name"), !columns.isDisjoint(with: ["lat", "latitude"]),
                !columns.isDisjoint(with: ["lon", "lng", "longitude"])
            {
                self = .places
            } else {
                return nil
            }
        }
    }
}

/// Cuts a stream of bytes into stretches of whole lines.
///
/// A line ends at a line feed that stands in no quotation; where quotations do not matter every line feed ends one.
package struct LineStretches {
    private let source: () throws -> [UInt8]?
    private let quotes: Bool
    private var held: [UInt8] = []
    private var isDone = false
    /// No line may be longer than this, in bytes.
    private static let longest = 8 << 20

    package init(quotes: Bool, _ source: @escaping () throws -> [UInt8]?) {
        self.source = source
        self.quotes = quotes
    }

    /// Returns the next whole lines, `nil` at the end.
    package mutating func next() throws -> [UInt8]? {
        while !isDone {
            guard let piece = try source() else {
                isDone = true
                break
            }
            held += piece
            if let end = lastLineEnd() {
                let stretch = Array(held[...end])
                held = Array(held[(end + 1)...])
                return stretch
            }
            guard held.count < Self.longest else {
                throw GazetteerFileProblem("a line has more than \(Self.longest) bytes, or a quotation is never closed")
            }
        }
        defer { held = [] }
        return held.isEmpty ? nil : held
    }

    private func lastLineEnd() -> Int? {
        guard quotes, held.contains(UInt8(ascii: "\"")) else { return held.lastIndex(of: 0x0A) }
        var isOpen = false
        var last: Int?
        for (index, byte) in held.enumerated() {
            if byte == UInt8(ascii: "\"") { isOpen.toggle() }
            if byte == 0x0A, !isOpen { last = index }
        }
        return last
    }
}

@available(*, unavailable)
extension LineStretches: Sendable {}

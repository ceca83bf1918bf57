package import GazetteerCompiler

/// A record that a file adds to the gazetteer.
package enum GazetteerRecord: Sendable {
    /// A house or a point on a street.
    case address(AddressEntry)
    /// A place.
    case place(AddedPlace)
    /// An additional name for a place in another record.
    case name(AddedName, place: String)
}

/// The reason a file cannot be read, as text.
package struct GazetteerFileProblem: Error, Sendable, CustomStringConvertible {
    /// One sentence without a full stop: the place in the file, the error, and how to fix it.
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// The rows of a table that cannot be used: their number, and the reasons for the first few.
package struct UnusedRows: Sendable, Equatable {
    /// The maximum number of rows reported.
    package static let most = 5

    /// The number of unusable rows.
    package private(set) var count = 0
    /// The first unusable rows: the line, starting at one, and the error without a full stop.
    package private(set) var first: [(line: Int, reason: String)] = []

    /// Creates an empty list.
    package init() {}

    package mutating func add(line: Int, _ reason: String) {
        count += 1
        if first.count < Self.most { first.append((line, reason)) }
    }

    /// Adds the unusable rows of another table.
    package mutating func add(_ more: UnusedRows) {
        count += more.count
        first = Array((first + more.first).prefix(Self.most))
    }

    package static func == (left: UnusedRows, right: UnusedRows) -> Bool {
        left.count == right.count && left.first.elementsEqual(right.first) { $0 == $1 }
    }
}

/// The reason a row cannot be used, without a full stop.
struct UnusedRow: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// The content of a table, identified by its first line.
package enum GazetteerTable: Sendable, Equatable {
    /// OpenAddresses: LON, LAT, NUMBER, STREET and more.
    case openAddresses
    /// Places with `name`, `lat` and `lon`.
    case places
    /// The main table of GeoNames: nineteen tab-separated columns.
    case geonames
    /// The alternate names of GeoNames.
    case geonamesNames
    /// The postal codes of GeoNames.
    case geonamesPostcodes
    /// OpenAddresses as GeoJSON, one feature per line.
    case addressFeatures

    /// The reason a row yields no record, without a full stop.
    var refusal: String {
        switch self {
        case .geonames: "its kind is not searched by name, or it has no position"
        case .geonamesNames: "it is a link or a code, not a name"
        case .geonamesPostcodes: "it has no postal code or no position"
        case .addressFeatures, .openAddresses, .places: "it is not a point with a street"
        }
    }

    /// Identifies a table by its first line; `nil` for any other.
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

/// Splits a byte stream into chunks of whole lines.
///
/// A line ends at a line feed outside quotation marks, or at every line feed if `quotes` is `false`.
package struct LineStretches {
    private let source: () throws -> [UInt8]?
    private let quotes: Bool
    private var held: [UInt8] = []
    private var isDone = false
    /// The maximum size of a line, in bytes.
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
                throw GazetteerFileProblem(
                    "a line has more than \(Self.longest) bytes, or a quotation mark is never closed"
                )
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

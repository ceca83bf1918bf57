/// The uncompressed tables of `geodata/` used to compile a gazetteer.
///
/// All except `areas.bin` are tab-separated text with a header line.
public struct GazetteerSources: Sendable {
    /// `countries.tsv`.
    public var countries: [UInt8]
    /// `states.tsv`: the states of the USA.
    public var states: [UInt8]
    /// `regions.tsv`: the first-level regions of all other countries.
    public var regions: [UInt8]
    /// `counties.tsv`: the counties of the USA.
    public var counties: [UInt8]
    /// `places.tsv`: settlements of all countries.
    public var places: [UInt8]
    /// `zipcodes.tsv`: the ZIP codes of the USA.
    public var zipcodes: [UInt8]
    /// `parts.tsv`: the settlements that are parts of a city; may be empty.
    public var parts: [UInt8]
    /// `community.tsv`: historic and community places; may be empty.
    public var community: [UInt8]
    /// `districts.tsv`: second-level districts outside the USA; may be empty.
    public var districts: [UInt8]
    /// `landforms.tsv`: rivers, lakes, islands, mountains, parks, landmarks and airports; may be empty.
    public var landforms: [UInt8]
    /// `former.tsv`: former names of places and countries with their years; may be empty.
    public var former: [UInt8]
    /// `areas.bin`: outlines of counties, regions and waters; empty for none.
    public var areas: [UInt8]

    /// The names of the tables in the order of the initialiser; in `geodata/`, they end in `.gz`.
    public static let fileNames = [
        "countries.tsv", "states.tsv", "regions.tsv", "counties.tsv", "places.tsv", "zipcodes.tsv", "parts.tsv",
        "community.tsv", "areas.bin", "districts.tsv", "landforms.tsv", "former.tsv",
    ]

    /// Creates the sources from the tables.
    public init(
        countries: [UInt8],
        states: [UInt8],
        regions: [UInt8],
        counties: [UInt8],
        places: [UInt8],
        zipcodes: [UInt8],
        parts: [UInt8] = [],
        community: [UInt8] = [],
        areas: [UInt8] = [],
        districts: [UInt8] = [],
        landforms: [UInt8] = [],
        former: [UInt8] = []
    ) {
        self.countries = countries
        self.states = states
        self.regions = regions
        self.counties = counties
        self.places = places
        self.zipcodes = zipcodes
        self.parts = parts
        self.community = community
        self.areas = areas
        self.districts = districts
        self.landforms = landforms
        self.former = former
    }
}

/// Reads tab-separated rows with a known header.
struct TabbedTable: Sendable {
    let file: String
    let columns: [String]
    let bytes: [UInt8]

    /// One row; its fields are numbered by column.
    struct Row: Sendable {
        let file: String
        let number: Int
        let fields: [ArraySlice<UInt8>]

        /// Returns a field as text.
        func text(_ field: Int) -> String { String(decoding: fields[field], as: UTF8.self) }

        /// Returns the parts of a field between `|`, none if it is empty.
        func list(_ field: Int) -> [String] {
            fields[field].split(separator: UInt8(ascii: "|")).map { String(decoding: $0, as: UTF8.self) }
        }

        /// Parses a field as a non-negative integer.
        func integer(_ field: Int, limit: Int = Int(UInt32.max) - 1) throws -> Int {
            guard let value = Int(text(field)), (0...limit).contains(value) else {
                throw error("field \(field + 1) is not a number from 0 to \(limit)")
            }
            return value
        }

        /// Parses a field as a latitude in degrees.
        func latitude(_ field: Int) throws -> Double { try degrees(field, limit: 90) }

        /// Parses a field as degrees between `-limit` and `limit`.
        func degrees(_ field: Int, limit: Double = 180) throws -> Double {
            guard let value = Double(text(field)), (-limit...limit).contains(value) else {
                throw error("field \(field + 1) is not a number of degrees from \(Int(-limit)) to \(Int(limit))")
            }
            return value
        }

        /// Parses four fields as west, south, east and north.
        func box(_ first: Int) throws -> [Double] {
            [try degrees(first), try latitude(first + 1), try degrees(first + 2), try latitude(first + 3)]
        }

        /// Creates an error about this row.
        func error(_ reason: String) -> GazetteerSourceError {
            GazetteerSourceError(file: file, row: number, reason: reason)
        }
    }

    /// Calls `body` for every row.
    ///
    /// - Throws: ``GazetteerSourceError`` if the header or the number of fields in a row is wrong.
    func forEachRow(_ body: (Row) throws -> Void) throws {
        var number = 0
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.endIndex
            number += 1
            let fields = bytes[start..<end].split(separator: 0x09, omittingEmptySubsequences: false)
            let row = Row(file: file, number: number, fields: fields)
            start = end + 1
            if number == 1 {
                guard fields.indices.map(row.text) == columns else {
                    throw row.error("expected the columns \(columns.joined(separator: ", "))")
                }
                continue
            }
            guard fields.count == columns.count else {
                throw row.error("expected \(columns.count) fields, found \(fields.count)")
            }
            try body(row)
        }
        guard number > 0 else { throw GazetteerSourceError(file: file, row: 1, reason: "the table is empty") }
    }
}

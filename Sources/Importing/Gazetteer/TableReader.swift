import Formats
import Gazetteer
import GazetteerCompiler
import Geometry

/// Reads tables for the gazetteer, row by row, from a byte stream.
package struct TableReader {
    private let table: GazetteerTable
    private let source: () throws -> [UInt8]?
    private let name: String

    /// Creates a reader of one table.
    ///
    /// - Parameters:
    ///   - table: the content of the table.
    ///   - name: the name of the file, which is part of the identifiers of places from a ``GazetteerTable/places``
    ///     table.
    ///   - source: returns the next bytes, `nil` at the end.
    package init(_ table: GazetteerTable, name: String, source: @escaping () throws -> [UInt8]?) {
        self.table = table
        self.name = name
        self.source = source
    }

    /// Passes every record to `emit` and returns the unusable rows.
    package func read(_ emit: (GazetteerRecord) throws -> Void) throws -> UnusedRows {
        switch table {
        case .openAddresses, .places: try readRows(emit)
        case .geonames, .geonamesNames, .geonamesPostcodes: try readTabbed(emit)
        case .addressFeatures: try readFeatures(emit)
        }
    }

    private func readRows(_ emit: (GazetteerRecord) throws -> Void) throws -> UnusedRows {
        var stretches = LineStretches(quotes: true, source)
        var columns: ColumnNames?
        var delimiter: UInt8?
        var unused = UnusedRows()
        var (row, passed) = (0, 0)
        while let stretch = try stretches.next() {
            var reader = CSVReader(stretch, delimiter: delimiter)
            delimiter = reader.delimiter
            while let record = try Self.next(&reader, after: passed) {
                guard let known = columns else {
                    if let problem = ColumnNames.repetition(in: record.fields, line: passed + record.line) {
                        throw problem
                    }
                    columns = ColumnNames(record.fields)
                    continue
                }
                row += 1
                let values = known.values(of: record.fields)
                switch found(values, row: row, isRepaired: record.isRepaired) {
                case .success(let found): try emit(found)
                case .failure(let problem): unused.add(line: passed + record.line, problem.reason)
                }
            }
            passed += Self.lines(stretch)
        }
        return unused
    }

    private static func next(_ reader: inout CSVReader, after lines: Int) throws -> CSVRecord? {
        do {
            return try reader.next()
        } catch {
            throw CSVError(line: lines + error.line, reason: error.reason)
        }
    }

    private static let wrongEncoding = "it is not in UTF-8; save the table as UTF-8"

    private static func lines(_ bytes: [UInt8]) -> Int { bytes.count { $0 == 0x0A } }

    private func found(
        _ values: ColumnNames.Values,
        row: Int,
        isRepaired: Bool
    ) -> Result<GazetteerRecord, UnusedRow> {
        guard !isRepaired else { return .failure(UnusedRow(Self.wrongEncoding)) }
        do throws(UnusedRow) {
            return .success(table == .places ? try place(values, row: row) : try address(values))
        } catch {
            return .failure(error)
        }
    }

    private func address(_ values: ColumnNames.Values) throws(UnusedRow) -> GazetteerRecord {
        let latitude = try values.degrees(["lat"], 90)
        let longitude = try values.degrees(["lon"], 180)
        let street = values.text(["street"])
        guard !street.isEmpty else { throw UnusedRow("it has no street") }
        guard latitude != 0 || longitude != 0 else { throw UnusedRow("its position is 0, 0") }
        let number = values.text(["number"])
        return .address(
            AddressEntry(
                street: Capitals.title(street),
                number: number.isEmpty ? nil : number,
                city: Capitals.title(values.text(["city"])),
                region: values.text(["region"]),
                country: "",
                postcode: values.text(["postcode"]),
                latitude: latitude,
                longitude: longitude
            )
        )
    }

    private func place(_ values: ColumnNames.Values, row: Int) throws(UnusedRow) -> GazetteerRecord {
        let latitude = try values.degrees(["lat", "latitude"], 90)
        let longitude = try values.degrees(["lon", "lng", "longitude"], 180)
        let name = values.text(["name"])
        guard !name.isEmpty else { throw UnusedRow("it has no name") }
        let id = values.text(["id"])
        let kind = values.text(["kind", "type"]).lowercased()
        let population = try Self.population(values)
        return .place(
            AddedPlace(
                id: "own:\(self.name)/\(id.isEmpty ? String(row) : id)",
                name: name,
                kind: KindWord.kind(kind, population: population),
                latitude: latitude,
                longitude: longitude,
                population: population,
                country: values.text(["country", "country_code"]),
                region: values.text(["state", "region", "admin1"]),
                city: values.text(["city"]),
                names: values.text(["aliases", "names"]).split { $0 == ";" || $0 == "|" }
                    .map { AddedName(ColumnNames.trimmed(String($0))) },
                fromYear: Int(values.text(["from_year"])),
                toYear: Int(values.text(["to_year"]))
            )
        )
    }

    /// Returns the population; zero if it is not given.
    private static func population(_ values: ColumnNames.Values) throws(UnusedRow) -> Int {
        let names = ["population", "prominence"]
        let text = values.text(names)
        guard let sign = text.first, "-\u{2212}".contains(sign), text.contains(where: { ("1"..."9").contains($0) })
        else {
            return count(text)
        }
        let column = names.first { values.numbers[$0] != nil } ?? names[0]
        throw UnusedRow("\(column) is negative; leave it empty if it is unknown")
    }

    /// Parses an integer with or without thousands separators; zero if it is invalid.
    private static func count(_ text: String) -> Int {
        let plain = text.filter { !",.'\u{2019}_ \u{A0}\u{202F}".contains($0) }
        // A point may also begin decimals: "1234.0".
        if text.count(where: { $0 == "." }) == 1, let number = DecimalText.number(text),
            text.split(separator: ".").last?.count != 3
        {
            return Int(min(max(0, number), 1e9))
        }
        return max(0, Int(plain) ?? 0)
    }

    private func readTabbed(_ emit: (GazetteerRecord) throws -> Void) throws -> UnusedRows {
        var stretches = LineStretches(quotes: false, source)
        var unused = UnusedRows()
        var number = 0
        while let stretch = try stretches.next() {
            for line in stretch.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast(Self.tail(stretch)) {
                number += 1
                guard let text = String(validating: line, as: UTF8.self) else {
                    unused.add(line: number, Self.wrongEncoding)
                    continue
                }
                let fields = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
                let found: GazetteerRecord? =
                    switch table {
                    case .geonames: GeoNames.place(fields)
                    case .geonamesNames: GeoNames.name(fields)
                    default: GeoNames.postcode(fields)
                    }
                if let found {
                    try emit(found)
                } else if !line.isEmpty {
                    unused.add(line: number, table.refusal)
                }
            }
        }
        return unused
    }

    private func readFeatures(_ emit: (GazetteerRecord) throws -> Void) throws -> UnusedRows {
        var stretches = LineStretches(quotes: false, source)
        var unused = UnusedRows()
        var number = 0
        while let stretch = try stretches.next() {
            for line in stretch.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast(Self.tail(stretch)) {
                number += 1
                guard line.count > 2 else { continue }
                if let found = feature(Array(line)) { try emit(found) } else { unused.add(line: number, table.refusal) }
            }
        }
        return unused
    }

    /// Returns 1 if a chunk ends with a line feed: splitting it then yields an empty piece that is not a line.
    private static func tail(_ stretch: [UInt8]) -> Int { stretch.last == 0x0A ? 1 : 0 }

    private func feature(_ line: [UInt8]) -> GazetteerRecord? {
        guard let json = try? JSONValue(parsing: line, limits: .init(bytes: 1 << 20)) else { return nil }
        let point = json["geometry"]?["coordinates"]?.array?.compactMap(\.number) ?? []
        guard json["geometry"]?["type"]?.string == "Point", point.count >= 2 else { return nil }
        guard abs(point[1]) <= 90, abs(point[0]) <= 180 else { return nil }
        func text(_ name: String) -> String { json["properties"]?[name]?.string ?? "" }
        guard !text("street").isEmpty else { return nil }
        return .address(
            AddressEntry(
                street: Capitals.title(text("street")),
                number: text("number").isEmpty ? nil : text("number"),
                city: Capitals.title(text("city")),
                region: text("region"),
                country: "",
                postcode: text("postcode"),
                latitude: point[1],
                longitude: point[0]
            )
        )
    }
}

@available(*, unavailable)
extension TableReader: Sendable {}

/// The columns of a table by their lower-case names.
struct ColumnNames: Sendable {
    private let numbers: [String: Int]

    init(_ header: [String]) {
        numbers = Dictionary(
            header.enumerated().map { (ColumnNames.trimmed($1).lowercased(), $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// The columns that are read.
    private static let known: Set = [
        "lat", "latitude", "lon", "lng", "longitude", "name", "id", "kind", "type", "population", "prominence",
        "country",
        "country_code", "state", "region", "admin1", "city", "aliases", "names", "from_year", "to_year", "street",
        "number",
        "postcode",
    ]

    /// Returns the error for a header that repeats a column; `nil` if it does not.
    static func repetition(in header: [String], line: Int) -> GazetteerFileProblem? {
        var seen: [String: Int] = [:]
        for (index, text) in header.enumerated() {
            let name = trimmed(text).lowercased()
            guard known.contains(name) else { continue }
            if let first = seen[name] {
                return GazetteerFileProblem(
                    "line \(line) names the column \(name) twice, as columns \(first + 1) and \(index + 1); remove one or "
                        + "give it another name"
                )
            }
            seen[name] = index
        }
        return nil
    }

    struct Values: Sendable {
        let numbers: [String: Int]
        let fields: [String]

        /// Returns the value of the first of these columns that exists, without surrounding spaces.
        func text(_ names: [String]) -> String {
            for name in names {
                if let number = numbers[name], number < fields.count { return ColumnNames.trimmed(fields[number]) }
            }
            return ""
        }

        func degrees(_ names: [String], _ limit: Double) throws(UnusedRow) -> Double {
            let column = names.first { numbers[$0] != nil } ?? names[0]
            let text = text(names)
            guard !text.isEmpty else { throw UnusedRow("\(column) is empty") }
            guard let degrees = DecimalText.number(text) else {
                throw UnusedRow(
                    "\(column) is not a number\(text.contains(",") ? "; write decimals with a point" : "")"
                )
            }
            guard abs(degrees) <= limit else {
                throw UnusedRow("\(column) must be between -\(Int(limit)) and \(Int(limit))")
            }
            return degrees
        }
    }

    func values(of fields: [String]) -> Values { Values(numbers: numbers, fields: fields) }

    static func trimmed(_ text: String) -> String {
        var part = text[...]
        while part.first?.isWhitespace == true { part.removeFirst() }
        while part.last?.isWhitespace == true { part.removeLast() }
        return String(part)
    }
}

/// Converts names written entirely in capitals to title case.
enum Capitals: Sendable {
    static func title(_ text: String) -> String {
        guard text.contains(where: \.isUppercase), !text.contains(where: \.isLowercase) else { return text }
        return text.split(separator: " ")
            .map { word in
                word.first?.isNumber == true || word.count == 1
                    ? word.lowercased() : word.prefix(1) + word.dropFirst().lowercased()
            }
            .map { $0.count == 1 ? $0.uppercased() : String($0) }
            .joined(separator: " ")
    }
}

/// Words for kinds of places in operators' own tables.
enum KindWord: Sendable {
    private static let settlements: Set = [
        "settlement", "hamlet", "locality", "municipality", "community", "place", "",
    ]
    private static let parts: Set = ["suburb", "neighborhood", "quarter", "district", "borough", "area of town"]

    /// Returns the kind for a lower-case word: the kind with this name, else a settlement or a part of one if the word
    /// means that, else a landmark.
    static func kind(_ word: String, population: Int) -> PlaceKind {
        if let known = PlaceKind.allCases.first(where: { $0.name == word }) { return known }
        if settlements.contains(word) { return .added(population: population) }
        return parts.contains(word) ? .neighbourhood : .landmark
    }
}

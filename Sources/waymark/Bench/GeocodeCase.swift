import Formats
import Gazetteer
import Geometry

/// One line of a file of place names with what they mean.
struct GeocodeCase: Sendable {
    let query: String
    let expectedName: String
    let expected: Coordinate?
    let tolerance: Double?
    let country: String
    let admin1: String
    /// The collection it comes from, without the line in it.
    let source: String
    /// forward, forward-context, autocomplete or reverse.
    let kind: String
    let layer: String
    /// Where the one who asks is, or the position to be named.
    let focus: Coordinate?

    /// What counts as a settlement, region or country; the others lie below or between.
    private static let levels: Set = [
        "", "label?", "locality", "localadmin", "region", "country", "county", "dependency",
    ]

    /// Whether it asks for a settlement, a region or a country.
    var isCityOrRegion: Bool { GeocodeCase.levels.contains(layer) || isContext }

    /// Whether it comes from texts rather than from tests of geocoders.
    var isContext: Bool { kind == "forward-context" }

    private static let regions: Set = ["region", "country", "dependency", "ADM1", "PCLI", "PCLD"]

    /// How far off an answer may be, in kilometres: no less than two gazetteers differ about the middle of a place.
    var reach: Double { max(tolerance ?? 0, GeocodeCase.regions.contains(layer) ? 100 : 25) }

    /// Reads a table with the columns of the case file; others may stand between them.
    static func read(_ bytes: [UInt8]) throws -> [GeocodeCase] {
        var reader = CSVReader(bytes, delimiter: UInt8(ascii: ","))
        guard let header = try reader.next() else { throw CommandFailure.usage("The case file is empty.") }
        func column(_ name: String) throws -> Int {
            guard let column = header.fields.firstIndex(of: name) else {
                throw CommandFailure.usage("The case file has no column \(name).")
            }
            return column
        }
        let columns = try [
            "query", "expected_name", "expected_lat", "expected_lon", "tolerance_km", "country", "source", "kind",
            "layer", "expected_admin1", "focus_or_input_lat", "focus_or_input_lon",
        ]
        .map(column)
        var cases: [GeocodeCase] = []
        while let record = try reader.next() {
            let fields = columns.map { $0 < record.fields.count ? record.fields[$0] : "" }
            cases.append(GeocodeCase(fields))
        }
        return cases
    }

    private init(_ fields: [String]) {
        query = fields[0]
        expectedName = fields[1]
        expected = GeocodeCase.coordinate(fields[2], fields[3])
        tolerance = Double(fields[4])
        country = fields[5]
        source = String(fields[6].prefix { !" #".contains($0) }.split(separator: ":").first ?? "")
        kind = fields[7]
        layer = fields[8]
        admin1 = fields[9]
        focus = GeocodeCase.coordinate(fields[10], fields[11])
    }

    private static func coordinate(_ latitude: String, _ longitude: String) -> Coordinate? {
        guard let latitude = Double(latitude), let longitude = Double(longitude) else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }
}

/// Decides whether an answer is what a case expects.
struct GeocodeJudge: Sendable {
    let index: GazetteerIndex

    /// Whether `match` lies where the case says; without a position, whether it has, or lies in what has, the name.
    ///
    /// Strictly means within the case's own tolerance, where it has one.
    func accepts(_ match: GazetteerMatch, _ expectation: GeocodeCase, strictly: Bool = false) -> Bool {
        if let expected = expectation.expected, expectation.kind != "reverse" {
            let reach = (strictly ? expectation.tolerance : nil) ?? expectation.reach
            return GreatCircle.distance(match.coordinate, expected) <= reach * 1_000
        }
        // The country and region that some tables have beside a position are those of other rows.
        if expectation.kind == "reverse" { return isNamed(match, expectation.expectedName) }
        return isNamed(match, expectation.expectedName)
            && (expectation.country.isEmpty || isNamed(match, expectation.country))
            && (expectation.admin1.isEmpty || isNamed(match, expectation.admin1))
    }

    /// Whether a name in any language is that of the place or of something it lies in.
    private func isNamed(_ match: GazetteerMatch, _ name: String) -> Bool {
        let key = NameFolding.key(of: name)
        let names =
            [match.name, match.admin1, match.admin2, match.country].compactMap { $0 }
            + match.label.split(separator: ",").map(String.init)
        if names.contains(where: { NameFolding.key(of: $0) == key }) { return true }
        return index.places(named: name)
            .contains { known in
                if known.id == match.id { return true }
                guard known.countryCode == match.countryCode else { return false }
                return switch known.kind {
                case .country: true
                case .admin1: known.name == match.admin1
                case .county: known.name == match.admin2 && known.admin1 == match.admin1
                default: false
                }
            }
    }

    /// Whether the gazetteer knows a place that the query names and the case accepts.
    func knows(_ expectation: GeocodeCase) -> Bool {
        if expectation.kind == "reverse" {
            guard let position = expectation.focus ?? expectation.expected else { return false }
            return index.places(named: expectation.expectedName)
                .contains { GreatCircle.distance($0.coordinate, position) <= 300_000 }
        }
        let words = NameFolding.words(of: expectation.query)
        for start in words.indices {
            for end in (start + 1)...min(words.count, start + 6) {
                let name = words[start..<end].joined(separator: " ")
                if index.places(named: name).contains(where: { accepts($0, expectation) }) { return true }
            }
        }
        // The query may be a part of the name, or misspelt.
        let beginnings = Set(words.map { $0.prefix(2) })
        guard NameFolding.words(of: expectation.expectedName).contains(where: { beginnings.contains($0.prefix(2)) })
        else { return false }
        return index.places(named: expectation.expectedName).contains { accepts($0, expectation) }
    }
}

import Formats
import Gazetteer
import Geometry

/// One line of a case file: a query and the expected result.
struct GeocodeCase: Sendable {
    let query: String
    let expectedName: String
    let expected: Coordinate?
    let tolerance: Double?
    let country: String
    let admin1: String
    /// The collection it comes from, without the line number.
    let source: String
    /// The kind: forward, forward-context, autocomplete or reverse.
    let kind: String
    let layer: String
    /// The position of the user, or the position to name.
    let focus: Coordinate?

    /// The layers that count as settlements, regions or countries; all other layers are below or between these.
    private static let levels: Set = [
        "", "label?", "locality", "localadmin", "region", "country", "county", "dependency",
    ]

    /// Whether it is a query for a settlement, a region or a country.
    var isCityOrRegion: Bool { GeocodeCase.levels.contains(layer) || isContext }

    /// Whether it comes from a corpus of texts rather than from tests of geocoders.
    var isContext: Bool { kind == "forward-context" }

    private static let regions: Set = ["region", "country", "dependency", "ADM1", "PCLI", "PCLD"]

    /// The maximum distance of a correct result in kilometres, large enough for the different centres that gazetteers
    /// give the same place.
    var reach: Double { max(tolerance ?? 0, GeocodeCase.regions.contains(layer) ? 100 : 25) }

    /// Parses a table with the columns of the case file; additional columns are allowed.
    static func read(_ bytes: [UInt8]) throws -> [GeocodeCase] {
        var reader = CSVReader(bytes, delimiter: UInt8(ascii: ","))
        guard let header = try reader.next() else { throw CommandFailure.usage("The case file is empty.") }
        func column(_ name: String) throws -> Int {
            guard let column = header.fields.firstIndex(of: name) else {
                throw CommandFailure.usage("The case file has no column \(name). --help lists the columns.")
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

/// Decides whether a result matches the expectation of a case.
struct GeocodeJudge: Sendable {
    let index: GazetteerIndex

    /// Returns whether `match` lies at the expected position or, if the case has no position, whether the match or a
    /// place that contains it has the expected name.
    ///
    /// `strictly` applies the case's own tolerance, if it has one.
    func accepts(_ match: GazetteerMatch, _ expectation: GeocodeCase, strictly: Bool = false) -> Bool {
        if let expected = expectation.expected, expectation.kind != "reverse" {
            let reach = (strictly ? expectation.tolerance : nil) ?? expectation.reach
            return GreatCircle.distance(match.coordinate, expected) <= reach * 1_000
        }
        // In some tables, the country and region given with a position belong to other rows, so only the name is
        // compared.
        if expectation.kind == "reverse" { return isNamed(match, expectation.expectedName) }
        return isNamed(match, expectation.expectedName)
            && (expectation.country.isEmpty || isNamed(match, expectation.country))
            && (expectation.admin1.isEmpty || isNamed(match, expectation.admin1))
    }

    /// Returns whether a name in any language is that of the place or of a place that contains it.
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

    /// Returns whether the gazetteer contains a place that the query names and the case accepts.
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
        // The query may be part of the name, or misspelt.
        let beginnings = Set(words.map { $0.prefix(2) })
        guard NameFolding.words(of: expectation.expectedName).contains(where: { beginnings.contains($0.prefix(2)) })
        else { return false }
        return index.places(named: expectation.expectedName).contains { accepts($0, expectation) }
    }
}

import Library
import App
import ArgumentParser
import Foundation
import Gazetteer
import Geometry

/// The filters and preferences for places.
struct PlaceOptions: ParsableArguments {
    @Option(parsing: .unconditional, help: "The maximum number of places, 1 to 50.")
    var limit = 5
    @Option(parsing: .unconditional, help: "LAT,LON: prefer places near this position.")
    var near: String?
    @Option(help: "Only in these countries: names or two-letter codes, separated by commas.")
    var country: String?
    @Option(parsing: .unconditional, help: "Only in this box: west,south,east,north.")
    var bbox: String?
    @Option(help: "The code of the language for names, such as es, if the added data has names in it.")
    var language: String?

    /// Returns the search options for a gazetteer.
    ///
    /// - Throws: ``CommandFailure`` naming the invalid option.
    func search(_ gazetteer: PlaceSearch) throws -> SearchOptions {
        guard (1...50).contains(limit) else { throw CommandFailure.usage("--limit must be between 1 and 50.") }
        var options = SearchOptions(limit: limit)
        options.near = try near.map { text in
            guard let coordinate = Coordinate(parsing: text) else {
                throw CommandFailure.usage("--near must be LAT,LON in degrees.")
            }
            return coordinate
        }
        options.countries = try country.map { try countries($0, gazetteer.places) } ?? []
        options.boundingBox = try bbox.map { try boundingBox($0) }
        options.language = try language.map { code in
            guard LanguageCode.isCode(code) else {
                throw CommandFailure.usage("--language must be the code of a language, such as es.")
            }
            return code
        }
        return options
    }

    private func countries(_ text: String, _ gazetteer: GazetteerIndex) throws -> [String] {
        let names = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        guard !names.isEmpty else {
            throw CommandFailure.usage("--country must be names or codes separated by commas, such as us,Canada.")
        }
        return try names.map { name in
            guard let code = gazetteer.code(ofCountryNamed: name) else {
                throw CommandFailure.usage(
                    "--country: \(excerpt(name)) is no country. Use names or two-letter codes, such as us,Canada."
                )
            }
            return code
        }
    }
}

/// The parts of an address.
struct AddressOptions: ParsableArguments {
    @Option(help: "Instead of a text: a house number and street, or a building.")
    var street: String?
    @Option(help: "Instead of a text: a city, town, village or neighbourhood.")
    var city: String?
    @Option(help: "Instead of a text: a county.")
    var county: String?
    @Option(help: "Instead of a text: a state or region, or its postal code.")
    var state: String?
    @Option(help: "Instead of a text: a postal code.")
    var postcode: String?

    /// The parts, or `nil` if none were given.
    var parts: PlaceParts? {
        let parts = PlaceParts(
            street: street ?? "",
            city: city ?? "",
            county: county ?? "",
            state: state ?? "",
            postalCode: postcode ?? ""
        )
        return parts == PlaceParts() ? nil : parts
    }
}

/// `waymark geocode`.
struct GeocodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "geocode",
        abstract: "Finds places for a text, best first; exits with 3 if there are none.",
        discussion: """
            With --batch, reads a CSV file, adds the columns lat, lon, name, kind and confidence of the best place, \
            and writes the rows in order to standard output or, with --output, to a file; the output of an interrupted \
            run is kept, and the next run continues after it.

            Example: waymark geocode "mound bayou mississippi"
            Example: waymark geocode --batch places.csv --column birthplace --output found.csv
            """
    )

    @Argument(
        parsing: .allUnrecognized,
        help: "The text as typed: a city, \"City, ST\", a ZIP code, a country, a position …"
    )
    var query: [String] = []
    @OptionGroup var address: AddressOptions
    @OptionGroup var places: PlaceOptions
    @Option(parsing: .unconditional, help: "The minimum confidence, 0 to 1.", transform: givenNumber)
    var minConfidence = 0.0
    @Option(
        parsing: .unconditional,
        help: "The year that the text is about, such as 1930: places and names of that time come first."
    )
    var year: Int?
    @Option(help: "A CSV file with one place to look up per row; - is standard input.")
    var batch: String?
    @Option(help: "With --batch: the column with the texts to search for.")
    var column: String?
    @Option(name: .shortAndLong, help: "With --batch: the file to write; by default, and for -, standard output.")
    var output: String?
    @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
    var format: PlaceFormat?
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        guard (0...1).contains(minConfidence) else {
            throw CommandFailure.usage("--min-confidence must be between 0 and 1.")
        }
        guard year.map({ (1...9_999).contains($0) }) ?? true else {
            throw CommandFailure.usage("--year must be between 1 and 9999.")
        }
        let index = try loadPlaceSearch(database)
        var options = try places.search(index)
        options.minimumConfidence = minConfidence
        options.year = year
        let text = try words(query)
        if let batch {
            try await run(batch: batch, text, options, index)
        } else {
            try run(text, options, index)
        }
    }

    private func run(
        batch: String,
        _ text: String,
        _ options: SearchOptions,
        _ index: PlaceSearch
    ) async throws {
        guard text.isEmpty, address.parts == nil else {
            throw CommandFailure.usage("--batch reads the texts to search for from the file; leave out the text.")
        }
        guard let column else {
            throw CommandFailure.usage("--batch needs --column, the column with the texts to search for.")
        }
        let file = output == standardStream ? nil : output
        let job = GeocodeBatch(input: batch, column: column, output: file, options: options)
        let counts = try await job.run(index, bar: ProgressBar(batch, quiet: database.quiet || file == nil))
        Console.remark(
            "\(counted(counts.rows, "row", "rows")) processed, a place found for \(counts.found).",
            quiet: database.quiet
        )
    }

    private func run(_ text: String, _ options: SearchOptions, _ index: PlaceSearch) throws {
        guard column == nil, output == nil else { throw CommandFailure.usage("--column and --output need --batch.") }
        let isBlank = !text.contains { !$0.isWhitespace }
        guard isBlank == (address.parts != nil) else {
            throw CommandFailure.usage(
                isBlank ? "Give a text or parts of an address." : "Give a text or the parts of an address, not both."
            )
        }
        let query = address.parts.map { PlaceQuery(parts: $0, options: options) } ?? PlaceQuery(text, options: options)
        let matches = index.search(query)
        guard !matches.isEmpty else {
            if GazetteerIndex.isImpossiblePosition(text) {
                throw CommandFailure.usage(
                    "\"\(excerpt(text))\" is not a position: the latitude must be -90 to 90, the longitude -180 to 180."
                )
            }
            throw CommandFailure.notFound(
                isBlank ? "Nothing was found." : "Nothing was found for \"\(excerpt(text))\"."
            )
        }
        write(matches, format)
    }
}

/// `waymark suggest`.
struct SuggestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suggest",
        abstract: "Lists the best-known places whose names begin with a text; exits with 3 if there are none.",
        discussion: "Example: waymark suggest \"mound b\""
    )

    @Argument(parsing: .allUnrecognized, help: "The beginning of a name.")
    var prefix: [String]
    @OptionGroup var places: PlaceOptions
    @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
    var format: PlaceFormat?
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        let text = try words(prefix)
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw CommandFailure.usage("Give the beginning of a name, such as \"mound b\".")
        }
        let index = try loadPlaceSearch(database)
        let matches = index.suggest(text, options: try places.search(index))
        guard !matches.isEmpty else { throw CommandFailure.notFound("No name begins with \"\(excerpt(text))\".") }
        write(matches, format)
    }
}

/// Joins the words on the command line into a text; after `--`, they may begin with dashes.
private func words(_ given: [String]) throws -> String {
    let options = given.prefix { $0 != "--" }
    if let option = options.first(where: { $0.hasPrefix("--") }) {
        throw CommandFailure.usage("\(excerpt(option)) is not an option of this command; --help lists the options.")
    }
    return (options + given.dropFirst(options.count + 1)).joined(separator: " ")
}

/// Prints places.
private func write(_ matches: [GazetteerMatch], _ format: PlaceFormat?) {
    switch format ?? (Console.isTerminal ? .text : .json) {
    case .json: Console.write(GazetteerJSON.list(matches) + Array("\n".utf8))
    case .text: for match in matches { Console.line(PlaceText.line(match)) }
    }
}

import ArgumentParser
import Foundation
import Gazetteer
import Geometry
import Importing
import Library
import Stories

/// `waymark bench geocode-import`.
struct GeocodeImportBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "geocode-import",
        abstract: "Hides the positions of files and measures how well an import with --geocode finds them.",
        discussion: """
            Rows need a position and words about their place. A place found counts as wrong if the position lies beyond \
            it: more than 25 km from a city, 2 km from a building or street, outside a county or state.

            Example: waymark bench geocode-import life-histories.csv
            """
    )

    @Argument(help: "The files.")
    var files: [String]
    @Option(help: "The least confidence of a place, 0.5 to 1.")
    var threshold = PlacingRules.defaultThreshold
    @Flag(help: "Also list the rows with wrong places, by file and row.")
    var misses = false
    @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
    var format: BenchFormat?
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        guard (0.5...1).contains(threshold) else {
            throw CommandFailure.usage("--threshold must be between 0.5 and 1.")
        }
        let search = try loadPlaceSearch(database)
        let locator = GazetteerLocator(search)
        let doubts = PlausibilityCheck(outlines: GazetteerOutlines(search.places), locator: locator)
        var rows: [BenchRow] = []
        for file in files {
            guard let bytes = try? contents(of: file) else {
                throw CommandFailure.usage("\(file) cannot be read; check the path and its permissions.")
            }
            let name = URL(fileURLWithPath: file).lastPathComponent
            let test = BlindTest(
                bytes: bytes,
                name: name,
                locator: locator,
                doubts: doubts,
                threshold: threshold
            )
            let outcome = try test.run()
            rows += outcome.rows
            if misses { for line in outcome.misses { Console.error(line) } }
        }
        switch format ?? (isatty(STDOUT_FILENO) == 1 ? .text : .json) {
        case .text: print(BenchRow.table(rows))
        case .json: print(BenchRow.json(rows))
        }
    }
}

/// Finds the places of one file without its positions, and compares.
private struct BlindTest {
    let bytes: [UInt8]
    let name: String
    let locator: GazetteerLocator
    let doubts: PlausibilityCheck
    let threshold: Double

    private static let positions: Set<String> = [
        "lat", "lon", "lat_ref", "lon_ref", "position", "easting", "northing", "utm_zone", "crs", "accuracy",
    ]

    private func options() throws -> StoryImporter.Options {
        guard let owner = UserID("bench") else { throw CommandFailure.failed("There is no user.") }
        var options = StoryImporter.Options(owner: owner)
        options.privacyIsGiven = true
        options.skipsBadRows = true
        return options
    }

    /// Returns the stories of the file by row, at most as many as fit in memory.
    private func read(_ options: StoryImporter.Options) throws -> [Int: ImportedStory] {
        let result = StoryImporter(options: options).read(bytes, fileName: name)
        guard !result.isRefused else {
            throw CommandFailure.usage(result.errorSummary(limit: 1).first ?? "\(name) cannot be read.")
        }
        return Dictionary(result.stories.map { ($0.row, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func run() throws -> (rows: [BenchRow], misses: [String]) {
        let open = try options()
        let opening = ContinuousClock.now
        let truth = try read(open)
        let reading = ContinuousClock.now - opening
        var doubting = open
        doubting.plausibility = doubts
        let checking = ContinuousClock.now
        _ = try read(doubting)
        let more = (ContinuousClock.now - checking - reading) / .milliseconds(1)
        var blind = open
        do throws(ImportProblem) {
            let survey = try ColumnSurvey(bytes, fileName: name, options: open)
            for column in survey.columns where Self.positions.contains(column.field ?? "") {
                blind.columns.ignore(column.name)
            }
        } catch {
            throw CommandFailure.usage(error.description)
        }
        let start = ContinuousClock.now
        _ = try read(blind)
        let plain = ContinuousClock.now - start
        blind.geocoding = RowGeocoding(locator: locator, rules: PlacingRules(threshold: threshold))
        let second = ContinuousClock.now
        let found = try read(blind)
        let seconds = ContinuousClock.now - second
        let (rows, misses) = judged(truth, found, seconds: seconds / .seconds(1), plain: plain / .seconds(1))
        return (rows + [BenchRow("\(name): comparing positions with the map", max(0, more), unit: "ms more")], misses)
    }

    private func judged(
        _ truth: [Int: ImportedStory],
        _ found: [Int: ImportedStory],
        seconds: Double,
        plain: Double
    ) -> (rows: [BenchRow], misses: [String]) {
        var (asked, placed, wrong, areas) = (0, 0, 0, 0)
        var words: Set<PlaceWords> = []
        var misses: [String] = []
        for (row, story) in found.sorted(by: { $0.key < $1.key }) {
            guard let position = truth[row]?.location?.coordinate, let placement = story.placement else { continue }
            asked += 1
            words.insert(placement.words)
            guard let place = placement.place else { continue }
            placed += 1
            if place.precision != .exact { areas += 1 }
            guard !Self.isRight(place, position) else { continue }
            wrong += 1
            let kilometres = Int(GreatCircle.distance(place.coordinate, position) / 1_000)
            misses.append("\(name):\(row): \(place.label) is \(kilometres) km off (\(place.confidence))")
        }
        func percent(_ part: Int, of whole: Int) -> Double { 100 * Double(part) / Double(max(1, whole)) }
        let accuracy = BenchRow(
            "\(name): \(asked) rows, \(words.count) different",
            unit: "%",
            values: [
                ("placed", percent(placed, of: asked)), ("wrong", percent(wrong, of: placed)),
                ("as areas", percent(areas, of: placed)),
            ]
        )
        let rate = Double(found.count) / max(1e-9, seconds)
        let speed = BenchRow(
            "\(name): reading and locating",
            unit: "rows/s",
            values: [
                ("value", rate.rounded()),
                ("without locating", (Double(found.count) / max(1e-9, plain)).rounded()),
            ]
        )
        return ([accuracy, speed], misses)
    }

    private static func isRight(_ place: PlaceCandidate, _ position: Coordinate) -> Bool {
        if place.extent >= .county, let box = place.box {
            return box.expanded(byMetres: 5_000).contains(position)
        }
        let allowed = place.extent <= .street ? 2_000 : max(25_000, 2 * place.radius)
        return GreatCircle.distance(place.coordinate, position) <= allowed
    }
}

import Library
import ArgumentParser
import Gazetteer
import Importing
import Stories

/// When a place found by words gives a story its location.
struct PlacingOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: "The least confidence of a place found by its words, 0.5 to 1.",
        transform: givenNumber
    )
    var threshold = PlacingRules.defaultThreshold
    @Option(help: "The largest place that gives a location: street, settlement, county, state or country.")
    var coarsest = PlaceExtent.county.name
    @Option(help: "Write the stories that were not located to this table, with places to choose from.")
    var review: String?

    /// Returns the rules.
    ///
    /// - Throws: ``CommandFailure`` naming the invalid option.
    func rules() throws -> PlacingRules {
        guard (0.5...1).contains(threshold) else {
            throw CommandFailure.usage("--threshold must be between 0.5 and 1.")
        }
        guard let extent = PlaceExtent.allCases.first(where: { $0.name == coarsest }), extent > .point else {
            throw CommandFailure.usage("--coarsest must be street, settlement, county, state or country.")
        }
        return PlacingRules(threshold: threshold, coarsest: extent)
    }
}

/// How an import finds places by words, and doubts positions.
struct GeocodingOptions: ParsableArguments {
    @Flag(help: "Find places for rows that have no position, from their address, city, county, state and country.")
    var geocode = false
    @Option(help: "Like --geocode, from the words in this column; it counts before all others.")
    var geocodeColumn: String?
    @OptionGroup var placing: PlacingOptions
    @Flag(help: "Reject a file whose positions seem to be wrong, instead of only warning about it.")
    var strict = false

    /// Whether rows are located by their words.
    var isWanted: Bool { geocode || geocodeColumn != nil }

    /// Chooses the column of words.
    ///
    /// - Throws: ``CommandFailure`` naming the invalid option.
    func choose(_ columns: inout ColumnChoices) throws {
        guard let geocodeColumn else { return }
        do throws(ImportProblem) {
            try columns.setPlaceText(geocodeColumn)
        } catch {
            throw CommandFailure.usage("\(error.message).")
        }
    }

    /// Says how many rows wait for review.
    func say(rows: Int, quiet: Bool) {
        guard rows > 0, let path = placing.review else { return }
        let waiting = counted(rows, "row waits", "rows wait")
        let advice =
            "write the number of the right candidate into the column choice, then run 'waymark stories locate "
            + "\(excerpt(path))'"
        Console.remark("\(path): \(waiting) for a place; \(advice).", quiet: quiet)
    }

    /// Lets an import find places and doubt positions; returns the table for review, if one is to be written.
    ///
    /// - Throws: ``CommandFailure`` if an option is invalid, or the place names that it needs are missing.
    func prepare(
        _ options: inout StoryImporter.Options,
        gazetteer: GazetteerIndex?,
        imports: ImportService,
        database: DatabaseOptions
    ) throws -> ReviewFile? {
        let rules = try placing.rules()
        guard let gazetteer else {
            guard !isWanted, !strict else {
                throw CommandFailure.failed(
                    "\(isWanted ? "--geocode" : "--strict") needs the place names, which could not be loaded. 'waymark "
                        + "doctor' says where they are looked for."
                )
            }
            return nil
        }
        options.plausibility = PlausibilityCheck(
            outlines: GazetteerOutlines(gazetteer),
            locator: GazetteerLocator(PlaceSearch(places: gazetteer)),
            isStrict: strict
        )
        guard isWanted else {
            guard placing.review == nil else {
                throw CommandFailure.usage("--review needs --geocode, which finds the places to look at.")
            }
            return nil
        }
        let additions = try GazetteerAdditions.load(beside: database.path)
        let search = PlaceSearch(places: gazetteer, additions: additions)
        options.geocoding = RowGeocoding(locator: GazetteerLocator(search), rules: rules)
        guard let path = placing.review else { return nil }
        let review = try ReviewFile(path: path)
        options.unlocated = { story in
            guard let placement = story.placement else { return }
            review.add(
                ReviewTable.Row(
                    row: story.row,
                    story: imports.storyID(owner: story.owner, source: story.source, sourceID: story.sourceID),
                    owner: story.owner,
                    source: story.source,
                    sourceID: story.sourceID,
                    title: story.title,
                    words: placement.words,
                    candidates: placement.candidates
                )
            )
        }
        return review
    }
}

import Projections
import Stories

/// Validates rows, resulting in stories or problems.
struct StoryValidator {
    let options: StoryImporter.Options
    let file: ImportFile
    private var positions: RowPositions
    /// The row at which each source id first occurred, and the number of its occurrences.
    private var seen: [String: (row: Int, count: Int)] = [:]
    /// How the rows so far write `2001-21` and `1911/12`.
    private var dateHabit = DateHabit()
    /// The rows whose dates can be read in two ways.
    private var ambiguousDates: Set<Int> = []
    private var rowsWithNamesOnly = 0
    private var geocoder: RowGeocoder?
    private var sample: PlausibilitySample?
    private var foreignTypes = 0
    private var foreignFamilies = 0
    /// The kept ids of further places so far, each with its row.
    private var seenPlaces: [StoryID: Int] = [:]
    /// The kinds of stored stories, once a row needs them.
    private var kindsInUse: Set<StoryKind>?

    init(options: StoryImporter.Options, file: ImportFile, projection: Projection?) {
        self.options = options
        self.file = file
        positions = RowPositions(projection: projection, isGiven: options.referenceSystem != nil)
        geocoder = options.geocoding.map { RowGeocoder($0) }
        sample = options.plausibility.map { PlausibilitySample($0) }
    }

    /// Remarks on all rows together.
    var remarks: [ImportProblem] {
        var remarks: [ImportProblem] = []
        if let geocoder {
            if geocoder.left > 0 {
                let message =
                    "\(geocoder.left) of \(geocoder.left + geocoder.located) rows that only name a place were not located; "
                    + (options.geocoding?.remedy ?? "")
                remarks.append(file.warning(message))
            }
        } else if rowsWithNamesOnly > 0 {
            let rows = rowsWithNamesOnly == 1 ? "1 row names" : "\(rowsWithNamesOnly) rows name"
            let message = rows + " a place without coordinates; without them a new story has no location"
            remarks.append(file.warning(message))
        }
        if foreignTypes > 0 {
            let message = "a type that is not a kind of story was ignored (rows: \(foreignTypes))"
            remarks.append(file.warning(message, field: "type"))
        }
        if foreignFamilies > 0 {
            let message =
                "a family that is not one of the owner's was ignored in rows that no family sees (rows: \(foreignFamilies))"
            remarks.append(file.warning(message, field: "family"))
        }
        return remarks
    }

    /// Returns the only family that may see the story of a row; `nil` for all of the owner's families.
    ///
    /// If a family may see something of the story, an unknown name is an error: ignoring it would show the story to all of
    /// the owner's families. Otherwise it is ignored, because the column may hold surnames or the families of plants.
    private mutating func family(_ row: inout ImportRow, _ privacy: Privacy, sharesExact: Bool) -> FamilyID? {
        guard let name = row.record.values[.family] else { return privacy == .familyOnly ? options.family : nil }
        if let family = FamilyID(name), options.ownerFamilies.contains(family) { return family }
        guard privacy == .familyOnly || (privacy == .public && sharesExact) else {
            foreignFamilies += 1
            return nil
        }
        row.record.fail(
            .family,
            "\(row.shown(name)) is not the id of a family of the owner, and without it all of the owner's families would see "
                + "the story; correct it, or give the column another name if it means something else"
        )
        return nil
    }

    /// Returns the story in a row unless it has errors, and the problems of the row.
    mutating func validate(_ record: ImportRecord) -> (story: ImportedStory?, problems: [ImportProblem]) {
        var row = ImportRow(record)
        // If a row could not be read, its fields cannot be interpreted.
        if row.isBad { return (nil, problems(of: row)) }
        let saysPrivacy = record.values[.privacy] != nil || record.values[.isPublic] != nil
        if !saysPrivacy {
            let given = options.privacyIsGiven ? options.privacy : nil
            RowPrivacy.check(&row.record, given: given, on: options.today)
        }
        let (title, longTitle) = row.title()
        let (location, placement) = location(&row)
        let isConfirmed = row.isTrue(.locationConfirmed)
        let privacy = row.privacy() ?? options.privacy
        let further = furtherPlaces(&row, hasLocation: location != nil)
        let places = row.places(further, withExtent: positions.shape, of: location, isConfirmed: isConfirmed)
        let family = family(&row, privacy, sharesExact: location?.familySeesExact == true)
        let kind = kind(&row)
        let (date, isAmbiguous) = row.date(of: kind, notAfter: options.today, habit: &dateHabit)
        if isAmbiguous, date != nil { ambiguousDates.insert(record.row) }
        let story = ImportedStory(
            row: record.row,
            source: options.source ?? file.baseName,
            sourceID: sourceID(&row),
            owner: options.owner,
            kind: kind,
            privacy: privacy,
            family: family,
            title: title,
            text: row.text(after: longTitle),
            date: date,
            tags: row.list(.tags),
            people: row.list(.people),
            mentions: row.list(.mentions),
            collection: row.line(.collection, limit: StoryLimits.nameLength),
            mediaURL: row.url(.mediaURL),
            thumbnailURL: row.url(.thumbnailURL),
            alt: row.line(.alt, limit: StoryLimits.altLength),
            location: location,
            places: places,
            isLocationConfirmed: isConfirmed && placement == nil,
            kept: options.keepsIDs ? row.keptIdentity() : nil,
            keptPlacement: placement.map { Kept.value($0) }
        )
        if !row.isBad, geocoder != nil, let placement, placement.place == nil { options.unlocated?(story) }
        return (row.isBad ? nil : story, problems(of: row))
    }

    /// The numbers of rows that were located by their words, and that were not.
    var locatedRows: (located: Int, unlocated: Int) { (geocoder?.located ?? 0, geocoder?.left ?? 0) }

    /// Returns whether the date of a story can be read in two ways, so that it waits for the other rows.
    func isDateAmbiguous(_ story: ImportedStory) -> Bool { ambiguousDates.contains(story.row) }

    /// Reads dates such as `2001-21` and `1911/12` as the other rows of the column suggest, and returns a warning for each.
    func settleDates(of stories: inout [ImportedStory]) -> [ImportProblem] {
        guard !ambiguousDates.isEmpty else { return [] }
        var remarks: [ImportProblem] = []
        for index in stories.indices where isDateAmbiguous(stories[index]) {
            guard let text = stories[index].date?.text, let doubt = DateHabit.Doubt(text) else { continue }
            var second = dateHabit.secondNumber(of: text, doubt)
            // A month that is still to come was meant for a year.
            let kind = stories[index].kind
            if second == .month, isFuture(text, second, kind) { second = .year }
            // Nor were years of which the last ones are.
            if doubt == .month, second == .year, endsLater(text), !isFuture(text, .month, kind) { second = .month }
            stories[index].date = DateReading(text, secondNumber: second).date(of: text)
            let message = "\"\(text)\" \(doubt.explanation(second))"
            remarks.append(file.warning(message, row: stories[index].row, field: "date"))
        }
        return remarks
    }

    /// Returns whether a text, read as years, ends after this year.
    private func endsLater(_ text: String) -> Bool {
        guard let today = options.today, let last = DateReading(text, secondNumber: .year).date(of: text)?.last else {
            return false
        }
        return last != .latest && last.components.year > today.components.year
    }

    private func isFuture(_ text: String, _ second: DateReading.SecondNumber?, _ kind: StoryKind) -> Bool {
        guard let today = options.today, let date = DateReading(text, secondNumber: second).date(of: text) else {
            return false
        }
        return StoryLimits.isFuture(date, of: kind, on: today)
    }

    private func problems(of row: ImportRow) -> [ImportProblem] {
        row.record.problems.map { problem in
            ImportProblem(
                file: file.name,
                row: row.record.row,
                field: problem.field.map { $0.rawValue + problem.member },
                severity: problem.severity,
                message: problem.message
            )
        }
    }

    /// Returns the row's own id, or a digest of its content; repeated ids get `#2`, `#3` and so on.
    private mutating func sourceID(_ row: inout ImportRow) -> String {
        let given = row.line(.id, limit: StoryLimits.nameLength - 16)
        let base = given ?? row.record.digest.hexadecimal
        guard var first = seen[base] else {
            seen[base] = (row.record.row, 1)
            return base
        }
        var id: String
        repeat {
            first.count += 1
            id = "\(base)#\(first.count)"
        } while seen[id] != nil
        seen[base] = first
        seen[id] = (row.record.row, 1)
        if given != nil {
            if options.keepsIDs {
                row.record.fail(.id, "row \(first.row) has the same id")
            } else {
                row.record.warn(
                    .id,
                    "row \(first.row) has the same id; this row is imported as a separate story, \(id)"
                )
            }
        }
        return id
    }

    /// Returns the places of a row besides its location, whose ids occur once in the file.
    private mutating func furtherPlaces(_ row: inout ImportRow, hasLocation: Bool) -> [ImportedPlace] {
        let places = row.furtherPlaces(options, hasLocation: hasLocation)
        for id in places.compactMap(\.keptID) {
            if let first = seenPlaces.updateValue(row.record.row, forKey: id) {
                row.record.fail(.places, "row \(first) has a place with the same id")
            }
        }
        return places
    }

    /// Returns whether a row may have this kind, which is spelled exactly.
    private mutating func acceptsKind(_ kind: StoryKind) -> Bool {
        if options.kinds.allowsNew || options.knownKinds.contains(kind) { return true }
        if kindsInUse == nil { kindsInUse = options.kinds.inUse?() ?? [] }
        return kindsInUse?.contains(kind) ?? false
    }

    private mutating func kind(_ row: inout ImportRow) -> StoryKind {
        if let name = row.line(.kind, limit: StoryLimits.nameLength) {
            // An operator's own kind must be spelled exactly; other spellings are accepted only for known kinds,
            // because the column may have a different meaning.
            if let kind = StoryKind(name), acceptsKind(kind) { return kind }
            if let kind = StoryKind(ImportField.normalized(name)), options.knownKinds.contains(kind) { return kind }
            row.record.fail(.kind, options.kinds.refusal(of: name, shown: row.shown(name), known: options.knownKinds))
        } else if let name = row.record.values[.type] {
            if let kind = StoryKind(ImportField.normalized(name)), options.knownKinds.contains(kind) { return kind }
            foreignTypes += 1
        }
        return options.kind
    }
}

// Places.
extension StoryValidator {
    /// Doubts about the positions of the whole file.
    func doubts() -> [ImportProblem] {
        guard let sample, let isStrict = options.plausibility?.isStrict else { return [] }
        return sample.findings()
            .map { finding in
                isStrict
                    ? file.error(finding.message, row: finding.row, field: "lat")
                    : file.warning(finding.message, row: finding.row, field: "lat")
            }
    }

    /// Returns the location of a row, and the words that say where it is if nothing else does.
    private mutating func location(_ row: inout ImportRow) -> (StoryLocation?, RowPlacement?) {
        let names = row.placeNames()
        let precision = row.precision()
        let source = row.locationSource() ?? options.locationSource
        let coordinate = positions.coordinate(&row)
        // After the coordinate: a square of a grid says how accurate it is.
        let accuracy = row.accuracy()
        if sample?.isWanted == true, coordinate != nil || positions.raw != nil {
            sample?.add(row.record.row, coordinate, positions.raw, words: row.placeWords())
        } else {
            sample?.skip()
        }
        guard let coordinate else {
            if !names.isEmpty, !row.isBad { rowsWithNamesOnly += 1 }
            return placed(row, names: names, precision: precision, isExtracted: source == .aiExtracted)
        }
        let location = StoryLocation(
            coordinate: coordinate,
            source: source,
            accuracy: accuracy,
            precision: precision,
            familySeesExact: row.isTrue(.familySeesExact),
            showsExactTimes: row.record.values[.datePrecision] == "exact",
            names: names
        )
        return (location, nil)
    }

    /// Returns the location that the words of a row give it, if there is one, and the words.
    private mutating func placed(
        _ row: ImportRow,
        names: [LocationName: String],
        precision: LocationPrecision,
        isExtracted: Bool
    ) -> (StoryLocation?, RowPlacement?) {
        if row.isBad { return (nil, nil) }
        let words = row.placeWords()
        if words.isEmpty { return (nil, nil) }
        var placement = RowPlacement(words: words)
        placement.precision = precision
        placement.familySeesExact = row.isTrue(.familySeesExact)
        placement.isExtracted = isExtracted
        geocoder?.locate(&placement)
        return (placement.location(names: names), placement)
    }
}

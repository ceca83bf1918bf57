import Formats
import Geometry
import Stories

/// Turns the body of a request into changes of a story; its shape has been checked against ``StorySchemas`` before.
struct StoryInput: Sendable {
    let body: JSONValue
    /// The families the owner belongs to: a story can be given to no other.
    let ownerFamilies: Set<FamilyID>

    /// Applies the members that the body has to `story`.
    ///
    /// A member that is null clears the field. `location` is given apart because names may have to be derived.
    ///
    /// - Throws: ``Problem`` with one error for every field that cannot be understood; `story` is then to be discarded.
    func apply(to story: inout Story) throws {
        var problems: [FieldProblem] = []
        func text(_ name: String, _ set: (String?) -> Void) {
            if let value = body[name] { set(value.string.flatMap { $0.isEmpty ? nil : $0 }) }
        }
        func list(_ name: String, _ set: ([String]) -> Void) {
            if let value = body[name] { set(StoryInput.distinct(value.array?.compactMap(\.string) ?? [])) }
        }
        if let title = body["title"]?.string {
            if let problem = StoryInput.lineProblem(title, "title") {
                problems.append(problem)
            } else if title.allSatisfy(\.isWhitespace) {
                problems.append(FieldProblem(field: "title", message: "must not be blank"))
            }
            story.title = title
        }
        if let name = body["kind"]?.string {
            if let kind = StoryKind(name) {
                story.kind = kind
            } else {
                problems.append(
                    FieldProblem(
                        field: "kind",
                        message: "must be a letter and at most 31 more of a–z, 0–9 and _, such as interview"
                    )
                )
            }
        }
        text("text") { story.text = $0 }
        text("collection") { story.collection = $0 }
        text("alt") { story.alt = $0 }
        list("tags") { story.tags = $0 }
        list("people") { story.people = $0 }
        list("mentions") { story.mentions = $0 }
        problems += lineProblems()
        text("media_url") { story.mediaURL = $0 }
        text("thumbnail_url") { story.thumbnailURL = $0 }
        for (field, url) in [("media_url", story.mediaURL), ("thumbnail_url", story.thumbnailURL)] {
            if body[field] != nil, let url, !StoryLimits.isWebAddress(url) {
                problems.append(
                    FieldProblem(
                        field: field,
                        message:
                            "must be an address that begins with https:// or http:// or /, without spaces or quotes"
                    )
                )
            }
        }
        if let value = body["media_sha256"] {
            story.mediaChecksum = value.string?.lowercased()
            if let digits = story.mediaChecksum, !StoryInput.isChecksum(digits) {
                let message = "must be 64 hexadecimal digits, a SHA-256"
                problems.append(FieldProblem(field: "media_sha256", message: message))
            }
        }
        problems += applyDate(to: &story) + applyAudience(to: &story)
        guard problems.isEmpty else { throw Problem.body(problems) }
    }

    /// What is wrong with the names in the body, each of which must be one line: one problem a field.
    private func lineProblems() -> [FieldProblem] {
        var problems = ["client_id", "collection", "alt"]
            .compactMap { name in
                body[name]?.string.flatMap { StoryInput.lineProblem($0, name) }
            }
        for name in ["tags", "people", "mentions"] {
            for (index, item) in (body[name]?.array ?? []).enumerated() {
                if let problem = item.string.flatMap({ StoryInput.lineProblem($0, "\(name)[\(index)]") }) {
                    problems.append(problem)
                }
            }
        }
        return problems
    }

    private static func lineProblem(_ text: String, _ field: String) -> FieldProblem? {
        StoryLimits.isLine(text)
            ? nil : FieldProblem(field: field, message: "must be one line, without control characters")
    }

    /// What is wrong with a text that is no date.
    private static func dateProblem(_ text: String) -> String {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count <= 2, sides.allSatisfy({ StoryDate.isWellFormed($0) }) else {
            return "must be YYYY, YYYY-MM, YYYY-MM-DD, or two of them with / between"
        }
        return sides.contains { StoryDate.days($0) == nil } ? StoryDate.noSuchDay : "ends before it begins"
    }

    private func applyDate(to story: inout Story) -> [FieldProblem] {
        guard let value = body["date"] else { return [] }
        guard let text = value.string, !text.isEmpty else {
            story.date = nil
            return []
        }
        guard let date = StoryDate(text) else {
            return [FieldProblem(field: "date", message: StoryInput.dateProblem(text))]
        }
        if let today = story.updatedAt.day, StoryLimits.isFuture(date, on: today) {
            return [FieldProblem(field: "date", message: "lies in the future")]
        }
        story.date = date
        return []
    }

    private func applyAudience(to story: inout Story) -> [FieldProblem] {
        if let privacy = body["privacy"]?.string.flatMap(Privacy.init) { story.privacy = privacy }
        guard let value = body["family"] else { return [] }
        guard let text = value.string else {
            story.family = nil
            return []
        }
        // The same words for a family that does not exist and one that is not the owner's.
        guard let family = FamilyID(text), ownerFamilies.contains(family) else {
            return [FieldProblem(field: "family", message: "is not a family you belong to")]
        }
        story.family = family
        return []
    }

    /// Reads a whole location, or throws ``Problem`` with one error a field; `prefix` stands before the names of fields.
    ///
    /// How exactly it is shown stays as in `old` where the body says nothing: nobody publishes a place by moving it.
    static func location(
        _ value: JSONValue,
        keepingPrecisionOf old: StoryLocation? = nil,
        prefix: String = ""
    ) throws -> StoryLocation {
        guard let latitude = value["lat"]?.number, let longitude = value["lon"]?.number,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else {
            throw Problem.body([
                FieldProblem(field: prefix + "lat", message: "must be a latitude, with lon a longitude")
            ])
        }
        var location = StoryLocation(coordinate: coordinate)
        if let old {
            (location.precision, location.familySeesExact) = (old.precision, old.familySeesExact)
            location.showsExactTimes = old.showsExactTimes
            // Until it is stored and held to the areas anew, so that a move within one of them is no change for others.
            location.floor = old.floor
        }
        return try merge(value, into: location, prefix: prefix)
    }

    /// Reads a change of a location as RFC 7396 has it: members that are missing stay, null clears a name.
    static func location(
        _ value: JSONValue,
        merging old: StoryLocation?,
        prefix: String = ""
    ) throws -> StoryLocation {
        guard var location = old else { return try self.location(value, prefix: prefix) }
        let latitude = value["lat"]?.number ?? location.coordinate.latitude
        let longitude = value["lon"]?.number ?? location.coordinate.longitude
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            throw Problem.body([
                FieldProblem(field: prefix + "lat", message: "must be a latitude, with lon a longitude")
            ])
        }
        if coordinate != location.coordinate {
            location.coordinate = coordinate
            location.source = .manual
            location.accuracy = nil
        }
        return try merge(value, into: location, prefix: prefix)
    }

    private static func merge(_ value: JSONValue, into old: StoryLocation, prefix: String) throws -> StoryLocation {
        var location = old
        if let source = value["source"]?.string.flatMap(LocationSource.init) { location.source = source }
        if let accuracy = value["accuracy"] { location.accuracy = accuracy.number }
        if let family = value["family_sees_exact"]?.bool { location.familySeesExact = family }
        if let times = value["date_precision"]?.string { location.showsExactTimes = times == "exact" }
        location.precision = try precision(value, of: old, prefix: prefix)
        let problems = LocationName.allCases.compactMap { name in
            value[name.rawValue]?.string.flatMap { lineProblem($0, prefix + name.rawValue) }
        }
        guard problems.isEmpty else { throw Problem.body(problems) }
        for name in LocationName.allCases {
            guard let text = value[name.rawValue] else { continue }
            location.names[name] = text.string.flatMap { $0.isEmpty ? nil : $0 }
            location.derived.remove(name)
        }
        return location
    }

    private static func precision(_ value: JSONValue, of old: StoryLocation, prefix: String) throws -> LocationPrecision
    {
        let cell = value["cell"]?.number
        switch value["precision"]?.string ?? old.precision.name {
        case "hidden": return .hidden
        case "exact": return .exact
        default:
            if cell == nil, case .approximate = old.precision { return old.precision }
            guard let size = PublishedCell(degrees: cell ?? 0.01) else {
                throw Problem.body([FieldProblem(field: prefix + "cell", message: "must be 0.01, 0.1 or 1")])
            }
            return .approximate(size)
        }
    }

    /// Whether a text is 64 lowercase hexadecimal digits.
    private static func isChecksum(_ text: String) -> Bool {
        let digits = Set("0123456789abcdef".utf8)
        return text.utf8.count == 64 && text.utf8.allSatisfy(digits.contains)
    }

    private static func distinct(_ values: [String]) -> [String] {
        var seen: Set<String> = []
        return values.filter { !$0.isEmpty && seen.insert($0).inserted }
    }
}

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
            if title.allSatisfy(\.isWhitespace) {
                problems.append(FieldProblem(field: "title", message: "must not be blank"))
            }
            story.title = title
        }
        if let name = body["kind"]?.string {
            if let kind = StoryKind(name) {
                story.kind = kind
            } else {
                problems.append(
                    FieldProblem(field: "kind", message: "must be 1–32 of a–z, 0–9 and _, such as interview")
                )
            }
        }
        text("text") { story.text = $0 }
        text("collection") { story.collection = $0 }
        text("alt") { story.alt = $0 }
        list("tags") { story.tags = $0 }
        list("people") { story.people = $0 }
        list("mentions") { story.mentions = $0 }
        text("media_url") { story.mediaURL = $0 }
        text("thumbnail_url") { story.thumbnailURL = $0 }
        for (field, url) in [("media_url", story.mediaURL), ("thumbnail_url", story.thumbnailURL)] {
            if body[field] != nil, let url, !StoryInput.isWebAddress(url) {
                problems.append(FieldProblem(field: field, message: "must begin with https:// or http:// or /"))
            }
        }
        problems += applyDate(to: &story) + applyAudience(to: &story)
        guard problems.isEmpty else { throw Problem.body(problems) }
    }

    private func applyDate(to story: inout Story) -> [FieldProblem] {
        guard let value = body["date"] else { return [] }
        guard let text = value.string, !text.isEmpty else {
            story.date = nil
            return []
        }
        guard let date = StoryDate(text) else {
            return [
                FieldProblem(field: "date", message: "must be YYYY, YYYY-MM, YYYY-MM-DD, or two of them with / between")
            ]
        }
        // A day's grace: it may be tomorrow already where the story was recorded.
        if let today = story.updatedAt.day, date.first.daysSince1970 > today.daysSince1970 + 1 {
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

    /// Reads a location, or throws ``Problem`` with one error a field; `prefix` stands before the names of fields.
    static func location(_ value: JSONValue, prefix: String = "") throws -> StoryLocation {
        guard let latitude = value["lat"]?.number, let longitude = value["lon"]?.number,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else {
            throw Problem.body([
                FieldProblem(field: prefix + "lat", message: "must be a latitude, with lon a longitude")
            ])
        }
        var location = StoryLocation(coordinate: coordinate)
        location.source = value["source"]?.string.flatMap(LocationSource.init) ?? .manual
        location.accuracy = value["accuracy"]?.number
        location.familySeesExact = value["family_sees_exact"]?.bool ?? false
        switch value["precision"]?.string {
        case "hidden": location.precision = .hidden
        case "approximate":
            guard let cell = PublishedCell(degrees: value["cell"]?.number ?? 0.01) else {
                throw Problem.body([FieldProblem(field: prefix + "cell", message: "must be 0.01, 0.1 or 1")])
            }
            location.precision = .approximate(cell)
        default: location.precision = .exact
        }
        for name in LocationName.allCases {
            if let text = value[name.rawValue]?.string, !text.isEmpty { location.names[name] = text }
        }
        return location
    }

    private static func distinct(_ values: [String]) -> [String] {
        var seen: Set<String> = []
        return values.filter { !$0.isEmpty && seen.insert($0).inserted }
    }

    private static func isWebAddress(_ text: String) -> Bool {
        text.hasPrefix("https://") || text.hasPrefix("http://") || (text.hasPrefix("/") && !text.hasPrefix("//"))
    }
}

package import Formats
import Importing
package import Stories

/// Applies the body of a request to a story; its shape has already been checked against ``StorySchemas``.
package struct StoryInput: Sendable {
    package let body: JSONValue
    /// The owner's families: a story can be given to no other.
    package let ownerFamilies: Set<FamilyID>
    /// The problems already known: of the body's shape and of its location.
    package var known: [FieldProblem] = []

    /// Creates a value from its parts.
    package init(body: JSONValue, ownerFamilies: Set<FamilyID>, known: [FieldProblem] = []) {
        self.body = body
        self.ownerFamilies = ownerFamilies
        self.known = known
    }

    /// Applies the members of the body to `story`.
    ///
    /// A null member clears its field. The location is applied separately, because its names may have to be derived.
    ///
    /// - Throws: ``Refusal`` with one problem per invalid field, including the known ones; `story` must then be
    ///   discarded.
    package func apply(to story: inout Story) throws {
        let problems = known.adding(problems(applyingTo: &story))
        guard problems.isEmpty else { throw Refusal.body(problems) }
    }

    private func problems(applyingTo story: inout Story) -> [FieldProblem] {
        var problems: [FieldProblem] = []
        let kind = story.kind
        func text(_ name: String, _ set: (String?) -> Void) {
            if let value = body[name] { set(value.string.flatMap { $0.isEmpty ? nil : $0 }) }
        }
        func list(_ name: String, _ set: ([String]) -> Void) {
            if let value = body[name] { set(StoryInput.distinct(value.array?.compactMap(\.string) ?? [])) }
        }
        if let title = body["title"]?.string {
            if let problem = StoryInput.lineProblem(title, "title") {
                problems.append(problem)
            } else if StoryLimits.isBlank(title) {
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
                        message: "must be a letter a–z followed by at most 31 of a–z, 0–9 and _, such as interview"
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
                let message = "must be a SHA-256 checksum of 64 hexadecimal digits"
                problems.append(FieldProblem(field: "media_sha256", message: message))
            }
        }
        return problems + applyDate(to: &story) + kindProblem(of: story, formerly: kind) + applyAudience(to: &story)
    }

    /// Returns the problem of an event still to come that becomes another kind of story and keeps its date.
    private func kindProblem(of story: Story, formerly kind: StoryKind) -> [FieldProblem] {
        guard story.kind != kind, body["date"] == nil, let date = story.date, let today = story.updatedAt.day,
            StoryLimits.isFuture(date, of: story.kind, on: today)
        else { return [] }
        return [FieldProblem(field: "kind", message: "must be event, because the date is in the future")]
    }

    /// Returns one problem for each text in the body, including the elements of lists, that must be a single line but
    /// is not.
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

    /// Returns the problem of a text that is not one line, or `nil`.
    static func lineProblem(_ text: String, _ field: String) -> FieldProblem? {
        StoryLimits.isLine(text)
            ? nil : FieldProblem(field: field, message: "must be one line, without control characters")
    }

    /// Returns the problem of a text that is not a date.
    private static func dateProblem(_ text: String) -> String {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count <= 2, sides.allSatisfy({ StoryDate.isWellFormed($0) }) else {
            return "must be YYYY, YYYY-MM, YYYY-MM-DD, two of these separated by /, or a date in words such as ca. 1920"
        }
        return sides.contains { StoryDate.days($0) == nil } ? StoryDate.noSuchDay : "ends before it begins"
    }

    /// Applies the date, which is read by the rules of an import.
    private func applyDate(to story: inout Story) -> [FieldProblem] {
        func problem(_ message: String) -> [FieldProblem] { [FieldProblem(field: "date", message: message)] }
        guard let value = body["date"] else { return [] }
        let text = value.string?.trimmed ?? ""
        // A client that sends back the story's own date changes nothing, even if the text would be read differently
        // now.
        if !text.isEmpty, text == story.date?.text { return [] }
        if let wrong = StoryInput.lineProblem(text, "date") { return [wrong] }
        story.date = nil
        switch text.isEmpty ? .unknown : DateReading(text) {
        case .unknown:
            story.date = StoryDate(words: text)
            return []
        case .outOfRange:
            let years = CalendarDay.years
            return problem("must be within the years \(years.lowerBound) to \(years.upperBound)")
        case .unreadable:
            // Words may be all that is known: "the summer after the flood". Numbers alone are a mistake.
            guard text.contains(where: \.isLetter), !text.hasPrefix("/") else {
                return problem(StoryInput.dateProblem(text))
            }
            story.date = StoryDate(words: text)
            return story.date == nil ? problem(StoryInput.dateProblem(text)) : []
        case .date(let date), .partial(let date):
            if let today = story.updatedAt.day, StoryLimits.isFuture(date, of: story.kind, on: today) {
                return problem("must not be in the future, unless the kind is event")
            }
            story.date = date
            return []
        }
    }

    private func applyAudience(to story: inout Story) -> [FieldProblem] {
        if let privacy = body["privacy"]?.string.flatMap(Privacy.init) { story.privacy = privacy }
        guard let value = body["family"] else { return [] }
        guard let text = value.string else {
            story.family = nil
            return []
        }
        // The message is identical for a family that does not exist and one the owner does not belong to.
        guard let family = FamilyID(text), ownerFamilies.contains(family) else {
            return [FieldProblem(field: "family", message: "is not a family you belong to")]
        }
        story.family = family
        return []
    }

    /// Returns whether a text is 64 lowercase hexadecimal digits.
    private static func isChecksum(_ text: String) -> Bool {
        let digits = Set("0123456789abcdef".utf8)
        return text.utf8.count == 64 && text.utf8.allSatisfy(digits.contains)
    }

    private static func distinct(_ values: [String]) -> [String] {
        var seen: Set<String> = []
        return values.filter { !$0.isEmpty && seen.insert($0).inserted }
    }
}

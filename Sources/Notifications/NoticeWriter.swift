import Geometry
import Stories

/// Finds the words of a notice.
struct NoticeWriter {
    let preview: NotificationSettings.Preview
    let readyAt: Timestamp

    /// The name of a place that nobody knows a name for.
    static let namelessPlace = "here"

    func notice(of draft: NoticeDraft, name: (Coordinate) -> String?) -> Notice {
        let group = self.group(of: draft, name: name)
        let here = draft.first.placeID
        // What lies in the named place is there, whatever the stories say of where they are.
        let others = group.stories.filter { story in
            story.placeID != here && story.placeName != group.placeName
                && draft.named.map { !$0.contains(story.point) } ?? true
        }
        let body = Wording.body(of: group.stories, preview: preview, atOtherPlaces: others)
        return notice([group], at: group.place, visits: draft.visits, placeName: group.placeName, body: body)
    }

    /// One notice for several places; the first gives the position.
    func notice(merging drafts: [NoticeDraft], name: (Coordinate) -> String?) -> Notice {
        let groups = drafts.map { group(of: $0, name: name) }
        let stories = groups.flatMap(\.stories)
        let place = drafts.first?.first.coordinate ?? Coordinate(wrappingLatitude: 0, longitude: 0)
        let area = name(place) ?? Wording.mostCommon(stories.map(\.city))
        let body = Wording.body(of: stories, around: area, preview: preview)
        let visits = drafts.flatMap(\.visits)
        return notice(groups, at: place, visits: visits, placeName: area ?? NoticeWriter.namelessPlace, body: body)
    }

    private func group(of draft: NoticeDraft, name: (Coordinate) -> String?) -> Notice.Group {
        let place = draft.first.coordinate
        let here = draft.stories.filter { $0.placeID == draft.first.placeID }
        let placeName =
            draft.named?.name ?? Wording.mostCommon(here.map(\.placeName)) ?? name(place)
            ?? Wording.mostCommon(here.map(\.city)) ?? NoticeWriter.namelessPlace
        let key = draft.stories.map(\.placeID).min() ?? PlaceID(place)
        return Notice.Group(
            placeName: placeName,
            place: place,
            namedPlace: draft.named?.id,
            stories: draft.stories,
            key: key
        )
    }

    private func notice(
        _ groups: [Notice.Group],
        at place: Coordinate,
        visits: [PlaceVisit],
        placeName: String,
        body: String
    ) -> Notice {
        Notice(
            kind: visits.contains { $0.kind == .entered } ? .entered : .passed,
            at: visits.map(\.at).min() ?? readyAt,
            readyAt: readyAt,
            groups: groups,
            placeName: placeName,
            place: place,
            stories: groups.flatMap(\.stories).sorted { $0.id < $1.id },
            title: Wording.title(placeName: placeName, preview: preview),
            body: body,
            confidence: visits.map(\.confidence).max() ?? 0,
            isSimulated: visits.contains(where: \.isSimulated)
        )
    }
}

/// The sentences of notices, in English.
enum Wording {
    static func title(placeName: String, preview: NotificationSettings.Preview) -> String {
        if preview == .none { return "Waymark" }
        return placeName == NoticeWriter.namelessPlace ? "Near you" : placeName
    }

    static func body(
        of stories: [NearbyStory],
        around area: String? = nil,
        preview: NotificationSettings.Preview,
        atOtherPlaces others: [NearbyStory] = []
    ) -> String {
        let place = (area.map { "around \($0)" } ?? "nearby") + elsewhere(others)
        switch preview {
        case .none: return "You have a new notification"
        case .count: return "\(number(stories.count, "story", "stories")) \(place)"
        case .full:
            let sentence = "\(kinds(NoticeCounts(stories.map(\.kind)))) \(place)"
            guard stories.count == 1, let title = stories.first?.title else { return sentence }
            return "\(sentence): \(shortened(title))"
        }
    }

    /// ", 3 of them at Big Bethel and 2 at 2 other places": where those are told of that are not at the place itself.
    private static func elsewhere(_ stories: [NearbyStory]) -> String {
        var counts: [String: Int] = [:]
        for name in stories.compactMap(\.placeName) where !name.isEmpty { counts[name, default: 0] += 1 }
        let places = counts.sorted { a, b in a.value != b.value ? a.value > b.value : a.key < b.key }
        guard let first = places.first else { return "" }
        let start = ", \(first.value) of them at \(shortened(first.key))"
        let rest = places.dropFirst()
        guard let second = rest.first else { return start }
        if rest.count == 1 { return start + " and \(second.value) at \(shortened(second.key))" }
        return start + " and \(rest.reduce(0) { $0 + $1.value }) at \(rest.count) other places"
    }

    /// "2 interviews, 1 family object and 3 observations"; kinds of an operator's own are "other stories".
    private static func kinds(_ counts: NoticeCounts) -> String {
        let interviews = counts.kinds[.interview] ?? 0
        let observations = counts.kinds[.observation] ?? 0
        let others = counts.total - interviews - counts.familyObjects - observations
        guard others < counts.total else { return number(others, "story", "stories") }
        var parts: [String] = []
        if interviews > 0 { parts.append(number(interviews, "interview", "interviews")) }
        if counts.familyObjects > 0 { parts.append(number(counts.familyObjects, "family object", "family objects")) }
        if observations > 0 { parts.append(number(observations, "observation", "observations")) }
        if others > 0 { parts.append(number(others, "other story", "other stories")) }
        guard parts.count > 1, let last = parts.popLast() else { return parts.joined() }
        return parts.joined(separator: ", ") + " and " + last
    }

    private static func number(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count) \(count == 1 ? one : many)"
    }

    /// A title in one line of at most 100 characters.
    private static func shortened(_ title: String) -> String {
        let line = String(title.map { $0.isNewline ? " " : $0 })
        return line.count <= 100 ? line : line.prefix(99) + "…"
    }

    /// The text that occurs most often, of equally frequent ones the first by its bytes; empty ones do not count.
    static func mostCommon(_ texts: [String?]) -> String? {
        let counts = texts.compactMap { $0 }.filter { !$0.isEmpty }.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        return counts.max { a, b in a.value != b.value ? a.value < b.value : a.key > b.key }?.key
    }
}

import Geometry
import Stories

/// Writes the text of a notice.
struct NoticeWriter {
    let preview: NotificationSettings.Preview
    let readyAt: Timestamp

    /// The name used for a place without a known name.
    static let namelessPlace = "here"

    func notice(of draft: NoticeDraft, names: some PlaceNaming) -> Notice {
        let naming = naming(of: draft, names: names)
        let group = group(of: draft, called: naming.name)
        let here = draft.first.placeID
        // Stories anywhere in the named place count as being at the place, even if their points differ from the visited
        // one.
        let others = group.stories.filter { story in
            story.placeID != here && story.placeName != group.placeName
                && draft.named.map { !$0.contains(story.point) } ?? true
        }
        let whereabouts = Wording.Whereabouts(
            detail: naming.detail,
            isExact: group.stories.contains { $0.placeID == here && $0.isExact },
            others: others
        )
        let body = Wording.body(of: group.stories, whereabouts, preview: preview)
        return notice([group], at: group.place, visits: draft.visits, placeName: group.placeName, body: body)
    }

    /// Returns one notice for several places; the first gives the position.
    func notice(merging drafts: [NoticeDraft], names: some PlaceNaming) -> Notice {
        let groups = drafts.map { group(of: $0, called: naming(of: $0, names: names).name) }
        let stories = groups.flatMap(\.stories)
        let place = drafts.first?.first.coordinate ?? Coordinate(wrappingLatitude: 0, longitude: 0)
        let isExact = drafts.first.map { here(in: $0).contains(where: \.isExact) } ?? false
        let area = names.label(of: place, isExact: isExact)?.name ?? Wording.mostCommon(stories.map(\.city))
        let body = Wording.body(of: stories, Wording.Whereabouts(area: area), preview: preview)
        let visits = drafts.flatMap(\.visits)
        return notice(groups, at: place, visits: visits, placeName: area ?? NoticeWriter.namelessPlace, body: body)
    }

    private func here(in draft: NoticeDraft) -> [NearbyStory] {
        draft.stories.filter { $0.placeID == draft.first.placeID }
    }

    /// Returns the name of a place and, if it has no name of its own, a detail that distinguishes it: the street given
    /// by its stories, else the gazetteer's description.
    private func naming(of draft: NoticeDraft, names: some PlaceNaming) -> (name: String, detail: String?) {
        let here = here(in: draft)
        if let name = draft.named?.name ?? Wording.mostCommon(here.map(\.placeName)) { return (name, nil) }
        let label = names.label(of: draft.first.coordinate, isExact: here.contains(where: \.isExact))
        let street = Wording.mostCommon(here.map(\.street)).map { "at \(Wording.shortened($0))" }
        let name = label?.name ?? Wording.mostCommon(here.map(\.city)) ?? NoticeWriter.namelessPlace
        return (name, street ?? label?.detail)
    }

    private func group(of draft: NoticeDraft, called placeName: String) -> Notice.Group {
        Notice.Group(
            placeName: placeName,
            place: draft.first.coordinate,
            namedPlace: draft.named?.id,
            stories: draft.stories,
            key: draft.stories.map(\.placeID).min() ?? PlaceID(draft.first.coordinate)
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

    /// Details of where a notice's stories are, in addition to its headline.
    struct Whereabouts {
        /// The area around several places that were entered together.
        var area: String?
        /// A phrase that distinguishes the place from others with the same name, worded to end a sentence.
        var detail: String?
        /// Whether the stories happened there, rather than somewhere in the cell around it.
        var isExact = false
        /// The stories at other places nearby.
        var others: [NearbyStory] = []
    }

    static func body(
        of stories: [NearbyStory],
        _ whereabouts: Whereabouts,
        preview: NotificationSettings.Preview
    ) -> String {
        let detail = whereabouts.detail.map { ", \($0)" } ?? ""
        let near = whereabouts.area.map { "around \($0)" } ?? "nearby"
        let end = detail + elsewhere(whereabouts.others)
        switch preview {
        case .none: return "You have a new notification"
        case .count: return "\(number(stories.count, "story", "stories")) \(near)\(end)"
        case .full:
            guard stories.count == 1, let story = stories.first else {
                let kinds = kinds(NoticeCounts(stories.map(\.kind)))
                return "\(kinds) \(near)\(end)\(tellers(stories).map { ", told by \($0)" } ?? "")"
            }
            let place = whereabouts.area == nil && whereabouts.isExact ? here(story) : near
            let sentence =
                story.teller.map { "\(shortened($0)) \(told(story.kind)) \(place)\(end)" }
                ?? "\(kinds(NoticeCounts([story.kind]))) \(near)\(end)"
            let further = story.further.map { " · " + FurtherPlaceWords.words($0) } ?? ""
            return "\(sentence): \(shortened(story.title))\(further)"
        }
    }

    /// Returns "here" for a story's own place and for the one where it was recorded, and "about this place" for its other
    /// places.
    private static func here(_ story: NearbyStory) -> String {
        story.further.map { $0.role == .recorded } ?? true ? "here" : "about this place"
    }

    /// Returns the verb phrase for someone who added one item of a kind.
    private static func told(_ kind: StoryKind) -> String {
        switch kind {
        case .photo: "left a photo"
        case .document: "left a document"
        case .videoObject: "left a video"
        case .observation: "noted something"
        case .event: "announced an event"
        default: "told a story"
        }
    }

    /// Returns "Grandpa Joe", "Ana and Grandpa Joe", "Ana, Grandpa Joe and 3 others"; `nil` unless all stories have a
    /// teller.
    ///
    /// Sorted by the number of stories, then by name.
    private static func tellers(_ stories: [NearbyStory]) -> String? {
        let names = stories.compactMap(\.teller)
        guard names.count == stories.count else { return nil }
        let counts = names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        let order = counts.sorted { a, b in a.value != b.value ? a.value > b.value : a.key < b.key }
            .map { shortened($0.key) }
        guard order.count > 3 else { return list(order) }
        return list(order.prefix(2) + ["\(order.count - 2) others"])
    }

    /// Returns "a", "a and b" or "a, b and c".
    private static func list(_ parts: [String]) -> String {
        guard parts.count > 1, let last = parts.last else { return parts.joined() }
        return parts.dropLast().joined(separator: ", ") + " and " + last
    }

    /// Returns ", 3 of them at Big Bethel and 2 at 2 other places": the location of stories that are not at the place
    /// itself.
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

    /// Returns "2 interviews, 1 family object and 3 observations", then events; an operator's custom kinds are "other stories".
    private static func kinds(_ counts: NoticeCounts) -> String {
        let interviews = counts.kinds[.interview] ?? 0
        let observations = counts.kinds[.observation] ?? 0
        let events = counts.kinds[.event] ?? 0
        let others = counts.total - interviews - counts.familyObjects - observations - events
        guard others < counts.total else { return number(others, "story", "stories") }
        var parts: [String] = []
        if interviews > 0 { parts.append(number(interviews, "interview", "interviews")) }
        if counts.familyObjects > 0 { parts.append(number(counts.familyObjects, "family object", "family objects")) }
        if observations > 0 { parts.append(number(observations, "observation", "observations")) }
        if events > 0 { parts.append(number(events, "event", "events")) }
        if others > 0 { parts.append(number(others, "other story", "other stories")) }
        return list(parts)
    }

    static func number(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count) \(count == 1 ? one : many)"
    }

    /// Returns a title on one line of at most 100 characters.
    static func shortened(_ title: String) -> String {
        let line = String(title.map { $0.isNewline ? " " : $0 })
        return line.count <= 100 ? line : line.prefix(99) + "…"
    }

    /// Returns the most frequent non-empty text; the first by bytes if several are equally frequent.
    static func mostCommon(_ texts: [String?]) -> String? {
        let counts = texts.compactMap { $0 }.filter { !$0.isEmpty }.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        return counts.max { a, b in a.value != b.value ? a.value < b.value : a.key > b.key }?.key
    }
}

import Formats
import Geometry
import Library
import Stories

/// Linked Places 1.3: each place of stories once, with the names, days and texts by which its stories attest it.
///
/// The World Historical Gazetteer takes every feature for a place of its own, so two stories at a place would become two
/// places there. Stories are not places, which is why they are links and not relations.
struct LinkedPlacesWriter: StoryWriter {
    private let options: ExportOptions
    private let output: ([UInt8]) throws -> Void
    private var isFirst = true
    private var place: AttestedPlace?

    /// The address that the format's own documents and the World Historical Gazetteer write.
    private static let context =
        "https://raw.githubusercontent.com/LinkedPasts/linked-places/master/linkedplaces-context-v1.1.jsonld"

    /// Writes what stands before the first place.
    init(_ options: ExportOptions, to output: @escaping ([UInt8]) throws -> Void) throws {
        (self.options, self.output) = (options, output)
        try output(
            Array(
                "{\"type\":\"FeatureCollection\",\"@context\":\"\(LinkedPlacesWriter.context)\",\"features\":[\n".utf8
            )
        )
    }

    /// Adds a story; those of a place follow each other.
    mutating func add(_ story: ExportedStory) throws -> Bool {
        guard let location = story.location, let shown = ShownPlace(story.view) else { return false }
        if place?.shown != shown {
            try writePlace()
            place = AttestedPlace(shown: shown, coordinate: location.coordinate)
        }
        place?.add(story, address: story.address(options))
        return true
    }

    mutating func finish() throws {
        try writePlace()
        try output(Array("\n]}\n".utf8))
    }

    private mutating func writePlace() throws {
        guard let place else { return }
        let address = options.address.map { "\($0)/v1/places/\(place.shown.id)/stories" }
        let bytes = place.feature(id: address ?? "urn:waymark:place:\(place.shown.id)")
        try output(isFirst ? bytes : Array(",\n".utf8) + bytes)
        isFirst = false
        self.place = nil
    }
}

/// The strictest limits of the stories of a place, of which an import makes one story.
private struct AttestedLimits {
    private var privacy = Privacy.public
    private var precision = LocationPrecision.exact

    mutating func add(_ exported: ExportedStory) {
        privacy = privacy.stricter(exported.story.privacy)
        if let shown = exported.location?.precision { precision = precision.stricter(shown) }
    }

    /// Writes who may see the place, and how exactly unless everybody may see it exactly.
    func write(to json: inout JSONWriter) {
        json.member("privacy", privacy.rawValue)
        guard precision != .exact else { return }
        json.member("precision", precision.name)
        if let cell = precision.cell { json.member("cell", cell.degrees) }
    }
}

/// The dates of the stories of a place, each once.
private struct AttestedDates {
    private var spans: [(first: CalendarDay?, last: CalendarDay?)] = []
    private var dates: [String] = []
    private var known: Set<String> = []

    mutating func add(_ exported: ExportedStory) {
        guard let date = exported.times.date, known.insert(date.text).inserted else { return }
        let days = exported.days
        if days.first != nil || days.last != nil { spans.append(days) }
        dates.append(date.text)
    }

    func write(to json: inout JSONWriter) {
        guard !dates.isEmpty else { return }
        json.key("when")
        json.beginObject()
        json.key("timespans")
        json.beginArray()
        for span in spans {
            json.beginObject()
            if let first = span.first { write("start", "earliest", first, to: &json) }
            if let last = span.last { write("end", "latest", last, to: &json) }
            json.endObject()
        }
        json.endArray()
        json.member("label", dates.joined(separator: "; "))
        json.endObject()
    }

    private func write(_ side: StaticString, _ bound: StaticString, _ day: CalendarDay, to json: inout JSONWriter) {
        json.key(side)
        json.beginObject()
        json.key(bound)
        json.value(day.description)
        json.endObject()
    }
}

/// A place with what its stories say about it.
private struct AttestedPlace {
    /// A story that attests the place.
    private struct Witness {
        let title: String
        let address: String
        var text: String?
        var picture: (address: String, words: String)?
    }

    let shown: ShownPlace
    let coordinate: Coordinate
    private var witnesses: [Witness] = []
    /// The names with the numbers of the stories that give them, in the order of their first story.
    private var names: [(name: String, witnesses: [Int])] = []
    private var numbers: [String: Int] = [:]
    private var dates = AttestedDates()
    private var limits = AttestedLimits()

    /// The number of stories of a place whose texts and pictures are written; of others there are title and address.
    private static let mostTexts = 200

    init(shown: ShownPlace, coordinate: Coordinate) {
        (self.shown, self.coordinate) = (shown, coordinate)
    }

    mutating func add(_ exported: ExportedStory, address: String) {
        let story = exported.story
        limits.add(exported)
        var witness = Witness(title: story.title, address: address)
        if witnesses.count < AttestedPlace.mostTexts {
            witness.text = story.text
            let picture = story.thumbnailURL ?? (story.kind.rawValue == "photo" ? story.mediaURL : nil)
            witness.picture = picture.map { ($0, story.alt ?? story.title) }
        }
        if let name = exported.placeName {
            if let known = numbers[name] {
                names[known].witnesses.append(witnesses.count)
            } else {
                numbers[name] = names.count
                names.append((name, [witnesses.count]))
            }
        }
        dates.add(exported)
        witnesses.append(witness)
    }

    /// The place as a feature.
    func feature(id: String) -> [UInt8] {
        // The name that most stories give; without any, the newest story's title.
        let usual = names.max { ($0.witnesses.count, $1.name) < ($1.witnesses.count, $0.name) }?.name
        let title = usual ?? witnesses.first?.title ?? ""
        var json = JSONWriter(capacity: 2_048)
        json.beginObject()
        json.member("@id", id)
        json.member("type", "Feature")
        json.key("properties")
        json.beginObject()
        json.member("title", title)
        // Required since version 1.3: a class of GeoNames, here that of settlements.
        json.member("fclasses", ["P"])
        limits.write(to: &json)
        json.endObject()
        writeNames(names.isEmpty ? [(title, [0])] : names, to: &json)
        // Nothing says what kind of place it is; "inhabited place" in the Art & Architecture Thesaurus fits most.
        json.key("types")
        json.raw(Array(#"[{"identifier":"aat:300008347","label":"inhabited place"}]"#.utf8))
        json.key("geometry")
        json.beginObject()
        json.member("type", "Point")
        json.key("coordinates")
        json.coordinates(coordinate)
        json.member("certainty", shown.isExact ? "certain" : "less-certain")
        json.endObject()
        list("links", witnesses, to: &json) { witness, json in
            json.member("type", "subjectOf")
            json.member("identifier", witness.address)
        }
        dates.write(to: &json)
        list("descriptions", witnesses.filter { $0.text != nil }, to: &json) { witness, json in
            json.member("@id", witness.address)
            if let text = witness.text { json.member("value", text) }
        }
        list("depictions", witnesses.compactMap(\.picture), to: &json) { picture, json in
            json.member("@id", picture.address)
            json.member("title", picture.words)
        }
        json.endObject()
        return json.bytes
    }

    private func writeNames(_ names: [(name: String, witnesses: [Int])], to json: inout JSONWriter) {
        list("names", names, to: &json) { name, json in
            json.member("toponym", name.name)
            list("citations", name.witnesses.map { witnesses[$0] }, to: &json) { witness, json in
                json.member("label", witness.title)
                json.member("@id", witness.address)
            }
        }
    }

    /// Writes a list of objects; none if it is empty.
    private func list<Item>(
        _ key: StaticString,
        _ items: [Item],
        to json: inout JSONWriter,
        _ members: (Item, inout JSONWriter) -> Void
    ) {
        guard !items.isEmpty else { return }
        json.key(key)
        json.beginArray()
        for item in items {
            json.beginObject()
            members(item, &json)
            json.endObject()
        }
        json.endArray()
    }
}

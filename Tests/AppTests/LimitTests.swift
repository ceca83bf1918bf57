import App
import Library
import Formats
import HTTPTypes
import Importing
import Stories
import TestSupport
import Testing

/// One table of bad values, given to both doors by which stories come in.
@Suite("Field limits, over HTTP and in imports")
struct LimitTests {
    struct BadValue: Sendable, CustomTestStringConvertible {
        let name: String
        /// The field by the name that import uses.
        let field: String
        let value: String
        /// What the import does with it.
        let byImport: Import

        var testDescription: String { name }
    }

    enum Import: Sendable {
        case refuses
        /// Takes the story and mends or leaves out the value; see ``StoryLimits``.
        case mends
    }

    private static func long(_ limit: Int) -> String { String(repeating: "a", count: limit + 1) }

    static let values: [BadValue] = [
        .init(name: "title missing", field: "title", value: "", byImport: .refuses),
        .init(name: "title blank", field: "title", value: "   ", byImport: .refuses),
        .init(name: "title long", field: "title", value: long(StoryLimits.titleLength), byImport: .mends),
        .init(name: "title far too long", field: "title", value: long(StoryLimits.longestTitle), byImport: .refuses),
        .init(name: "title of two lines", field: "title", value: "a\nb", byImport: .mends),
        .init(name: "text long", field: "text", value: long(StoryLimits.textLength), byImport: .refuses),
        .init(name: "date in the future", field: "date", value: "2999", byImport: .refuses),
        .init(name: "no date", field: "date", value: "30.2.2026", byImport: .mends),
        .init(name: "kind with a blank", field: "kind", value: "Bad kind!", byImport: .refuses),
        .init(name: "kind long", field: "kind", value: long(StoryLimits.kindLength), byImport: .refuses),
        .init(name: "privacy", field: "privacy", value: "secret", byImport: .refuses),
        .init(name: "latitude", field: "lat", value: "91", byImport: .refuses),
        .init(name: "longitude", field: "lon", value: "-180.5", byImport: .refuses),
        .init(name: "latitude as a word", field: "lat", value: "north", byImport: .refuses),
        .init(name: "accuracy", field: "accuracy", value: "-1", byImport: .refuses),
        .init(name: "accuracy far too large", field: "accuracy", value: "1e9", byImport: .refuses),
        .init(name: "precision", field: "precision", value: "vague", byImport: .refuses),
        .init(name: "cell", field: "cell", value: "0.02", byImport: .refuses),
        .init(name: "city long", field: "city", value: long(StoryLimits.nameLength), byImport: .refuses),
        .init(name: "city of two lines", field: "city", value: "a\nb", byImport: .mends),
        .init(name: "collection long", field: "collection", value: long(StoryLimits.nameLength), byImport: .refuses),
        .init(name: "alt long", field: "alt", value: long(StoryLimits.altLength), byImport: .refuses),
        .init(name: "alt of two lines", field: "alt", value: "a\tb", byImport: .mends),
        .init(name: "tag long", field: "tags", value: long(StoryLimits.nameLength), byImport: .refuses),
        .init(name: "tag of two lines", field: "tags", value: "a\nb", byImport: .mends),
        .init(
            name: "too many tags",
            field: "tags",
            value: (0...StoryLimits.listLength).map(String.init).joined(separator: ";"),
            byImport: .refuses
        ),
        .init(
            name: "address long",
            field: "media_url",
            value: "https://" + long(StoryLimits.urlLength),
            byImport: .refuses
        ),
        .init(name: "script", field: "media_url", value: "javascript:alert(1)", byImport: .mends),
        .init(name: "address with a quote", field: "thumbnail_url", value: "https://a/\"b", byImport: .mends),
        .init(name: "address without a host", field: "media_url", value: "https://", byImport: .mends),
    ]

    private static let ordinary: [(String, String)] = [
        ("title", "Ordinary"), ("lat", "33.7"), ("lon", "-84.3"), ("precision", "approximate"),
    ]

    /// The body that says the value, with one member for each field.
    private func body(_ bad: BadValue) -> String {
        var story = JSONWriter()
        let values = Dictionary(LimitTests.ordinary + [(bad.field, bad.value)], uniquingKeysWith: { $1 })
        func write(_ names: [String]) {
            for name in names {
                guard let value = values[name] else { continue }
                story.key(name)
                if name == "tags" {
                    story.value(value.split(separator: ";").map(String.init))
                } else if ["lat", "lon", "accuracy", "cell"].contains(name), let number = Double(value) {
                    story.value(number)
                } else {
                    story.value(value)
                }
            }
        }
        story.beginObject()
        if values["kind"] == nil { story.member("kind", "interview") }
        write(["title", "text", "date", "kind", "privacy", "collection", "alt", "tags", "media_url", "thumbnail_url"])
        story.key("location")
        story.beginObject()
        write(["lat", "lon", "accuracy", "precision", "cell", "city"])
        story.endObject()
        story.endObject()
        return story.text
    }

    @Test(
        "LOC-07 HTTP rejects a bad value with one error for its field, import with one for its row",
        arguments: values
    )
    func refused(bad: BadValue) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let reply = try await client.send(.post, "/v1/stories", as: "ana", body(bad))
            #expect(reply.status == 422)
            let fields = reply.json["errors"]?.array?.compactMap { $0["field"]?.string } ?? []
            #expect(fields.count == 1)
            let field = fields.first.map { $0.replacing("location.", with: "") } ?? ""
            #expect(field.hasPrefix(bad.field), "\(fields)")
            #expect(try await client.get("/v1/stories", as: "ana").json["numberMatched"]?.integer == 0)
        }
        var options = StoryImporter.Options(owner: try #require(UserID("ana")))
        options.today = fixture.clock.now.day
        let values = Dictionary(LimitTests.ordinary + [(bad.field, bad.value)], uniquingKeysWith: { $1 })
            .sorted { $0.key < $1.key }
        let cells = values.map { "\"" + $0.value.replacing("\"", with: "\"\"") + "\"" }
        let text = values.map(\.key).joined(separator: ",") + "\n" + cells.joined(separator: ",") + "\n"
        let result = StoryImporter(options: options).read(Array(text.utf8), fileName: "a.csv")
        #expect(result.isRefused == (bad.byImport == .refuses), "\(result.problems)")
        let errors = result.problems.filter { $0.severity == .error }
        #expect(errors.map(\.field) == (bad.byImport == .refuses ? [bad.field] : []), "\(errors)")
        guard bad.byImport == .mends, let story = result.stories.first else { return }
        // What was mended is what HTTP would take.
        #expect(StoryLimits.isLine(story.title) && StoryLimits.fits(story.title, characters: StoryLimits.titleLength))
        #expect(story.mediaURL == nil && story.thumbnailURL == nil)
        #expect(
            (story.tags + [story.alt ?? "", story.location?.names[.city] ?? ""]).allSatisfy { StoryLimits.isLine($0) }
        )
    }

    @Test("LOC-07 HTTP and import accept values at their limits")
    func atTheLimit() async throws {
        let fixture = try await ServiceFixture()
        let (name, alt) = (
            String(repeating: "n", count: StoryLimits.nameLength), String(repeating: "a", count: StoryLimits.altLength)
        )
        let title = String(repeating: "t", count: StoryLimits.titleLength)
        let tomorrow = try #require(fixture.clock.now.day.map { CalendarDay(daysSince1970: $0.daysSince1970 + 1) })
        let url = "https://a.org/" + String(repeating: "u", count: StoryLimits.urlLength - 14)
        try await fixture.run { client async throws in
            let id = try await client.create(
                as: "ana",
                title: title,
                extra: ",\"tags\":[\"\(name)\"],\"alt\":\"\(alt)\",\"date\":\"\(tomorrow)\",\"media_url\":\"\(url)\""
            )
            #expect(try await client.get("/v1/stories/\(id)").json["alt"]?.string == alt)
        }
        var options = StoryImporter.Options(owner: try #require(UserID("ana")))
        options.today = fixture.clock.now.day
        let text = "title,tags,alt,date,media_url\n\(title),\(name),\(alt),\(tomorrow),\(url)\n"
        let result = StoryImporter(options: options).read(Array(text.utf8), fileName: "a.csv")
        #expect(result.problems.isEmpty && result.stories.first?.mediaURL == url)
    }

    @Test("LOC-07 Searches, user names and e-mail addresses have limits too")
    func others() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let long = String(repeating: "a", count: StoryLimits.searchLength + 1)
                #expect(try await client.get("/v1/stories?q=\(long)").status == 400)
                let words = (0...StoryLimits.searchWords).map(String.init).joined(separator: "%20")
                #expect(try await client.get("/v1/stories?q=\(words)").status == 400)
            }
    }
}

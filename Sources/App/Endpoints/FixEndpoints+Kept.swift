import Web
import Library
import Formats
import Geofencing
import Geometry
import HTTPTypes
import Notifications
import Storage
import Stories

extension FixEndpoints {
    private static let limit = Paging.limit(1...500, default: 100, "The maximum number of entries on a page")

    /// The route that lists the fixes stored at the caller's request.
    var keptFixes: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/fixes",
            name: "listFixes",
            summary: "Returns the fixes kept at the caller's request, last received first.",
            access: .user,
            scope: .exportSelf,
            cost: .normal,
            parameters: [FixEndpoints.limit, Paging.position],
            success: FixEndpoints.answer("KeptFixPage", "A page."),
            handler: { call in
                let user = try call.user
                let limit = try call[FixEndpoints.limit]
                let after = try call[Paging.position].map(FixEndpoints.keptPosition)
                let fixes = try await library.store.read { transaction in
                    try transaction.keptFixes(of: user, after: after, limit: limit + 1)
                }
                let page = Array(fixes.prefix(limit))
                let next = fixes.count > limit ? page.last.map { "\($0.received.milliseconds)-\($0.id)" } : nil
                return Answer(
                    body: KeptFixJSON.page(page, next: next.map { call.address(setting: Paging.position, to: $0) })
                )
            }
        )
    }

    /// The route that explains why fences near a fix were entered or not.
    var explainFix: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/fixes/\(PathPart.fix)/explain",
            name: "explainFix",
            summary: """
                Explains for each fence near a kept fix why it was entered or not, and what is left to announce there.
                """,
            access: .user,
            scope: .exportSelf,
            cost: .normal,
            success: FixEndpoints.answer("FixExplanation", "The fix, and an entry for each fence near it."),
            handler: { call in
                let id = try call[PathPart.fix]
                guard let found = try await library.fences.explanation(of: id, user: try call.user) else {
                    throw Problem.notFound
                }
                return Answer(body: KeptFixJSON.explanation(found.fix, told: found.told))
            }
        )
    }

    private static func answer(_ schema: String, _ description: String) -> [Endpoint.Success] {
        [.init(status: .ok, mediaType: MediaType.json, schema: .named(schema), description: description)]
    }

    private static func keptPosition(_ text: String) throws -> (received: Timestamp, id: StoryID) {
        let sides = text.split(separator: "-", maxSplits: 1)
        guard sides.count == 2, let time = Int64(sides[0]), let id = StoryID(sides[1]) else {
            throw Paging.position.invalid("was not issued by this list")
        }
        return (Timestamp(milliseconds: time), id)
    }
}

/// The JSON of kept fixes.
enum KeptFixJSON: Sendable {
    static func page(_ fixes: [KeptFix], next: String?) -> [UInt8] {
        var json = JSONWriter(capacity: 200 * (fixes.count + 1))
        json.beginObject()
        json.key("fixes")
        json.beginArray()
        for fix in fixes { write(fix, to: &json) }
        json.endArray()
        json.key("links")
        json.beginObject()
        json.member("next", next)
        json.endObject()
        json.endObject()
        return json.bytes
    }

    static func explanation(_ fix: KeptFix, told: [String: FenceService.PlaceTold]) -> [UInt8] {
        let lines = try? JSONValue(parsing: Array(fix.explanation.utf8), limits: .init(bytes: 16 << 20))
        var json = JSONWriter(capacity: 1_000)
        json.beginObject()
        json.key("fix")
        write(fix, to: &json)
        json.key("fences")
        json.beginArray()
        for line in lines?.array ?? [] {
            // A place where the user can no longer see anything is omitted.
            guard let place = line["place"]?.string, let found = told[place] else { continue }
            json.beginObject()
            json.member("place", place)
            for name in ["d", "r", "acc", "p", "likely_d", "likely_acc"] { json.member(name, line[name]?.number) }
            json.member("state", line["state"]?.string)
            json.member("why", line["why"]?.string)
            json.member("ledger", found.text)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private static func write(_ fix: KeptFix, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", fix.id.description)
        json.member("device", fix.device)
        json.member("t", RFC3339.format(fix.time))
        json.member("received", RFC3339.format(fix.received))
        json.key("lat")
        json.degrees(fix.coordinate.latitude)
        json.key("lon")
        json.degrees(fix.coordinate.longitude)
        json.member("acc", fix.accuracy)
        json.member("speed", fix.speed)
        json.member("course", fix.course)
        json.member("outcome", fix.outcome)
        json.endObject()
    }

    private static let instant = Schema.text(minBytes: 20, maxBytes: 40, format: "date-time")
    private static let number = Schema.nullable(.number(-1e9...1e9))
    private static let fix = Schema.object([
        .init("id", .hexID, required: true),
        .init("device", .text(minBytes: 1, maxBytes: 64), required: true), .init("t", instant, required: true),
        .init("received", instant, required: true), .init("lat", .number(-90...90), required: true),
        .init("lon", .number(-180...180), required: true),
        .init(
            "acc",
            number,
            required: true,
            "The accuracy in metres as reported by the device."
        ),
        .init("speed", number, required: true), .init("course", number, required: true),
        .init("outcome", .text(maxBytes: 100), required: true, "The outcome: accepted, late, suspect …"),
    ])

    static let pageSchema = Schema.object([
        .init("fixes", .array(fix, maxItems: 500), required: true),
        .init("links", .object([.init("next", .nullable(.text(maxBytes: 1_000)), required: true)]), required: true),
    ])
    static let explanationSchema = Schema.object([
        .init("fix", fix, required: true),
        .init(
            "fences",
            .array(
                .object([
                    .init("place", .text(maxBytes: 14), required: true),
                    .init(
                        "d",
                        number,
                        required: true,
                        "The distance in metres from the fix to the centre of the fence."
                    ),
                    .init("r", number, required: true, "The radius of the fence in metres."),
                    .init("acc", number, required: true, "The accuracy in metres assumed for the fix."),
                    .init("p", number, required: true, "The probability of being inside, given all fixes so far."),
                    .init(
                        "likely_d",
                        number,
                        required: true,
                        "The distance in metres from the centre to the user's estimated position or path, given all "
                            + "fixes so far. The decision is based on it."
                    ),
                    .init("likely_acc", number, required: true, "The accuracy of the estimate in metres."),
                    .init(
                        "state",
                        .nullable(.text(maxBytes: 100)),
                        required: true,
                        "The states before and after the fix."
                    ),
                    .init("why", .nullable(.text(maxBytes: 1_000)), required: true, "The rule that decided."),
                    .init(
                        "ledger",
                        .text(maxBytes: 100),
                        required: true,
                        "The number of stories there, and how many have been announced, as text."
                    ),
                ])
            ),
            required: true
        ),
    ])
}

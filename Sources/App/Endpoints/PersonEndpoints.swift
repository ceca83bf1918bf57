import Web
import Library
import Formats
import HTTPTypes
import Storage
import Stories

/// The routes of a person's rights over the data stored about them.
struct PersonEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] {
        [export, eraseAccount, readLocationData, eraseLocationData, readConsents, withdrawConsents, accessLog]
    }

    private static func answer(_ schema: String, _ description: String) -> [Endpoint.Success] {
        [.init(status: .ok, mediaType: MediaType.json, schema: .named(schema), description: description)]
    }

    private var export: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/export",
            name: "exportPerson",
            summary: """
                Exports all data stored about the caller as a ZIP archive of JSON and GeoJSON with a list of checksums.
                """,
            access: .user,
            scope: .exportSelf,
            cost: .heavy,
            success: [
                .init(status: .ok, mediaType: MediaType.zip, schema: nil, description: "The archive, sent in chunks.")
            ],
            refusals: [
                .init(
                    status: .conflict,
                    description: "Another export of the caller is in progress. Wait for it to finish."
                ),
                .init(
                    status: .tooManyRequests,
                    description: "Too many requests or too many exports. Wait before trying again."
                ),
            ],
            handler: { call in
                guard
                    let export = try await PersonExport(
                        of: try call.user,
                        library: library,
                        service: call.viewer.service,
                        mayBeUnknown: true
                    )
                else {
                    throw Problem.notFound
                }
                let ticket = try library.rights.exports.begin(
                    try call.user,
                    address: call.sharedAddress,
                    at: library.clock.lasting
                )
                let limited = export.holding(ticket)
                return Answer(
                    mediaType: MediaType.zip,
                    headers: [.contentDisposition: "attachment; filename=\"waymark-export.zip\""],
                    stream: { sink in try await limited.write(to: &sink) },
                    onStart: { end in ticket.onDrop(end) }
                )
            }
        )
    }

    private var eraseAccount: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/me",
            name: "eraseAccount",
            summary:
                "Erases the caller's account and all its data immediately and permanently. Earlier tokens are revoked.",
            access: .user,
            scope: .deleteSelf,
            cost: .heavy,
            success: PersonEndpoints.answer("ErasureReceipt", "The receipt."),
            handler: { call in
                let user = try call.user
                guard user != UserID.archive else {
                    throw Problem(
                        .forbidden,
                        "built-in",
                        "This user is built in and cannot be deleted. Delete its stories instead."
                    )
                }
                guard let receipt = try await library.rights.erasures.eraseAccount(of: user) else {
                    throw Problem.notFound
                }
                return Answer(body: receipt.json(key: library.store.keys[.erasures]))
            }
        )
    }

    private var readLocationData: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/location-data",
            name: "readLocationData",
            summary: """
                Returns all data stored about the current and past locations of the caller's devices, including the \
                last positions.
                """,
            access: .user,
            scope: .exportSelf,
            success: PersonEndpoints.answer("LocationData", "Positions, counts and times."),
            handler: { call in
                let user = try call.user
                let (data, settings) = try await library.store.read {
                    (try $0.locationData(of: user), try $0.notificationSettings(of: user))
                }
                return Answer(body: PersonJSON.locationData(data, settings: settings))
            }
        )
    }

    private var eraseLocationData: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/me/location-data",
            name: "eraseLocationData",
            summary: "Deletes all data derived from the caller's location and turns notifications off.",
            access: .user,
            scope: .deleteSelf,
            cost: .heavy,
            success: PersonEndpoints.answer("ErasureReceipt", "The receipt."),
            handler: { call in
                let receipt = try await library.rights.erasures.eraseLocationData(of: try call.user)
                return Answer(body: receipt.json(key: library.store.keys[.erasures]))
            }
        )
    }

    private var readConsents: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/consents",
            name: "readConsents",
            summary: "Returns the caller's consents and the history of their changes.",
            access: .user,
            scope: .notificationsRead,
            success: PersonEndpoints.answer("Consents", "The consents."),
            handler: { call in try await consents(of: try call.user) }
        )
    }

    private var withdrawConsents: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/me/consents",
            name: "withdrawConsents",
            summary: "Withdraws all of the caller's consents. Everything started under them is cancelled.",
            access: .user,
            scope: .notificationsManage,
            success: PersonEndpoints.answer("Consents", "The consents."),
            handler: { call in
                try await library.rights.settings.withdrawConsents(of: try call.user, source: .app)
                return try await consents(of: try call.user)
            }
        )
    }

    private func consents(of user: UserID) async throws -> Answer {
        let (records, settings) = try await library.store.read {
            (try $0.consents(of: user), try $0.notificationSettings(of: user))
        }
        return Answer(body: PersonJSON.consents(records, settings: settings))
    }

    private static let limit = Paging.limit(1...500, default: 100, "The maximum number of entries on a page")

    private var accessLog: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/access-log",
            name: "readAccessLog",
            summary: """
                Returns the users and services that received the exact location of a story of the caller that others \
                see less precisely, by day, newest first.
                """,
            access: .user,
            scope: .storiesRead,
            parameters: [PersonEndpoints.limit, Paging.cursor],
            success: PersonEndpoints.answer("AccessPage", "A page."),
            handler: { call in
                let user = try call.user
                let limit = try call[PersonEndpoints.limit]
                let after = try call[Paging.cursor].map { try PersonEndpoints.position($0, owner: user) }
                let (records, names) = try await library.store.read { transaction in
                    let records = try transaction.accesses(of: user, after: after, limit: limit + 1)
                    return (records, try transaction.readerNames(in: records))
                }
                let page = records.prefix(limit)
                var json = JSONWriter(capacity: 200 * (page.count + 1))
                json.beginObject()
                json.key("accesses")
                json.beginArray()
                for record in page { PersonJSON.write(record, names: names, to: &json) }
                json.endArray()
                json.key("links")
                json.beginObject()
                let next = records.count > limit ? page.last.map(PersonEndpoints.cursor) : nil
                json.member("next", next.map { call.address(setting: Paging.cursor, to: $0) })
                json.endObject()
                json.endObject()
                return Answer(body: json.bytes)
            }
        )
    }

    private static func cursor(_ record: AccessRecord) -> String {
        "\(record.day)-\(record.story)-\(record.reader.text)"
    }

    /// Returns the position in a cursor: a row of the caller's own log.
    private static func position(_ text: String, owner: UserID) throws -> AccessRecord {
        let parts = text.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let day = Int(parts[0]), let story = StoryID(parts[1]),
            let reader = AccessRecord.Reader(text: String(parts[2]))
        else { throw Paging.cursor.invalid("was not issued by this list") }
        return AccessRecord(owner: owner, story: story, reader: reader, day: day)
    }
}

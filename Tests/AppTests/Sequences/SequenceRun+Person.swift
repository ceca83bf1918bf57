import Formats
import Testing

// What a person takes along: packages, their export, their access log; and reports.
extension SequenceRun {
    /// A region to take along: its stories, its map and the fences around what others have there.
    func comparePackage(_ viewer: String?, _ listed: SequenceOracle.Found, _ why: Comment) async throws {
        let path = "/v1/offline-package?bbox=-180,-85,180,85&zoom=3&limit=500"
        let package = try await client.get(path, as: viewer).json
        let placed = listed.filter { oracle.point(viewer, $0.item) != nil }
        compareFeatures(package["stories"], viewer, placed, "\(why) package")
        let levels = package["clusters"]?.array ?? []
        #expect(levels.compactMap { $0["zoom"]?.integer } == [3, 4], why)
        for level in levels { #expect(level["numberMatched"]?.integer == placed.count, why) }
        let isWatching = viewer.map(watching.contains) == true
        #expect(package["monitoring"]?.string == (isWatching ? "on" : "off"), why)
        var expected: [SequenceOracle.Point: Int] = [:]
        if isWatching, let viewer {
            for found in oracle.tellable(to: viewer, listed) {
                if let point = oracle.publishedPoint(found.item) { expected[point, default: 0] += 1 }
            }
        }
        let fences = (package["fences"]?.array ?? [])
            .map { fence in
                let latitude = fence["lat"]?.number ?? 0
                let longitude = fence["lon"]?.number ?? 0
                return (
                    SequenceOracle.Point(latitude: latitude, longitude: longitude), fence["count"]?.integer ?? 0
                )
            }
        #expect(Dictionary(fences) { $0 + $1 } == expected, why)
    }

    /// Reports: each for its reporter, all for the operators.
    func compareReports() async throws {
        let list = try await client.get("/v1/service/reports?limit=1000", headers: service).json["reports"]
        let found = (list?.array ?? [])
            .map { entry in
                ["tracking_id", "story", "status", "owner"].map { entry[$0]?.string ?? "" }
                    + ["\(entry["count"]?.integer ?? 0)"]
            }
        let expected = oracle.reports.map { tracking, report in
            let owner = oracle.items[report.story]?.owner ?? oracle.retained[report.story]?.owner
            let count = oracle.reports.values.count { $0.story == report.story }
            return [tracking, report.story, report.status, owner ?? "", "\(count)"]
        }
        #expect(Set(found) == Set(expected) && found.count == expected.count, context("operator"))
        for (tracking, report) in oracle.reports.sorted(by: { $0.key < $1.key }) {
            for viewer in SequenceRun.viewers {
                let reply = try await client.get("/v1/reports/\(tracking)", as: viewer)
                let status = viewer == nil ? 401 : viewer == report.reporter ? 200 : 404
                #expect(
                    reply.status == status && (status != 200 || reply.json["status"]?.string == report.status),
                    context(viewer)
                )
            }
        }
    }

    /// The access log and the export of somebody: exactly what is theirs.
    func comparePerson(_ user: String) async throws {
        let why = context(user)
        let log = try await client.get("/v1/me/access-log?limit=500", as: user).json["accesses"]
        let accesses = oracle.accesses.filter { $0.owner == user }
        compareAccesses(log, accesses, why)
        let reply = try await client.get("/v1/me/export", as: user)
        #expect(reply.status == 200, why)
        let files = try ZipFiles.read(reply.bytes)
        let json = try files.mapValues { try JSONValue(parsing: $0, limits: .init(bytes: .max)) }
        compareAccesses(json["accesses.json"]?["accesses"], accesses, why)
        let own = oracle.items.filter { $0.value.owner == user }.sorted { $0.key < $1.key }
        compareExportedStories(json, own, why)
        let told = SequenceRun.told(in: json["notifications.json"]?["notifications"])
        #expect(Set(told) == feedExpected(of: user), why)
        let noted = compareAccount(json["account.json"], user, why)
        // A search for whatever is not theirs to have.
        let allowed = Set(own.map(\.key)).union(told).union(accesses.map(\.story)).union(noted)
        for (name, bytes) in files {
            let text = String(decoding: bytes, as: UTF8.self)
            let found = Set(oracle.deleted.keys).union(oracle.items.keys).subtracting(allowed).filter(text.contains)
            #expect(found.isEmpty, "\(why) \(name)")
        }
    }

    private func compareAccesses(_ log: JSONValue?, _ expected: Set<SequenceOracle.Access>, _ why: Comment) {
        let found = (log?.array ?? [])
            .map { [$0["story"]?.string ?? "", $0["reader"]?.string ?? "", $0["day"]?.string ?? ""] }
        // The first day of the sequence is the 21st of November 2026.
        let rows = Set(expected.map { [$0.story, $0.reader ?? "", "2026-11-\($0.day - 20_778 + 21)"] })
        #expect(Set(found) == rows && found.count == rows.count, why)
    }

    private func compareExportedStories(
        _ files: [String: JSONValue],
        _ own: [(key: String, value: SequenceOracle.Item)],
        _ why: Comment
    ) {
        let stories = files["stories.json"]?["stories"]?.array ?? []
        let features = files["stories.geojson"]?["features"]?.array ?? []
        #expect(stories.map { $0["id"]?.string } == own.map(\.key), why)
        #expect(features.map { $0["id"]?.string } == own.map(\.key), why)
        for (found, (id, item)) in zip(zip(stories, features), own) {
            let exact = item.place.map {
                SequenceOracle.Point(latitude: $0.latitude, longitude: $0.longitude)
            }
            #expect(point(found.0) == exact && point(found.1["geometry"]) == exact, why)
            for story in [found.0, found.1["properties"] ?? .null] {
                #expect(story["owner"]?.string == item.owner && story["privacy"]?.string == item.level, why)
                #expect(story["family"]?.string == item.family, why)
                #expect(story["auto_private"]?.bool == item.isAutoPrivate, why)
                #expect((story["withheld"]?.bool == true) == oracle.isWithheld(id), why)
                #expect((story["location"]?["address"]?.string != nil) == (item.place != nil), why)
            }
        }
    }

    /// Compares what is exported of somebody besides stories; returns the other stories that it names.
    private func compareAccount(_ account: JSONValue?, _ user: String, _ why: Comment) -> Set<String> {
        func rows(_ name: String, _ column: String, where isWanted: (JSONValue) -> Bool = { _ in true }) -> [String] {
            (account?[name]?.array ?? []).filter(isWanted).compactMap { $0[column]?.string }
        }
        let families = oracle.families.filter { $0.value.contains(user) }.keys.sorted()
        #expect(rows("memberships", "family").sorted() == families, why)
        let all = oracle.items.merging(oracle.retained) { first, _ in first }
        let hidden = all.filter { $0.value.hiddenBy.contains(user) }.keys.sorted()
        #expect(rows("hides", "story") { $0["until_at"]?.isNull != false }.sorted() == hidden, why)
        let liked = all.filter { $0.value.likedBy.contains(user) }.keys.sorted()
        #expect(rows("favourites", "story").sorted() == liked, why)
        let reported = oracle.reports.values.filter { $0.reporter == user }.map(\.story).sorted()
        #expect(rows("reports", "story").sorted() == reported, why)
        let kept = oracle.retained.filter { $0.value.owner == user }.keys.sorted()
        #expect(rows("deleted_stories_kept", "story").sorted() == kept, why)
        let gone = oracle.deleted.filter { $0.value == user }.keys.sorted()
        #expect(rows("deleted_stories", "story").sorted() == gone, why)
        return Set(rows("hides", "story") + liked + reported + gone)
    }
}

import App
import Library
import Formats
import Foundation
import GRDB
import Geometry
import HTTPTypes
import Logging
import Notifications
import Storage
import Stories
import StoryMap
import Synchronization
import Testing
import TestSupport

@Suite("Erasing a person")
struct ErasureTests {
    private static let latitude = 48.858372
    private static let longitude = 2.294481
    private static let words = ["Quillfeather", "quillfeather", "Zanzibaroom", "hidden-nook", "ana@quill.example"]
    private static var search: ByteSearch { ByteSearch(texts: words, degrees: [latitude, longitude]) }

    /// Ana with hundreds of stories between those of others, a feed, settings, accesses; ben was told of hers.
    private static func fill(_ fixture: ServiceFixture, _ client: Client, stories: Int = 400) async throws {
        try await fixture.makeFamilies()
        let ana = try #require(UserID("ana"))
        let now = fixture.clock.now
        try await fixture.library.store.write {
            try $0.save(User(id: ana, name: "Ana Quillfeather", email: "ana@quill.example"), at: now)
        }
        for user in ["ana", "ben"] {
            let settings = "{\"enabled\":true,\"radius\":200,\"preview\":\"full\"}"
            _ = try await client.send(.put, "/v1/me/notification-settings", as: user, settings)
        }
        try await fixture.library.store.write { transaction in
            var generator = SplitMix64(seed: 3)
            for number in 0..<stories {
                let isAna = number.isMultiple(of: 3)
                let owner = isAna ? ana : try #require(UserID(number.isMultiple(of: 2) ? "ben" : "cora"))
                let id = StoryID(using: &generator)
                var story = Story(
                    id: id,
                    kind: .interview,
                    title: isAna ? "Zanzibaroom \(number)" : "Other \(number)",
                    owner: owner,
                    createdAt: now
                )
                story.text = String(
                    repeating: isAna ? "by Quillfeather, " : "by another, ",
                    count: [1, 9, 90, 500][number % 4]
                )
                let degrees = Double.random(in: -80...80, using: &generator)
                let coordinate = Coordinate(
                    latitude: isAna ? latitude : degrees,
                    longitude: isAna ? longitude : 2 * degrees
                )
                story.location = StoryLocation(
                    coordinate: try #require(coordinate),
                    precision: isAna && number.isMultiple(of: 2) ? .approximate(.tenth) : .exact,
                    familySeesExact: true,
                    names: isAna ? [.name: "hidden-nook"] : [:]
                )
                try transaction.insert(story)
            }
        }
        _ = try await client.create(as: "ana", title: "Zanzibaroom near", latitude: latitude, longitude: longitude)
        _ = try await client.create(
            as: "cora",
            title: "Remains",
            latitude: latitude + 0.0004,
            longitude: longitude + 0.0003
        )
        for user in ["ben", "ana"] {
            for seconds in [0, 6, 12] {
                let time = RFC3339.format(Timestamp(milliseconds: now.milliseconds + Int64(seconds) * 1_000))
                let fix = "{\"t\":\"\(time)\",\"lat\":\(latitude + 0.0002),\"lon\":\(longitude + 0.0001),\"acc\":8}"
                _ = try await client.send(.post, "/v1/fixes", as: user, "{\"device\":\"phone\",\"fixes\":[\(fix)]}")
                fixture.clock.advance(seconds: 6)
            }
        }
        _ = try await client.get("/v1/stories?limit=1000&owner=ana", as: "ben")
    }

    @Test("NTF-09 PRV-07 After an account is erased no file contains any of it, and no one sees it")
    func account() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            try await ErasureTests.fill(fixture, client)
            let told = try await client.get("/v1/notifications", as: "ben").json["notifications"]?[0]
            #expect(told?["title"]?.string?.isEmpty == false && told?["count"]?.integer ?? 0 > 1)
            let found = try ErasureTests.search.findings(in: fixture.folder.url)
            #expect(
                found.contains { $0.contains("Quillfeather in UTF-8") } && found.contains { $0.contains("as double") }
            )
            #expect(found.contains { $0.contains("as float") })
            let reply = try await client.send(.delete, "/v1/me", as: "ana")
            #expect(reply.status == 200 && reply.json["overwritten"]?.bool == true)
            #expect(reply.json["counts"]?["stories"]?.integer == 135)
            #expect(try ErasureTests.search.findings(in: Data(reply.bytes)) == [])
            let left = try ErasureTests.search.findings(in: fixture.folder.url)
            #expect(left == [])
            #expect(try await client.get("/v1/stories?owner=ana", as: "cora").json["numberMatched"]?.integer == 0)
            let feed = try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array ?? []
            #expect(feed.count == 1 && feed.first?["count"]?.integer == 1)
            #expect(feed.first?["title"]?.string?.contains("Zanzibaroom") == false)
        }
        try await fixture.library.store.write { try $0.ping() }
        try fixture.library.store.close()
        let left = try ErasureTests.search.findings(in: fixture.folder.url)
        #expect(left == [])
    }

    @Test("NTF-09 An erased person's name leaves the feeds of those they invited, and the file")
    func invitations() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            try await fixture.makeFamilies()
            let (ana, now) = (try #require(UserID("ana")), fixture.clock.now)
            try await fixture.library.store.write {
                try $0.save(User(id: ana, name: "Ana Quillfeather", email: "ana@quill.example"), at: now)
            }
            _ = try await client.invite(["{\"user\":\"cora\"}"], into: "whitfield", as: "ana")
            let before = try await client.get("/v1/notifications", as: "cora")
            #expect(String(decoding: before.bytes, as: UTF8.self).contains("Quillfeather"))
            #expect(try ErasureTests.search.findings(in: fixture.folder.url) != [])
            #expect(try await client.send(.delete, "/v1/me", as: "ana").status == 200)
            let after = try await client.get("/v1/notifications", as: "cora")
            // With the last owner the family went, and its invitations with it.
            #expect(after.json["notifications"]?.array?.isEmpty == true)
            #expect(try ErasureTests.search.findings(in: Data(after.bytes)) == [])
        }
        #expect(try ErasureTests.search.findings(in: fixture.folder.url) == [])
        try fixture.library.store.close()
        #expect(try ErasureTests.search.findings(in: fixture.folder.url) == [])
    }

    @Test("NTF-09 If the family stays, an erased name leaves its invitations, its news and the file")
    func wordsOfOthers() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            try await fixture.makeFamilies()
            let (ana, ben, now) = (try #require(UserID("ana")), try #require(UserID("ben")), fixture.clock.now)
            let family = try #require(FamilyID("whitfield"))
            let news = FeedItem(
                id: StoryID(high: 0xF111, low: 1).description,
                user: ben,
                at: now,
                createdAt: now,
                // The story it told of is gone; the words are not.
                subject: .newStories(.init(author: ana, content: [])),
                title: "Ana Quillfeather",
                body: "added a story"
            )
            try await fixture.library.store.write {
                try $0.save(User(id: ana, name: "Ana Quillfeather", email: "ana@quill.example"), at: now)
                try $0.saveMember(ben, of: family, role: .owner, at: now)
                try $0.insert(news, ledger: [])
            }
            _ = try await client.invite(["{\"user\":\"cora\"}"], into: "whitfield", as: "ana")
            // Their answer to somebody else's invitation names them as well.
            let hill = try await client.makeFamily(of: "ben", "Hill")
            let asked = try await client.invite(["{\"user\":\"ana\"}"], into: hill, as: "ben").first
            let invitation = try #require(asked?["invitation"]?["id"]?.string)
            #expect(try await client.send(.post, "/v1/invitations/\(invitation)/decline", as: "ana").status < 300)
            let answer = try await client.get("/v1/notifications?type=family.invitation_answer", as: "ben")
            #expect(String(decoding: answer.bytes, as: UTF8.self).contains("Quillfeather"))
            let before = try await client.get("/v1/notifications", as: "cora")
            #expect(String(decoding: before.bytes, as: UTF8.self).contains("Quillfeather"))
            #expect(try await client.send(.delete, "/v1/me", as: "ana").status == 200)
            for reader in ["ben", "cora"] {
                let after = try await client.get("/v1/notifications?archived=true", as: reader)
                #expect(try ErasureTests.search.findings(in: Data(after.bytes)) == [], "\(reader)")
            }
        }
        #expect(try ErasureTests.search.findings(in: fixture.folder.url) == [])
    }

    @Test("NTF-09 A token from before the erasure is rejected; a later one starts an empty account")
    func tokens() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            _ = try await client.create(as: "ana", title: "Mine")
            let old = try await fixture.accounts.issueToken(for: try #require(UserID("ana")), seconds: 86_400)
            fixture.clock.advance(seconds: 5)
            #expect(try await client.send(.delete, "/v1/me", as: "ana").status == 200)
            fixture.clock.advance(seconds: 5)
            let headers: HTTPFields = [.authorization: "Bearer " + old]
            #expect(try await client.send(.get, "/v1/stories", headers: headers).status == 401)
            #expect(try await client.send(.get, "/v1/stories?view=mine", as: "ana").json["numberMatched"]?.integer == 0)
            #expect(try await client.send(.get, "/v1/stories", headers: headers).status == 401)
        }
    }

    @Test("NTF-09 A restored older copy is erased again before anything is served; newer users stay")
    func restore() async throws {
        let fixture = try await ServiceFixture()
        let (path, copy) = (fixture.folder.path("waymark.db"), try TemporaryFolder())
        try await fixture.run { client async throws in
            try await ErasureTests.fill(fixture, client, stories: 60)
            _ = try await client.send(.put, "/v1/me/notification-settings", as: "cora", "{\"enabled\":true}")
            let place = PlaceID(Coordinate(wrappingLatitude: 33.75, longitude: -84.37))
            let choice = #"{"keep_fixes_days":7,"places":[{"place_id":"\#(place)","enabled":false}]}"#
            #expect(try await client.send(.put, "/v1/me/notification-settings", as: "ben", choice).status == 200)
        }
        try fixture.library.store.close()
        try FileManager.default.copyItem(atPath: path, toPath: copy.path("old.db"))
        let again = try await ErasureTests.open(path, clock: fixture.clock)
        fixture.clock.advance(seconds: 60)
        let (ana, ben, cora) = (
            try #require(UserID("ana")), try #require(UserID("ben")), try #require(UserID("cora"))
        )
        _ = try await again.rights.erasures.eraseAccount(of: ana)
        _ = try await again.rights.erasures.eraseLocationData(of: ben)
        try await again.rights.settings.withdrawConsents(of: cora, source: .app)
        try again.store.close()
        // The copy is put in the place of the file; what was withdrawn and erased is not in it.
        for name in [path, path + "-wal", path + "-shm"] { try? FileManager.default.removeItem(atPath: name) }
        try FileManager.default.copyItem(atPath: copy.path("old.db"), toPath: path)
        #expect(try ErasureTests.search.findings(in: fixture.folder.url) != [])
        let refusal = #expect(throws: StoreError.self) {
            try StoryStore(path: path, mode: .readOnly, logger: Logger(label: "test"))
        }
        #expect(refusal?.description.contains("erasures.log") == true)
        let restored = try await ErasureTests.open(path, clock: fixture.clock)
        let left = try ErasureTests.search.findings(in: fixture.folder.url)
        #expect(left == [])
        let snapshot = restored.map.snapshot()
        #expect(snapshot.total(StoryQuery(viewer: .anonymous)) > 0)
        try await restored.store.read { transaction throws in
            #expect(try transaction.user(ana) == nil)
            #expect(try transaction.locationData(of: ben).notifications == 0)
            let settings = try transaction.notificationSettings(of: ben)
            #expect(!settings.enabled && settings.places.isEmpty && settings.keptDays == 0)
            #expect(try transaction.notificationSettings(of: cora).enabled == false)
            #expect(try transaction.consents(of: cora).last?.action == .withdrawn)
        }
        // A new account of the same id, and a new consent, are nobody's to erase again.
        fixture.clock.advance(seconds: 60)
        let now = fixture.clock.now
        try await restored.store.write { try $0.ensureUser(ana, at: now) }
        _ = try await restored.rights.settings.change(of: cora, source: .app) { settings, now in
            try settings.optIn(at: now, version: Consent.version)
        }
        try restored.store.inspect { try $0.execute(sql: "DELETE FROM applied_erasures") }
        try restored.store.close()
        let last = try await ErasureTests.open(path, clock: fixture.clock)
        try await last.store.read { transaction throws in
            #expect(try transaction.user(ana) != nil)
            #expect(try transaction.notificationSettings(of: cora).enabled)
        }
    }

    private static func open(_ path: String, clock: ManualClock) async throws -> StoryLibrary {
        let store = try StoryStore(path: path, mode: .readWrite, logger: Logger(label: "test"))
        return try await StoryLibrary(store: store, gazetteer: nil, now: { clock.now })
    }

    @Test("NTF-09 Location data can be viewed and deleted, and nothing is announced afterwards")
    func locationData() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            try await ErasureTests.fill(fixture, client, stories: 30)
            let before = try await client.get("/v1/me/location-data", as: "ben").json
            #expect(before["monitoring"]?.string == "on" && before["devices"]?.array?.count == 1)
            #expect(before["notifications"]?.integer == 1 && before["told_stories"]?.integer ?? 0 > 1)
            // Their own last position, as it was sent, and everything else of where they were.
            let device = before["devices"]?[0]
            let last = device?["last_position"]
            #expect(abs((last?["lat"]?.number ?? 0) - (ErasureTests.latitude + 0.0002)) < 1e-7)
            #expect(abs((last?["lon"]?.number ?? 0) - (ErasureTests.longitude + 0.0001)) < 1e-7)
            // No receiver is believed to be better than that.
            #expect(last?["accuracy"]?.number == 12)
            let sent = Timestamp(milliseconds: fixture.clock.now.milliseconds - 24_000)
            #expect(last?["at"]?.string == RFC3339.format(sent))
            #expect(device?["positions"]?.array?.contains(last ?? .null) == true)
            #expect(device?["places"]?.integer ?? 0 >= 1)
            #expect(device?["fix_digests"]?.integer == 3)
            let kept = before["kept"]?.array ?? []
            #expect(
                kept.map { $0["kind"]?.string } == [
                    "device_states", "visits", "fixes", "told_stories", "notifications", "place_settings",
                ]
            )
            #expect(kept.map { $0["rows"]?.integer } == [1, 0, 0, before["told_stories"]?.integer, 1, 0])
            let receipt = try await client.send(.delete, "/v1/me/location-data", as: "ben").json
            #expect(receipt["counts"]?["device_states"]?.integer == 1)
            let after = try await client.get("/v1/me/location-data", as: "ben").json
            #expect(after["monitoring"]?.string == "off" && after["devices"]?.array?.isEmpty == true)
            #expect(after["notifications"]?.integer == 0 && after["told_stories"]?.integer == 0)
            #expect(try await client.get("/v1/me/location-data", as: "ana").json["devices"]?.array?.count == 1)
            let history = try await client.get("/v1/me/consents", as: "ben").json["history"]?.array ?? []
            #expect(history.compactMap { $0["action"]?.string } == ["given", "withdrawn"])
            #expect(history.last?["source"]?.string == "erasure")
        }
    }

    @Test("NTF-09 Deleting location data also deletes place settings and fix retention, opted in or not")
    func placeSettings() async throws {
        let fixture = try await ServiceFixture()
        let path = "/v1/me/notification-settings"
        try await fixture.run { client async throws in
            for enabled in [true, false] {
                _ = try await client.send(.put, path, as: "ben", #"{"enabled":true,"radius":300}"#)
                let place = PlaceID(Coordinate(wrappingLatitude: 33.75, longitude: -84.37))
                let body = """
                    {"enabled":\(enabled),"radius":300,"keep_fixes_days":7,"places":[{"place_id":"\(place)","enabled":false}]}
                    """
                #expect(try await client.send(.put, path, as: "ben", body).status == 200)
                let before = try await client.get("/v1/me/location-data", as: "ben").json["kept"]?.array ?? []
                #expect(before.last?["kind"]?.string == "place_settings" && before.last?["rows"]?.integer == 1)
                let receipt = try await client.send(.delete, "/v1/me/location-data", as: "ben").json
                #expect(receipt["counts"]?["place_settings"]?.integer == 1)
                let settings = try await client.get(path, as: "ben").json
                #expect(settings["places"]?.array == [] && settings["keep_fixes_days"]?.integer == 0)
                #expect(settings["radius"]?.number == 300 && settings["enabled"]?.bool == false)
                let kept = try await client.get("/v1/me/location-data", as: "ben").json["kept"]?.array ?? []
                #expect(kept.allSatisfy { $0["rows"]?.integer == 0 })
            }
        }
    }

    @Test("PRV-03 Neither the log nor the list of erasures names anyone")
    func logs() async throws {
        let lines = Mutex("")
        var logger = Logger(label: "test") { _ in CapturingLog { line in lines.withLock { $0 += line + "\n" } } }
        logger.logLevel = .trace
        let fixture = try await ServiceFixture(logger: logger)
        try await fixture.run { client async throws in
            try await ErasureTests.fill(fixture, client, stories: 10)
            #expect(try await client.send(.delete, "/v1/me/location-data", as: "ben").status == 200)
            #expect(try await client.send(.delete, "/v1/me", as: "ana").status == 200)
        }
        let text = lines.withLock { $0 }
        #expect(text.contains("/v1/me"))
        #expect(try ErasureTests.search.findings(in: Data(text.utf8)) == [])
        #expect(!text.contains(": ana") && !text.contains("=ana"))
        let list = try String(contentsOfFile: fixture.folder.path("waymark.db.keys/erasures.log"), encoding: .utf8)
        let erasures = list.split(separator: "\n").filter { !$0.hasPrefix("3 ") }
        #expect(erasures.count == 2 && !list.contains("ana") && !list.contains("ben"))
        let attributes = try FileManager.default.attributesOfItem(
            atPath: fixture.folder.path("waymark.db.keys/erasures.log")
        )
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("NTF-09 Every table is either in the catalogue of personal data or known to contain none")
    func catalogue() async throws {
        let fixture = try await ServiceFixture()
        let tables = try fixture.library.store.inspect { db in
            try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        let own = tables.filter { name in
            ![
                "sqlite_", "idx_", "spatial", "geometry_columns", "views_", "virts_", "vector_", "sql_",
                "data_licenses", "grdb_", "SpatialIndex", "Elementary", "KNN", "topologies", "networks", "raster_",
                "rl2", "SE_", "ISO", "stored", "wms", "iso_",
            ]
            .contains { name.hasPrefix($0) }
        }
        let known = Set(PersonalTable.all.map(\.table)).union(PersonalTable.others)
        #expect(own.filter { !known.contains($0) } == [], "put new tables into PersonalTable.all or .others")
    }
}

/// A log that hands on every line.
private struct CapturingLog: LogHandler {
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]
    let write: @Sendable (String) -> Void

    init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { write("\(event.message) \(event.metadata ?? [:])") }
}

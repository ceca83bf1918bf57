import Library
import App
import Formats
import HTTPTypes
import Notifications
import Storage
import StoryMap
import Stories
import TestSupport
import Testing

@Suite("Family sharing over time")
struct FamilySharingTests {
    private static let surfaces = [
        "/v1/clusters?bbox=-180,-85,180,85&zoom=0", "/v1/clusters?bbox=-84.4,33.7,-84.3,33.8&zoom=13", "/v1/stories",
        "/v1/stories?bbox=-180,-85,180,85", "/v1/stories?q=zebra", "/v1/stories?owner=ana", "/v1/stories/ID",
        "/v1/bounds",
    ]

    /// Everything of `title` that a viewer gets on every surface, as words.
    private static func traces(
        of title: String,
        id: String,
        for user: String,
        _ client: Client
    ) async throws -> [String] {
        var found: [String] = []
        for address in surfaces {
            let reply = try await client.get(address.replacing("ID", with: id), as: user)
            let text = String(decoding: reply.bytes, as: UTF8.self)
            let count = reply.json["numberMatched"]?.integer ?? 0
            if text.contains(title) || text.contains(id) || count > 0 || text.contains("33.755") {
                found.append(address)
            }
        }
        return found
    }

    @Test("PRV-04 Nothing is shared before an invitation is accepted, nor after a member left or was removed")
    func surfaces() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let family = try await client.makeFamily(of: "ana", "Lake")
                let kin = ",\"privacy\":\"family_only\",\"text\":\"Zebra\""
                let ids = [
                    try await client.create(as: "ana", title: "Zebra", extra: kin),
                    try await client.create(as: "ana", title: "Zebra", extra: kin + ",\"family\":\"\(family)\""),
                ]
                func surfaces(_ user: String) async throws -> Set<[String]> {
                    var found: Set<[String]> = []
                    for id in ids {
                        found.insert(try await FamilySharingTests.traces(of: "Zebra", id: id, for: user, client))
                    }
                    return found
                }
                #expect(try await surfaces("ben") == [[]])
                let outcome = try await client.invite([#"{"user":"ben"}"#], into: family, as: "ana")
                let id = try #require(outcome[0]["invitation"]?["id"]?.string)
                #expect(try await surfaces("ben") == [[]])
                #expect(try await client.send(.post, "/v1/invitations/\(id)/accept", as: "ben").status == 200)
                #expect(try await surfaces("ben") == [FamilySharingTests.surfaces])
                #expect(try await client.send(.delete, "/v1/families/\(family)/members/ben", as: "ana").status == 204)
                #expect(try await surfaces("ben") == [[]])
                #expect(try await surfaces("ana") == [FamilySharingTests.surfaces])
                // The removed are not told.
                let feed = try await client.get("/v1/notifications", as: "ben").json["notifications"]?.array
                #expect(feed?.allSatisfy { $0["type"]?.string == "family.invitation" } == true)
            }
    }

    @Test("PRV-04 Stories shared with one family become private when leaving it, and reach no other family")
    func leaversStories() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let lake = try await client.makeFamily(of: "ana", "Lake")
            try await client.join(lake, as: "ben", invitedBy: "ana")
            let hill = try await client.makeFamily(of: "ben", "Hill")
            try await client.join(hill, as: "cora", invitedBy: "ben")
            let named = ",\"privacy\":\"family_only\",\"family\":\"\(lake)\""
            let story = try await client.create(as: "ben", title: "Lake only", extra: named)
            let open =
                ",\"family\":\"\(lake)\",\"location\":{\"lat\":33.75,\"lon\":-84.37,\"precision\":\"hidden\",\"family_sees_exact\":true}"
            let hidden = try await client.create(as: "ben", title: "Open", latitude: nil, extra: open)
            let all = try await client.create(as: "ben", title: "Kin", extra: ",\"privacy\":\"family_only\"")
            let before = try await client.get("/v1/stories/\(story)", as: "ben").json
            #expect(try await client.get("/v1/stories/\(hidden)", as: "ana").json["location"]?["lat"]?.number == 33.75)
            #expect(try await client.send(.delete, "/v1/families/\(lake)/members/ben", as: "ben").status == 204)
            let after = try await client.get("/v1/stories/\(story)", as: "ben").json
            #expect(after["privacy"]?.string == "private" && after["family"]?.isNull == true)
            #expect(after["updated_at"] != before["updated_at"])
            for viewer in ["ana", "cora"] {
                #expect(try await client.get("/v1/stories/\(story)", as: viewer).status == 404)
                let shown = try await client.get("/v1/stories/\(hidden)", as: viewer)
                #expect(shown.status == 200 && shown.json["location"]?.isNull == true, "\(viewer)")
            }
            #expect(try await client.get("/v1/stories/\(all)", as: "ana").status == 404)
            #expect(try await client.get("/v1/stories/\(all)", as: "cora").status == 200)
            // The map knows it as the database does.
            let rebuilt = try await StoryLibrary(
                store: fixture.library.store,
                gazetteer: nil,
                now: { fixture.clock.now }
            )
            let ben = try #require(UserID("ben"))
            let viewer = try #require(try await rebuilt.viewer(of: ben))
            let maps = [rebuilt.map.snapshot(), fixture.library.map.snapshot()]
            #expect(maps[0].version(for: viewer) == maps[1].version(for: viewer))
        }
    }

    @Test(
        "PRV-04 Deleting a family cancels its invitations, makes stories private and notifies only other owners"
    )
    func deletion() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let family = try await client.makeFamily(of: "ana", "Lake")
                try await client.join(family, as: "ben", invitedBy: "ana", role: "owner")
                try await client.join(family, as: "cora", invitedBy: "ana", role: "admin")
                try await client.join(family, as: "dora", invitedBy: "ana")
                let token = try await client.inviteByEmail("a@example.org", into: family, as: "cora").token
                _ = try await client.invite([#"{"user":"eve"}"#], into: family, as: "cora")
                let named = ",\"privacy\":\"family_only\",\"family\":\"\(family)\""
                var stories: [(owner: String, id: String)] = []
                for owner in ["ana", "ben", "dora"] {
                    stories.append((owner, try await client.create(as: owner, title: "x", extra: named)))
                }
                #expect(try await client.send(.delete, "/v1/families/\(family)", as: "ana").status == 204)
                for (owner, id) in stories {
                    for viewer in ["ana", "ben", "cora", "dora"] {
                        let reply = try await client.get("/v1/stories/\(id)", as: viewer)
                        #expect(reply.status == (viewer == owner ? 200 : 404))
                        if viewer == owner { #expect(reply.json["privacy"]?.string == "private") }
                    }
                }
                let answer = try await client.send(.post, "/v1/invitations/\(token)/accept", as: "eve")
                #expect(answer.status == 410 && client.code(answer) == "invitation-cancelled")
                let pending = try await client.get("/v1/me/invitations", as: "eve").json["invitations"]?.array
                #expect(pending?.isEmpty == true)
                for user in ["ana", "ben", "cora", "dora", "eve"] {
                    let path = "/v1/notifications?type=family.deleted,family.invitation"
                    let feed = try await client.get(path, as: user).json["notifications"]?.array ?? []
                    #expect(feed.count == (user == "ben" ? 1 : 0), "\(user)")
                    guard let item = feed.first else { continue }
                    #expect(
                        item["type"]?.string == "family.deleted" && item["opens"]?["kind"]?.string == "notification"
                    )
                    #expect(item["body"]?.string?.contains("Lake") == true)
                    #expect(item["place"] == nil && item["content_ids"] == nil && item["kind"] == nil)
                }
            }
    }

    @Test("PRV-04 Erasing an account hands its family to the longest-standing admin, else member, or deletes it")
    func accountEnd() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let lake = try await client.makeFamily(of: "ana", "Lake")
            for (user, role) in [("mia", "member"), ("adam", "admin"), ("alma", "admin")] {
                fixture.clock.advance(seconds: 1)
                try await client.join(lake, as: user, invitedBy: "ana", role: role)
            }
            let hill = try await client.makeFamily(of: "ana", "Hill")
            for user in ["ben", "alex"] {
                fixture.clock.advance(seconds: 1)
                try await client.join(hill, as: user, invitedBy: "ana")
            }
            let alone = try await client.makeFamily(of: "ana", "Alone")
            let token = try await client.inviteByEmail("a@example.org", into: alone, as: "ana").token
            let other = try await client.makeFamily(of: "ben", "Other")
            _ = try await client.invite([#"{"user":"ana"}"#], into: other, as: "ben")

            let ana = try #require(UserID("ana"))
            #expect(try await fixture.library.rights.erasures.removeUser(ana))
            #expect(try await client.members(of: lake, as: "mia") == ["adam:owner", "alma:admin", "mia:member"])
            #expect(try await client.members(of: hill, as: "ben") == ["alex:member", "ben:owner"])
            let gone = try await client.send(.post, "/v1/invitations/\(token)/accept", as: "ben")
            #expect(client.code(gone) == "invitation-cancelled")
            let path = "/v1/families/\(other)/invitations"
            #expect(try await client.get(path, as: "ben").json["invitations"]?.array?.isEmpty == true)
            let left = try await fixture.library.store.read { try $0.families().map(\.id.rawValue) }
            #expect(left == [lake, hill, other].sorted())
        }
    }

    @Test("The demo's families stay as their members left them")
    func demoFamilies() async throws {
        let fixture = try await ServiceFixture()
        let demo = try Demo(folders: DataFolders(), keys: fixture.library.store.keys, now: fixture.clock.now)
        try await demo.load(into: fixture.library)
        let ben = try #require(UserID("ben"))
        try await fixture.library.store.write { [library = fixture.library] transaction in
            try library.families.leaveAllFamilies(of: ben, in: transaction)
        }
        try await demo.load(into: fixture.library)
        #expect(try await fixture.library.viewer(of: ben)?.families.isEmpty == true)
    }
}

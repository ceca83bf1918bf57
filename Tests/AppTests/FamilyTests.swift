import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

@Suite("Families over HTTP")
struct FamilyTests {
    /// A family with an owner, an admin and two members, an invitation, and nobody else.
    private static func makeHouse(_ client: Client) async throws -> (family: String, invitation: String) {
        let family = try await client.makeFamily(of: "olga", "House")
        try await client.join(family, as: "adam", invitedBy: "olga", role: "admin")
        try await client.join(family, as: "alma", invitedBy: "olga", role: "admin")
        try await client.join(family, as: "mia", invitedBy: "adam")
        try await client.join(family, as: "max", invitedBy: "adam")
        let outcome = try await client.invite([#"{"user":"nobody-yet"}"#], into: family, as: "olga")
        return (family, try #require(outcome[0]["invitation"]?["id"]?.string))
    }

    @Test(
        "PRV-04 Owners may do everything, admins invite and remove members, members read and leave",
        arguments: [
            // Operation, and what it answers to owner, admin, member, stranger and nobody.
            ("GET", "", "", [200, 200, 200, 404, 401]),
            ("PATCH", "", #"{"name":"Home"}"#, [200, 403, 403, 404, 401]),
            ("DELETE", "", "", [204, 403, 403, 404, 401]),
            ("GET", "/members", "", [200, 200, 200, 404, 401]),
            ("PATCH", "/members/max", #"{"role":"admin"}"#, [200, 403, 403, 404, 401]),
            ("PATCH", "/members/max", #"{"role":"owner"}"#, [200, 403, 403, 404, 401]),
            ("PATCH", "/members/cora", #"{"role":"admin"}"#, [404, 403, 403, 404, 401]),
            ("DELETE", "/members/max", "", [204, 204, 403, 404, 401]),
            ("DELETE", "/members/alma", "", [204, 403, 403, 404, 401]),
            ("DELETE", "/members/olga", "", [409, 403, 403, 404, 401]),
            ("DELETE", "/members/cora", "", [404, 404, 404, 404, 401]),
            ("GET", "/invitations", "", [200, 200, 403, 404, 401]),
            ("POST", "/invitations", #"{"invitations":[{"user":"cora"}]}"#, [200, 200, 403, 404, 401]),
            ("POST", "/invitations/INVITATION/resend", "", [200, 200, 403, 404, 401]),
            ("DELETE", "/invitations/INVITATION", "", [204, 204, 403, 404, 401]),
            ("DELETE", "/invitations/0123456789abcdef0123456789abcdef", "", [404, 404, 403, 404, 401]),
        ]
    )
    func roles(method: String, path: String, body: String, answers: [Int]) async throws {
        for (caller, expected) in zip(["olga", "adam", "mia", "cora", nil], answers) {
            try await ServiceFixture()
                .run { client async throws in
                    let house = try await FamilyTests.makeHouse(client)
                    let absent = try await client.get("/v1/stories/0123456789abcdef0123456789abcdef", as: "cora")
                    let tail = path.replacing("INVITATION", with: house.invitation)
                    let address = "/v1/families/\(house.family)\(tail)"
                    let verb = try #require(HTTPRequest.Method(method))
                    let reply = try await client.send(verb, address, as: caller, body.isEmpty ? nil : body)
                    #expect(reply.status == expected, "\(method) \(path) as \(caller ?? "nobody")")
                    if expected == 404 { #expect(reply.bytes == absent.bytes) }
                    guard expected == 404, caller == "cora" else { return }
                    let none = address.replacing(house.family, with: "nosuchfamily")
                    let other = try await client.send(verb, none, as: caller, body.isEmpty ? nil : body)
                    #expect(other.bytes == reply.bytes && other.status == reply.status)
                }
        }
    }

    @Test("PRV-04 Admins can neither invite admins nor cancel or resend such invitations")
    func adminOffers() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let house = try await FamilyTests.makeHouse(client)
                let entries = [#"{"user":"eve","role":"admin"}"#, #"{"user":"fay"}"#]
                let outcomes = try await client.invite(entries, into: house.family, as: "adam")
                #expect(outcomes.map { $0["outcome"]?.string } == ["refused", "invited"])
                let made = try await client.invite([entries[0]], into: house.family, as: "olga")
                let id = try #require(made[0]["invitation"]?["id"]?.string)
                let path = "/v1/families/\(house.family)/invitations/\(id)"
                #expect(try await client.send(.delete, path, as: "adam").status == 403)
                #expect(try await client.send(.post, path + "/resend", as: "adam").status == 403)
                let owner = #"{"invitations":[{"user":"gil","role":"owner"}]}"#
                let refused = try await client.send(
                    .post,
                    "/v1/families/\(house.family)/invitations",
                    as: "olga",
                    owner
                )
                #expect(refused.json["invitations"]?[0]?["outcome"]?.string == "refused")
            }
    }

    @Test("PRV-04 The last owner can never leave others behind; leaving alone deletes the family")
    func lastOwner() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let family = try await client.makeFamily(of: "ana", "Whitfield")
                try await client.join(family, as: "ben", invitedBy: "ana", role: "owner")
                let (ana, ben) = ("/v1/families/\(family)/members/ana", "/v1/families/\(family)/members/ben")
                #expect(try await client.send(.patch, ana, as: "ben", #"{"role":"member"}"#).status == 200)
                for attempt in [
                    try await client.send(.delete, ben, as: "ben"),
                    try await client.send(.patch, ben, as: "ben", #"{"role":"admin"}"#),
                ] {
                    #expect(attempt.status == 409 && client.code(attempt) == "last-owner")
                }
                #expect(try await client.members(of: family, as: "ben") == ["ana:member", "ben:owner"])
                #expect(try await client.send(.delete, ana, as: "ana").status == 204)
                #expect(try await client.send(.delete, ben, as: "ben").status == 204)
                #expect(try await client.get("/v1/families/\(family)", as: "ben").status == 404)
                #expect(try await client.get("/v1/families", as: "ben").json["families"]?.array?.isEmpty == true)
            }
    }

    @Test("Family names are one line of at most 300 bytes; ids are random; lists are paged")
    func names() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let long = String(repeating: "x", count: StoryLimits.nameLength)
                for (name, status) in [("", 422), (" ", 422), ("a\\nb", 422), (long, 201), (long + "x", 422)] {
                    let reply = try await client.send(.post, "/v1/families", as: "ana", "{\"name\":\"\(name)\"}")
                    #expect(reply.status == status)
                }
                for number in 0..<4 { _ = try await client.makeFamily(of: "ana", "F\(number)") }
                var found: [String] = []
                var next: String? = "/v1/families?limit=2"
                while let address = next {
                    let page = try await client.get(address, as: "ana").json
                    found += (page["families"]?.array ?? []).compactMap { $0["id"]?.string }
                    next = page["links"]?["next"]?.string
                }
                #expect(found.count == 5 && Set(found).count == 5 && found == found.sorted())
                #expect(found.allSatisfy { InvitationID($0) != nil })
                #expect(try await client.get("/v1/families?cursor=x", as: "ana").status == 400)
            }
    }

    @Test("PRV-04 No user belongs to more families than a layer list can hold")
    func manyFamilies() async throws {
        let fixture = try await ServiceFixture()
        let user = try #require(UserID("ana"))
        let now = fixture.clock.now
        try await fixture.library.store.write { transaction in
            try transaction.ensureUser(user, at: now)
            for number in 0..<FamilyLimits.families {
                let id = try #require(FamilyID("f\(number)"))
                try transaction.saveFamily(id, name: "F", at: now)
                try transaction.saveMember(user, of: id, role: .owner, at: now)
            }
        }
        try await fixture.run { client async throws in
            let reply = try await client.send(.post, "/v1/families", as: "ana", #"{"name":"One more"}"#)
            #expect(reply.status == 409 && client.code(reply) == "too-many-families")
            let list = try await client.get("/v1/families", as: "ana")
            #expect(list.json["families"]?.array?.count == FamilyLimits.families)
        }
    }
}

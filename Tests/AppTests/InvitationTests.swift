import App
import Library
import Crypto
import Formats
import Foundation
import HTTPTypes
import Storage
import Stories
import TestSupport
import Testing

@Suite("Invitations over HTTP")
struct InvitationTests {
    private static func accept(_ name: String) -> String { "/v1/invitations/\(name)/accept" }

    @Test("PRV-04 An invitation by user name shows the invitee the family's and inviter's names and the role only")
    func byName() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let family = try await client.makeFamily(of: "ana", "Lake")
            let outcome = try await client.invite([#"{"user":"cora","role":"admin"}"#], into: family, as: "ana")
            #expect(outcome[0]["link"]?.isNull == true)
            let list = try await client.get("/v1/me/invitations", as: "cora")
            let text = String(decoding: list.bytes, as: UTF8.self)
            #expect(!text.contains(family) && !text.contains("\"ana\""))
            let mine = try #require(list.json["invitations"]?[0])
            #expect(mine["family"]?["name"]?.string == "Lake" && mine["invited_by"]?["name"]?.string == "Ana")
            #expect(mine["role"]?.string == "admin")
            let id = try #require(mine["id"]?.string)
            #expect(try await client.get("/v1/families/\(family)", as: "cora").status == 404)
            for stranger in ["ben", "ana"] {
                #expect(try await client.send(.post, InvitationTests.accept(id), as: stranger).status == 404)
                #expect(try await client.send(.post, "/v1/invitations/\(id)/decline", as: stranger).status == 404)
            }
            let joined = try await client.send(.post, InvitationTests.accept(id), as: "cora")
            #expect(joined.status == 200 && joined.json["role"]?.string == "admin")
            #expect(try await client.members(of: family, as: "cora") == ["ana:owner", "cora:admin"])
            let rest = try await client.get("/v1/me/invitations", as: "cora").json["invitations"]?.array
            #expect(rest?.isEmpty == true)
        }
    }

    @Test("PRV-04 Inviting a user id gives the same answer for an unknown user, who finds it after joining")
    func existence() async throws {
        var answers: [[UInt8]] = []
        for exists in [true, false] {
            let fixture = try await ServiceFixture(random: SeededRandom.source(7))
            let (now, dora) = (fixture.clock.now, try #require(UserID("dora")))
            if exists { try await fixture.library.store.write { try $0.ensureUser(dora, at: now) } }
            let collected = ByteLog()
            try await fixture.run { client async throws in
                let family = try await client.makeFamily(of: "ana", "Lake")
                let path = "/v1/families/\(family)/invitations"
                let body = #"{"invitations":[{"user":"dora"},{"user":"dora"}]}"#
                for reply in [
                    try await client.send(.post, path, as: "ana", body), try await client.get(path, as: "ana"),
                ] {
                    collected.append(reply.bytes)
                }
                let list = try await client.get("/v1/me/invitations", as: "dora")
                #expect(list.json["invitations"]?.array?.count == 1)
            }
            answers.append(collected.bytes)
        }
        #expect(answers[0] == answers[1] && !answers[0].isEmpty)
    }

    @Test("PRV-04 Several invitations at once each get their own result, in order")
    func many() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let family = try await client.makeFamily(of: "ana", "Lake")
            try await client.join(family, as: "ben", invitedBy: "ana")
            let entries = [
                #"{"user":"cora"}"#, #"{"user":"ben"}"#, #"{"user":"ana"}"#, #"{"user":"not an id"}"#,
                #"{"email":"nonsense"}"#, #"{"email":"x@example.org"}"#, #"{"email":"X@Example.org"}"#,
                #"{"user":"cora","email":"c@example.org"}"#, "{}", #"{"user":"cora"}"#,
            ]
            let outcomes = try await client.invite(entries, into: family, as: "ana")
            #expect(
                outcomes.compactMap { $0["outcome"]?.string } == [
                    "invited", "already_member", "already_member", "refused", "refused", "invited",
                    "already_pending", "refused", "refused", "already_pending",
                ]
            )
            #expect(outcomes[0]["invitation"]?["id"] == outcomes[9]["invitation"]?["id"])
            #expect(outcomes[5]["invitation"]?["id"] == outcomes[6]["invitation"]?["id"])
            #expect(outcomes[6]["link"]?.isNull == true && outcomes[5]["link"]?.string != nil)
            let listed = try await client.get("/v1/families/\(family)/invitations", as: "ana")
            #expect(listed.json["invitations"]?.array?.count == 2)
            #expect(!String(decoding: listed.bytes, as: UTF8.self).contains("invitation="))
            let tooMany = Array(repeating: #"{"user":"x"}"#, count: FamilyLimits.batch + 1).joined(separator: ",")
            let path = "/v1/families/\(family)/invitations"
            let refused = try await client.send(.post, path, as: "ana", "{\"invitations\":[\(tooMany)]}")
            #expect(refused.status == 422)
        }
    }

    @Test("PRV-04 A token works once within seven days; an invalid one says why, an unknown one is not found")
    func tokens() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let family = try await client.makeFamily(of: "ana", "Lake")
            func answer(_ token: String, _ verb: String = "accept") async throws -> String {
                let reply = try await client.send(.post, "/v1/invitations/\(token)/\(verb)", as: "ben")
                return "\(reply.status) \(client.code(reply) ?? "")"
            }
            let used = try await client.inviteByEmail("a@example.org", into: family, as: "ana")
            #expect(try await client.send(.post, InvitationTests.accept(used.token), as: "cora").status == 200)
            #expect(try await answer(used.token) == "410 invitation-used")
            #expect(try await answer(used.token, "decline") == "410 invitation-used")
            let cancelled = try await client.inviteByEmail("b@example.org", into: family, as: "ana")
            let path = "/v1/families/\(family)/invitations"
            #expect(try await client.send(.delete, "\(path)/\(cancelled.id)", as: "ana").status == 204)
            #expect(try await answer(cancelled.token) == "410 invitation-cancelled")
            let declined = try await client.inviteByEmail("c@example.org", into: family, as: "ana")
            #expect(try await answer(declined.token, "decline") == "204 ")
            #expect(try await answer(declined.token) == "410 invitation-declined")
            let late = try await client.inviteByEmail("d@example.org", into: family, as: "ana")
            fixture.clock.advance(seconds: 7 * 86_400 - 0.001)
            let intime = try await client.inviteByEmail("e@example.org", into: family, as: "ana")
            fixture.clock.advance(seconds: 0.001)
            #expect(try await answer(late.token) == "410 invitation-expired")
            #expect(try await answer(late.token, "decline") == "410 invitation-expired")
            #expect(try await answer(intime.token) == "200 ")
            // Neither the id of an e-mail's invitation nor a token nobody gave out leads anywhere.
            let absent = try await client.get("/v1/stories/0123456789abcdef0123456789abcdef", as: "ben")
            let guesses = [
                late.id, String(repeating: "A", count: 43), String(late.token.dropLast()), late.token + "A",
                late.token.uppercased(), "x", "%2e%2e",
            ]
            for guess in guesses {
                let reply = try await client.send(.post, InvitationTests.accept(guess), as: "ben")
                #expect(reply.status == 404 && reply.bytes == absent.bytes, "\(guess)")
            }
        }
    }

    @Test("PRV-04 Resending replaces the token, valid for seven days; by name the days start again")
    func resend() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let family = try await client.makeFamily(of: "ana", "Lake")
            let path = "/v1/families/\(family)/invitations"
            let first = try await client.inviteByEmail("a@example.org", into: family, as: "ana")
            fixture.clock.advance(seconds: 6 * 86_400)
            let again = try await client.send(.post, "\(path)/\(first.id)/resend", as: "ana")
            let token = try Client.token(in: again.json["link"])
            #expect(token != first.token && again.json["invitation"]?["id"]?.string == first.id)
            let dead = try await client.send(.post, InvitationTests.accept(first.token), as: "ben")
            #expect(dead.status == 410 && client.code(dead) == "invitation-replaced")
            fixture.clock.advance(seconds: 6 * 86_400)
            #expect(try await client.send(.post, InvitationTests.accept(token), as: "ben").status == 200)
            #expect(try await client.send(.post, "\(path)/\(first.id)/resend", as: "ana").status == 404)

            let named = try await client.invite([#"{"user":"cora"}"#], into: family, as: "ana")
            let id = try #require(named[0]["invitation"]?["id"]?.string)
            fixture.clock.advance(seconds: 8 * 86_400)
            let expired = try await client.get(path, as: "ana").json["invitations"]?[0]
            #expect(expired?["state"]?.string == "expired")
            #expect(try await client.get("/v1/me/invitations", as: "cora").json["invitations"]?.array?.isEmpty == true)
            #expect(try await client.send(.post, InvitationTests.accept(id), as: "cora").status == 410)
            let renewed = try await client.invite([#"{"user":"cora"}"#], into: family, as: "ana")
            #expect(renewed[0]["outcome"]?.string == "invited" && renewed[0]["invitation"]?["id"]?.string == id)
            #expect(try await client.send(.post, InvitationTests.accept(id), as: "cora").status == 200)
        }
    }

    @Test("PRV-04 When several people accept one link at once, exactly one joins", arguments: 0..<5)
    func race(round: Int) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let family = try await client.makeFamily(of: "ana", "Lake")
            let token = try await client.inviteByEmail("a@example.org", into: family, as: "ana").token
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        try await client.send(.post, InvitationTests.accept(token), as: "user\(number)").status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 200 }.count == 1)
            #expect(statuses.filter { $0 == 410 }.count == 11)
            #expect(try await client.members(of: family, as: "ana").count == 2)
        }
    }

    @Test("PRV-04 Losing the right to invite cancels a user's invitations immediately")
    func lostRight() async throws {
        try await ServiceFixture()
            .run { client async throws in
                for way in ["leave", "demote", "demote-admin", "delete"] {
                    let family = try await client.makeFamily(of: "ana", way)
                    let role = way == "demote-admin" ? "owner" : "admin"
                    try await client.join(family, as: "ben", invitedBy: "ana", role: role)
                    let offered = way == "demote-admin" ? "admin" : "member"
                    let (id, token) = try await client.inviteByEmail("x@y.org", into: family, as: "ben", role: offered)
                    let member = "/v1/families/\(family)/members/ben"
                    let status =
                        switch way {
                        case "leave": try await client.send(.delete, member, as: "ben").status
                        case "demote": try await client.send(.patch, member, as: "ana", #"{"role":"member"}"#).status
                        case "demote-admin":
                            try await client.send(.patch, member, as: "ana", #"{"role":"admin"}"#).status
                        default: try await client.send(.delete, "/v1/families/\(family)", as: "ana").status
                        }
                    #expect(status / 100 == 2, "\(way)")
                    let reply = try await client.send(.post, InvitationTests.accept(token), as: "cora")
                    #expect(client.code(reply) == "invitation-cancelled", "\(way)")
                    guard way != "delete" else { continue }
                    let path = "/v1/families/\(family)/invitations"
                    #expect(try await client.get(path, as: "ana").json["invitations"]?.array?.isEmpty == true)
                    #expect(try await client.send(.post, "\(path)/\(id)/resend", as: "ana").status == 404)
                }
            }
    }

    @Test("PRV-04 An invitation does not change a member's role, and joining ends the one by name")
    func memberAlready() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let family = try await client.makeFamily(of: "ana", "Lake")
            let token = try await client.inviteByEmail("a@example.org", into: family, as: "ana").token
            let own = try await client.send(.post, InvitationTests.accept(token), as: "ana")
            #expect(own.status == 409 && client.code(own) == "already-member")
            #expect(try await client.members(of: family, as: "ana") == ["ana:owner"])
            _ = try await client.invite([#"{"user":"ben"}"#], into: family, as: "ana")
            #expect(try await client.send(.post, InvitationTests.accept(token), as: "ben").status == 200)
            #expect(try await client.get("/v1/me/invitations", as: "ben").json["invitations"]?.array?.isEmpty == true)
            let path = "/v1/families/\(family)/invitations"
            #expect(try await client.get(path, as: "ana").json["invitations"]?.array?.isEmpty == true)
        }
    }

    @Test("PRV-04 Neither the database nor its log contains a token, and an ended invitation has no address")
    func nothingToSteal() async throws {
        let fixture = try await ServiceFixture()
        let collected = ByteLog()
        try await fixture.run { client async throws in
            let family = try await client.makeFamily(of: "ana", "Lake")
            for (number, address) in ["one@example.org", "two@example.org", "three@example.org"].enumerated() {
                let (id, token) = try await client.inviteByEmail(address, into: family, as: "ana")
                collected.append(Array(token.utf8))
                let path = "/v1/families/\(family)/invitations/\(id)"
                let again = try await client.send(.post, path + "/resend", as: "ana")
                let newer = try Client.token(in: again.json["link"])
                collected.append(Array(newer.utf8))
                if number == 0 { _ = try await client.send(.post, InvitationTests.accept(newer), as: "ben") }
                if number == 1 { _ = try await client.send(.delete, path, as: "ana") }
            }
        }
        let live = ["", "-wal"].reduce(into: Data()) { $0 += fixture.contents(ofFileEnding: $1) }
        try fixture.library.store.close()
        let closed = fixture.contents(ofFileEnding: "")
        #expect(closed.range(of: Data("three@example.org".utf8)) != nil)
        #expect(collected.parts.count == 6)
        for token in collected.parts {
            let raw = Data(base64Encoded: InvitationTests.base64(token)) ?? Data()
            #expect(raw.count == 32 && closed.range(of: Data(SHA256.hash(data: token))) != nil)
            for file in [live, closed] {
                #expect(file.range(of: Data(token)) == nil && file.range(of: raw) == nil)
            }
        }
        for address in ["one@example.org", "two@example.org"] {
            #expect(closed.range(of: Data(address.utf8)) == nil)
        }
    }

    private static func base64(_ token: [UInt8]) -> String {
        String(decoding: token, as: UTF8.self).replacing("-", with: "+").replacing("_", with: "/") + "="
    }
}

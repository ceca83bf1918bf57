import App
import Library
import Formats
import GRDB
import HTTPTypes
import Notifications
import Storage
import Stories
import TestSupport
import Testing

/// PRV-04, DLV-07: what becomes of invitations reaches those it concerns, and nobody else.
@Suite("Invitation news")
struct InvitationNewsTests {
    private static func feed(_ client: Client, _ type: String, of user: String) async throws -> [JSONValue] {
        try await client.get("/v1/notifications?type=\(type)", as: user).json["notifications"]?.array ?? []
    }

    private static func answers(_ client: Client, of user: String) async throws -> [String?] {
        try await feed(client, "family.invitation_answer", of: user).map { $0["body"]?.string }
    }

    private static func run(
        _ body: @escaping @Sendable (ServiceFixture, Client, String) async throws -> Void
    )
        async throws
    {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            try await body(fixture, client, try await client.makeFamily(of: "ana", "Lake"))
        }
    }

    private static func invite(_ client: Client, _ entry: String, into family: String) async throws -> String {
        let outcome = try #require(try await client.invite([entry], into: family, as: "ana").first)
        return try #require(outcome["invitation"]?["id"]?.string)
    }

    @Test("DLV-07 The inviter is notified of an acceptance or refusal, by name and by e-mail")
    func answered() async throws {
        try await InvitationNewsTests.run { _, client, family in
            let ben = try await InvitationNewsTests.invite(client, #"{"user":"ben"}"#, into: family)
            _ = try await client.send(.post, "/v1/invitations/\(ben)/decline", as: "ben")
            #expect(
                try await InvitationNewsTests.answers(client, of: "ana")
                    == ["Ben declined your invitation to join the family Lake."]
            )
            let link = try await client.inviteByEmail("c@example.org", into: family, as: "ana").token
            #expect(try await client.send(.post, "/v1/invitations/\(link)/accept", as: "cora").status == 200)
            let news = try await InvitationNewsTests.feed(client, "family.invitation_answer", of: "ana")
            #expect(Set(news.map { $0["details"]?["outcome"]?.string }) == ["accepted", "declined"])
            let text = news.compactMap { $0["body"]?.string }.joined()
            #expect(
                text.contains("Cora accepted your invitation to join the family Lake.")
                    && !text.contains("example.org")
            )
            for other in ["ben", "cora"] {
                #expect(try await InvitationNewsTests.answers(client, of: other).isEmpty)
            }
        }
    }

    @Test("DLV-04 Users who switched that type off are not notified, not even later")
    func switchedOff() async throws {
        try await InvitationNewsTests.run { fixture, client, family in
            let off = #"{"types":[{"type":"family.invitation_answer","enabled":false}]}"#
            _ = try await client.send(.put, DeliveryTests.settings, as: "ana", off)
            let id = try await InvitationNewsTests.invite(client, #"{"user":"ben"}"#, into: family)
            _ = try await client.send(.post, "/v1/invitations/\(id)/decline", as: "ben")
            _ = try await InvitationNewsTests.invite(client, #"{"user":"cora"}"#, into: family)
            fixture.clock.advance(seconds: 7 * 86_400)
            #expect(try await fixture.library.invitations.announceExpired() == 0)
            #expect(try await InvitationNewsTests.answers(client, of: "ana").isEmpty)
        }
    }

    @Test("DLV-07 An expired invitation is announced once, in its original language; resent, once more")
    func expired() async throws {
        try await InvitationNewsTests.run { fixture, client, family in
            let id = try await InvitationNewsTests.invite(client, #"{"user":"ben"}"#, into: family)
            fixture.clock.advance(seconds: 7 * 86_400 - 1)
            #expect(try await fixture.library.invitations.announceExpired() == 0)
            fixture.clock.advance(seconds: 1)
            for count in [1, 0, 0] { #expect(try await fixture.library.invitations.announceExpired() == count) }
            #expect(
                try await InvitationNewsTests.answers(client, of: "ana")
                    // Not "Ben": nothing says whether there is such a user.
                    == ["Your invitation for ben to join the family Lake has expired. You can send it again."]
            )
            let resend = "/v1/families/\(family)/invitations/\(id)/resend"
            #expect(try await client.send(.post, resend, as: "ana").status == 200)
            fixture.clock.advance(seconds: 7 * 86_400)
            for count in [1, 0] { #expect(try await fixture.library.invitations.announceExpired() == count) }
            #expect(try await InvitationNewsTests.answers(client, of: "ana").count == 2)
            #expect(try await InvitationNewsTests.answers(client, of: "ben").isEmpty)
        }
    }

    @Test("PRV-04 An inviter who was removed from the family, or left it, gets no more news of it")
    func removed() async throws {
        try await InvitationNewsTests.run { fixture, client, family in
            try await client.join(family, as: "ben", invitedBy: "ana", role: "owner")
            _ = try await InvitationNewsTests.invite(client, #"{"user":"cora"}"#, into: family)
            let before = try await InvitationNewsTests.answers(client, of: "ana").count
            #expect(try await client.send(.delete, "/v1/families/\(family)/members/ana", as: "ben").status == 204)
            let mine = try await client.get("/v1/me/invitations", as: "cora").json["invitations"]?.array
            #expect(mine?.isEmpty == true)
            #expect(try await InvitationNewsTests.feed(client, "family.invitation", of: "cora").isEmpty)
            fixture.clock.advance(seconds: 7 * 86_400)
            #expect(try await fixture.library.invitations.announceExpired() == 0)
            #expect(try await InvitationNewsTests.answers(client, of: "ana").count == before)
        }
    }

    @Test("PRV-04 A former family member gets no news of their invitations, however they left")
    func membershipLost() async throws {
        try await InvitationNewsTests.run { fixture, client, family in
            try await client.join(family, as: "ben", invitedBy: "ana", role: "owner")
            let before = try await InvitationNewsTests.answers(client, of: "ana")
            _ = try await InvitationNewsTests.invite(client, #"{"user":"cora"}"#, into: family)
            // As a program does that changes the file beside the service: the invitation stays.
            try fixture.library.store.inspect {
                try $0.execute(
                    sql: "DELETE FROM memberships WHERE user = 'ana' AND family = ?",
                    arguments: [family]
                )
            }
            fixture.clock.advance(seconds: 7 * 86_400)
            #expect(try await fixture.library.invitations.announceExpired() == 0)
            #expect(try await InvitationNewsTests.answers(client, of: "ana") == before)
        }
    }

    @Test(
        "PRV-04 Void invitations leave the invitee's feed: the family deleted, the invitation cancelled",
        arguments: ["deleted", "cancelled", "answered, then deleted"]
    )
    func withdrawn(way: String) async throws {
        try await InvitationNewsTests.run { _, client, family in
            let id = try await InvitationNewsTests.invite(client, #"{"user":"ben"}"#, into: family)
            let other = try await client.makeFamily(of: "cora", "Hill")
            _ = try await client.invite([#"{"user":"ben"}"#], into: other, as: "cora")
            #expect(try await InvitationNewsTests.feed(client, "family.invitation", of: "ben").count == 2)
            if way == "cancelled" {
                let path = "/v1/families/\(family)/invitations/\(id)"
                #expect(try await client.send(.delete, path, as: "ana").status == 204)
            } else {
                if way != "deleted" { _ = try await client.send(.post, "/v1/invitations/\(id)/decline", as: "ben") }
                #expect(try await client.send(.delete, "/v1/families/\(family)", as: "ana").status == 204)
            }
            let left = try await InvitationNewsTests.feed(client, "family.invitation", of: "ben")
            #expect(left.count == 1 && left.first?["body"]?.string?.contains("Hill") == true)
            #expect(try await client.get("/v1/notifications/badge", as: "ben").json["unread"]?.integer == 1)
        }
    }

    @Test("PRV-04 An error in one of ten invitations rejects only that one")
    func oneOfTen() async throws {
        try await InvitationNewsTests.run { _, client, family in
            let good = (0..<5).map { "{\"user\":\"guest-\($0)\"}" }
            let bad = [
                #"{"user":"cora","role":"owner"}"#, #"{"user":7}"#, #""ben""#, #"{"user":"ben","surprise":1}"#,
                "{\"email\":\"\(String(repeating: "x", count: 500))@example.org\"}",
            ]
            let outcomes = try await client.invite(zip(good, bad).flatMap { [$0, $1] }, into: family, as: "ana")
            #expect(outcomes.map { $0["outcome"]?.string } == (0..<5).flatMap { _ in ["invited", "refused"] })
            for refused in outcomes where refused["outcome"]?.string == "refused" {
                #expect(refused["reason"]?.string?.isEmpty == false && refused["invitation"]?.isNull == true)
            }
            // Nobody becomes a member for want of a role that there is.
            let roles = ["\"owner\"", "\"king\"", "7", "null"].map { "{\"user\":\"ben\",\"role\":\($0)}" }
            let wrong = try await client.invite(roles, into: family, as: "ana")
            #expect(wrong.map { $0["outcome"]?.string } == roles.map { _ in "refused" })
            #expect(wrong.map { $0["reason"]?.string } == roles.map { _ in "The role must be member or admin." })
            let pending = try await client.get("/v1/families/\(family)/invitations", as: "ana").json["invitations"]
            #expect(pending?.array?.count == 5)
        }
    }
}

import Formats
import HTTPTypes
import Stories
import TestSupport
import Testing

@Suite("What became of invitations")
struct InvitationOutcomeTests {
    private static func states(_ client: Client, _ path: String, as user: String) async throws -> [String] {
        let list = try await client.get("\(path)?ended=true", as: user).json["invitations"]?.array ?? []
        return
            list.map { entry in
                let whom = entry["member_name"]?.string ?? entry["email"]?.string ?? entry["user"]?.string
                return "\(whom ?? entry["family"]?["name"]?.string ?? "-") \(entry["state"]?.string ?? "")"
            }
            .sorted()
    }

    @Test("PRV-04 Who invites sees pending, accepted, declined, expired and withdrawn; members do not")
    func sent() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let family = try await client.makeFamily(of: "ana", "Lake")
            let path = "/v1/families/\(family)/invitations"
            let accepted = try await client.inviteByEmail("a@example.org", into: family, as: "ana")
            #expect(try await client.send(.post, "/v1/invitations/\(accepted.token)/accept", as: "cora").status == 200)
            let declined = try await client.inviteByEmail("b@example.org", into: family, as: "ana")
            #expect(try await client.send(.post, "/v1/invitations/\(declined.token)/decline", as: "ben").status == 204)
            let withdrawn = try #require(try await client.invite([#"{"user":"dora"}"#], into: family, as: "ana").first)
            let id = try #require(withdrawn["invitation"]?["id"]?.string)
            #expect(try await client.send(.delete, "\(path)/\(id)", as: "ana").status == 204)
            _ = try await client.inviteByEmail("c@example.org", into: family, as: "ana")
            fixture.clock.advance(seconds: Double(FamilyLimits.lifetime) / 1_000 + 1)
            _ = try await client.inviteByEmail("d@example.org", into: family, as: "ana")
            #expect(
                try await InvitationOutcomeTests.states(client, path, as: "ana") == [
                    "- declined", "Cora accepted", "c@example.org expired", "d@example.org pending", "dora withdrawn",
                ]
            )
            let open = try await client.get(path, as: "ana").json["invitations"]?.array
            #expect(open?.count == 2)
            #expect(try await client.get("\(path)?ended=true", as: "cora").status == 403)
            #expect(try await client.get("\(path)?ended=true", as: "ben").status == 404)
            fixture.clock.advance(seconds: 91 * 86_400)
            #expect(
                try await InvitationOutcomeTests.states(client, path, as: "ana") == [
                    "c@example.org expired", "d@example.org expired",
                ]
            )
        }
    }

    @Test("PRV-04 Who is invited sees what they answered, without the name of a family that is not theirs")
    func received() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            var families: [String] = []
            for (name, verb) in [("Lake", "accept"), ("Hill", "decline"), ("Wood", nil), ("Moor", "cancel")]
                as [(String, String?)]
            {
                let family = try await client.makeFamily(of: "ana", name)
                families.append(family)
                let outcome = try #require(try await client.invite([#"{"user":"ben"}"#], into: family, as: "ana").first)
                let id = try #require(outcome["invitation"]?["id"]?.string)
                if verb == "cancel" {
                    _ = try await client.send(.delete, "/v1/families/\(family)/invitations/\(id)", as: "ana")
                } else if let verb {
                    _ = try await client.send(.post, "/v1/invitations/\(id)/\(verb)", as: "ben")
                }
            }
            let path = "/v1/me/invitations"
            #expect(
                try await InvitationOutcomeTests.states(client, path, as: "ben") == [
                    "- declined", "Lake accepted", "Wood pending",
                ]
            )
            fixture.clock.advance(seconds: Double(FamilyLimits.lifetime) / 1_000 + 1)
            #expect(
                try await InvitationOutcomeTests.states(client, path, as: "ben") == [
                    "- declined", "- expired", "Lake accepted",
                ]
            )
            _ = try await client.send(.delete, "/v1/families/\(families[0])/members/ben", as: "ben")
            #expect(try await InvitationOutcomeTests.states(client, path, as: "ben").contains("- accepted"))
            #expect(try await client.get(path, as: "ben").json["invitations"]?.array?.isEmpty == true)
        }
    }

    @Test("PRV-04 The short code stands for the link, however it is typed, until the invitation is sent again")
    func code() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let family = try await client.makeFamily(of: "ana", "Lake")
            let outcome = try #require(
                try await client.invite([#"{"email":"a@example.org"}"#], into: family, as: "ana").first
            )
            let code = try #require(outcome["code"]?.string)
            #expect(code.utf8.count == 14)
            #expect(outcome["qr_code"]?.string?.hasPrefix("<svg") == true)
            let bare = code.replacing("-", with: "")
            for typed in [code, bare, bare.lowercased(), bare.replacing("0", with: "o").replacing("1", with: "l")] {
                let offer = try await client.get("/v1/invitations/\(typed)", as: nil)
                #expect(offer.json["family_name"]?.string == "Lake", "\(typed)")
            }
            let id = try #require(outcome["invitation"]?["id"]?.string)
            let path = "/v1/families/\(family)/invitations/\(id)/resend"
            let sent = try await client.send(.post, path, as: "ana")
            let second = try #require(sent.json["code"]?.string)
            #expect(second != code && sent.json["qr_code"]?.string != outcome["qr_code"]?.string)
            let old = try await client.send(.post, "/v1/invitations/\(bare)/accept", as: "cora")
            #expect(client.code(old) == "invitation-replaced")
            #expect(try await client.send(.post, "/v1/invitations/\(second)/accept", as: "cora").status == 200)
            #expect(try await client.members(of: family, as: "cora") == ["ana:owner", "cora:member"])
            let again = try await client.send(.post, "/v1/invitations/\(second)/accept", as: "ben")
            #expect(client.code(again) == "invitation-used")
            #expect(try await client.get("/v1/invitations/0000-0000-0000", as: nil).status == 404)
            let byName = try #require(try await client.invite([#"{"user":"ben"}"#], into: family, as: "ana").first)
            #expect(byName["code"]?.isNull == true && byName["qr_code"]?.isNull == true)
        }
    }
}

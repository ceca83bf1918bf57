import Formats
import HTTPTypes
import Stories
import Testing

extension Client {
    /// Makes a family and returns its id.
    func makeFamily(of user: String, _ name: String) async throws -> String {
        let reply = try await send(.post, "/v1/families", as: user, "{\"name\":\"\(name)\"}")
        #expect(reply.status == 201, "\(String(decoding: reply.bytes, as: UTF8.self))")
        return try #require(reply.json["id"]?.string)
    }

    /// Invites by entries of JSON and returns what became of each.
    func invite(_ entries: [String], into family: String, as user: String) async throws -> [JSONValue] {
        let body = "{\"invitations\":[\(entries.joined(separator: ","))]}"
        let reply = try await send(.post, "/v1/families/\(family)/invitations", as: user, body)
        #expect(reply.status == 200, "\(String(decoding: reply.bytes, as: UTF8.self))")
        return try #require(reply.json["invitations"]?.array)
    }

    /// Invites by e-mail and returns the invitation's id and the token of its link.
    func inviteByEmail(
        _ email: String,
        into family: String,
        as user: String,
        role: String = "member"
    ) async throws -> (id: String, token: String) {
        let entry = "{\"email\":\"\(email)\",\"role\":\"\(role)\"}"
        let outcome = try #require(try await invite([entry], into: family, as: user).first)
        return (try #require(outcome["invitation"]?["id"]?.string), try Client.token(in: outcome["link"]))
    }

    /// The token of a link.
    static func token(in link: JSONValue?) throws -> String {
        let parts = try #require(link?.string).split(separator: "/#invitation=")
        #expect(parts.count == 2 && parts[1].utf8.count == 43)
        return String(try #require(parts.last))
    }

    /// Invites somebody by user id and lets them accept; an owner is made one afterwards.
    func join(_ family: String, as user: String, invitedBy inviter: String, role: String = "member") async throws {
        let offered = role == "owner" ? "admin" : role
        let entry = "{\"user\":\"\(user)\",\"role\":\"\(offered)\"}"
        let outcome = try #require(try await invite([entry], into: family, as: inviter).first)
        let id = try #require(outcome["invitation"]?["id"]?.string)
        #expect(try await send(.post, "/v1/invitations/\(id)/accept", as: user).status == 200)
        guard role == "owner" else { return }
        let body = "{\"role\":\"owner\"}"
        #expect(try await send(.patch, "/v1/families/\(family)/members/\(user)", as: inviter, body).status == 200)
    }

    /// The members of a family as `user:role`, sorted; empty where the viewer does not see it.
    func members(of family: String, as user: String) async throws -> [String] {
        let reply = try await get("/v1/families/\(family)/members", as: user)
        return (reply.json["members"]?.array ?? [])
            .compactMap { member in
                member["user"]?.string.flatMap { user in member["role"]?.string.map { "\(user):\($0)" } }
            }
            .sorted()
    }

    /// The word for programs in a problem.
    func code(_ reply: Reply) -> String? { reply.json["type"]?.string?.split(separator: "/").last.map(String.init) }
}

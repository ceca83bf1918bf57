import Formats
import HTTPTypes
import HummingbirdTesting
import Stories
import TestSupport

/// Others who act between a viewer's requests: some in every world alike, some of whom the viewer may not know.
struct TwinActors {
    private let worlds: [TwinWorld]
    private let clients: [any TestClientProtocol]
    /// What invisible people do, in each world that has any.
    private var unseen: [(world: Int, requests: TwinRequests)] = []
    private var draw: TwinDraw
    private var serial = 0
    private var stories: [(id: String, owner: String)] = []
    private var tokens: [String: String] = [:]

    /// Those who change visible things.
    static let visible = ["ann", "tom", "zoe"]
    /// Those who only do what no viewer may see.
    private static let invisible = ["gus", "hal"]

    init(
        document: JSONValue,
        worlds: [TwinWorld],
        clients: [any TestClientProtocol],
        seed: UInt64
    ) async throws {
        self.worlds = worlds
        self.clients = clients
        draw = TwinDraw(seed: seed ^ 0xAC70)
        for name in TwinActors.visible { tokens[name] = try await worlds[0].token(of: name) }
        for (index, world) in worlds.enumerated() where world.population.variant != .bare {
            for name in TwinActors.invisible {
                let token = try await world.token(of: name)
                let requests = try TwinRequests(
                    unseen: name,
                    document: document,
                    world: world.population,
                    token: token,
                    seed: SplitSeed.of(seed, "\(name) \(index)"),
                    now: world.clock.now
                )
                unseen.append((index, requests))
            }
        }
    }

    /// Lets everybody know what time it is.
    mutating func setTime(_ now: Timestamp) {
        for index in unseen.indices { unseen[index].requests.setTime(now) }
    }

    /// Somebody does something that is no business of the viewer's, in the worlds where they exist.
    mutating func actUnseen(telling viewer: inout TwinRequests) async throws {
        for index in unseen.indices where draw.chance(60) {
            let request = try unseen[index].requests.next()
            let world = unseen[index].world
            worlds[world].random.setApart(true)
            let reply = try await TwinReply(request, by: clients[world])
            worlds[world].random.setApart(false)
            unseen[index].requests.learn(request, reply)
            if worlds[world].population.variant == .whole { viewer.learnUnseen(request, reply) }
        }
    }

    /// Zoe, of whom there is nothing but what she does in every world, makes a family and invites the viewer.
    private mutating func invite(_ viewer: String) async throws {
        serial += 1
        var request = TwinRequest(method: .post, path: "/v1/families", operation: "another's")
        request.body = "{\"name\":\"Zoe's \(serial)\"}"
        let family = try await sendEverywhere(request, as: "zoe")
        guard let id = family["id"]?.string else { return }
        request.path = "/v1/families/\(id)/invitations"
        request.body = "{\"invitations\":[{\"user\":\"\(viewer)\"}]}"
        _ = try await sendEverywhere(request, as: "zoe")
    }

    private func sendEverywhere(_ request: TwinRequest, as name: String) async throws -> JSONValue {
        var request = request
        request.headers[.authorization] = "Bearer " + (tokens[name] ?? "")
        var replies: [TwinReply] = []
        for client in clients { replies.append(try await TwinReply(request, by: client)) }
        guard Set(replies.map(\.status)).count == 1, (200..<300).contains(replies[0].status) else {
            throw TwinFault("\(request.method) \(request.path) of \(name) answered \(replies.map(\.status))")
        }
        return (try? JSONValue(parsing: replies[0].bytes, limits: .init(bytes: .max))) ?? .null
    }

    /// Somebody whom the viewer may know creates, changes or deletes a story in every world alike.
    mutating func actSeen() async throws {
        serial += 1
        let name = draw.pick(TwinActors.visible)
        if name == "zoe", let viewer = worlds[0].viewerName, draw.chance(50) { return try await invite(viewer) }
        let level = draw.pick(["public", "family_only", "private"])
        var request = TwinRequest(method: .post, path: "/v1/stories", operation: "another's")
        let mine = stories.filter { $0.owner == name }
        let town = draw.pick(TwinWords.towns)
        let title = "\(draw.pick(TwinWords.open)) \(serial)"
        if mine.isEmpty || draw.chance(50) {
            request.body = """
                {"kind":"photo","title":"\(title)","privacy":"\(level)",\
                "location":{"lat":\(town.latitude),"lon":\(town.longitude)}}
                """
        } else {
            let id = draw.pick(mine).id
            request.path += "/\(id)"
            request.method = draw.chance(25) ? .delete : .patch
            request.body = request.method == .delete ? nil : "{\"title\":\"\(title)\",\"privacy\":\"\(level)\"}"
            if request.method == .delete { stories.removeAll { $0.id == id } }
        }
        let json = try await sendEverywhere(request, as: name)
        if request.method == .post, let id = json["id"]?.string { stories.append((id, name)) }
    }
}

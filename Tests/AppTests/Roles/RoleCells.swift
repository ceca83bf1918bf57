import Formats
import HTTPTypes
import Stories

extension RoleStage {
    /// Ids that never were, and texts that are no ids.
    static let absent = "0123456789abcdef0123456789abcdef"
    static let malformed = "no-such-thing"

    /// Everything that a route can be about for a role, made anew, with what the table wants for it.
    func cells(_ rule: RouteRule, for role: Role) async throws -> [RoleCell] {
        switch rule.about {
        case .nothing(let status): [RoleCell(name: "nothing", values: [:], status: status)]
        case .story(let own, let others): try await storyCells(own: own, others: others, for: role)
        case .storyPlace(let own, let others, let isWaiting):
            try await storyPlaceCells(own: own, others: others, isWaiting: isWaiting, for: role)
        case .picture(let status): try await pictureCells(status, for: role)
        case .family(let owner, let admin, let member):
            try await familyCells(owner: owner, admin: admin, member: member, for: role)
        case .member(let status): try await memberCells(status, for: role)
        case .invitation(let status): try await invitationCells(status, for: role)
        case .anyReport(let status): try await reportCells(status, for: role)
        case .own(let thing, let status): try await ownCells(thing, status, for: role)
        case .collection(let own, let others): try await collectionCells(own: own, others: others, for: role)
        case .namedPlace(let own, let others): try await namedPlaceCells(own: own, others: others, for: role)
        case .place(let status): placeCells(status)
        case .device(let status):
            [
                RoleCell(name: "the key's device", values: ["device": "phone"], status: status),
                RoleCell(name: "another", values: ["device": "pad"], status: role == .device ? 404 : status),
            ]
        case .entry(let status): try await entryCells(status)
        case .person(let status):
            [
                RoleCell(name: "a user", values: ["user": "olga"], status: status),
                RoleCell(name: "nobody", values: ["user": "never-was"], status: status),
                RoleCell(name: "malformed", values: ["user": "no%20id"], status: 404),
            ]
        case .link(let status, let malformed):
            [
                RoleCell(name: "absent", values: ["invitation": String(repeating: "x", count: 43)], status: status),
                RoleCell(name: "malformed", values: ["invitation": RoleStage.malformed], status: malformed),
            ]
        case .cluster(let status): try await clusterCells(status, for: role)
        case .basemap(let status):
            [
                RoleCell(name: "known", values: ["basemap": "land", "z": "0", "x": "0", "y": "0"], status: status),
                RoleCell(name: "unknown", values: ["basemap": "none", "z": "0", "x": "0", "y": "0"], status: 404),
            ]
        case .shared(let status, let hasPicture): try await sharedCells(status, hasPicture: hasPicture, for: role)
        case .sharedCluster(let status): try await sharedClusterCells(status)
        case .tile(let status, let empty): try await tileCells(status, empty: empty, for: role)
        }
    }

    /// Stories with a picture, and one that has none, which answers as if it were not there.
    private func pictureCells(_ status: Int, for role: Role) async throws -> [RoleCell] {
        let cells = try await storyCells(own: status, others: status, hasPicture: true, for: role)
        let bare = try await story(of: "olga", "public")
        return cells + [RoleCell(name: "without a picture", values: ["id": bare], status: 404)]
    }

    private func storyPlaceCells(own: Int, others: Int, isWaiting: Bool, for role: Role) async throws -> [RoleCell] {
        var cells: [RoleCell] = []
        for cell in try await storyCells(own: own, others: others, for: role) {
            guard let id = cell.values["id"] else { continue }
            var values = cell.values
            values["story_place"] = RoleStage.absent
            if ["own", "other's"].contains(where: { cell.name.hasPrefix($0) }) {
                let owner = cell.name.hasPrefix("own") ? role.user : role.user == "olga" ? "mia" : "olga"
                values["story_place"] = try await place(of: id, owner: owner ?? "olga", isWaiting: isWaiting)
            }
            cells.append(RoleCell(name: cell.name, values: values, status: cell.status))
            guard cell.name.hasPrefix("own") else { continue }
            values["story_place"] = RoleStage.absent
            cells.append(RoleCell(name: cell.name + ", no such place", values: values, status: 404))
        }
        return cells
    }

    /// A place besides the location of a story.
    func place(of story: String, owner: String, isWaiting: Bool) async throws -> String {
        let source = isWaiting ? "ai_extracted" : "manual"
        let body = "{\"lat\":3,\"lon\":4,\"source\":\"\(source)\"}"
        let reply = try await prepare(.post, "/v1/stories/\(story)/places", as: owner, body)
        guard let id = reply["places"]?[0]?["id"]?.string else { throw TwinFault("A new place has no id.") }
        return id
    }

    private func storyCells(
        own: Int,
        others: Int,
        hasPicture: Bool = false,
        for role: Role
    ) async throws -> [RoleCell] {
        func story(of user: String, _ privacy: String) async throws -> String {
            let id = try await self.story(of: user, privacy)
            guard hasPicture else { return id }
            _ = try await prepare(.put, "/v1/stories/\(id)/thumbnail", as: user, SmallPicture.webp())
            return id
        }
        // A service may change what it is told of by anybody; that has tests of its own.
        if role == .service, own != others { return [] }
        var cells: [RoleCell] = []
        for privacy in Privacy.allCases.map(\.rawValue) {
            let user = role.user
            if let user {
                let id = try await story(of: user, privacy)
                cells.append(RoleCell(name: "own \(privacy)", values: ["id": id], status: own))
            }
            let other = user == "olga" ? "mia" : "olga"
            let isSeen = privacy == "public" || privacy == "family_only" && role.isFamily
            let id = try await story(of: other, privacy)
            cells.append(RoleCell(name: "other's \(privacy)", values: ["id": id], status: isSeen ? others : 404))
        }
        let deleted = try await story(of: "olga", "public")
        _ = try await prepare(.delete, "/v1/stories/\(deleted)", as: "olga", nil)
        return cells + [
            RoleCell(name: "deleted", values: ["id": deleted], status: 404),
            RoleCell(name: "absent", values: ["id": RoleStage.absent], status: 404),
            RoleCell(name: "malformed", values: ["id": RoleStage.malformed], status: 404),
        ]
    }
}

import Library
import App
import Formats
import Geometry
import HTTPTypes
import Stories

extension RoleStage {
    func collectionCells(own: Int, others: Int, for role: Role) async throws -> [RoleCell] {
        // A service may remove what it is told of by anybody, as it may change stories.
        if role == .service, own != others { return [] }
        var cells: [RoleCell] = []
        for privacy in Privacy.allCases.map(\.rawValue) {
            if let user = role.user {
                let id = try await collection(of: user, privacy)
                cells.append(RoleCell(name: "own \(privacy)", values: ["collection": id], status: own))
            }
            let other = role.user == "olga" ? "mia" : "olga"
            let isSeen = privacy == "public" || privacy == "family_only" && role.isFamily
            let id = try await collection(of: other, privacy)
            cells.append(
                RoleCell(name: "other's \(privacy)", values: ["collection": id], status: isSeen ? others : 404)
            )
        }
        let deleted = try await collection(of: "olga", "public")
        _ = try await prepare(.delete, "/v1/collections/\(deleted)", as: "olga", nil)
        return cells + [
            RoleCell(name: "deleted", values: ["collection": deleted], status: 404),
            RoleCell(name: "absent", values: ["collection": RoleStage.absent], status: 404),
            RoleCell(name: "malformed", values: ["collection": RoleStage.malformed], status: 404),
        ]
    }

    /// A new collection of a user.
    func collection(of user: String, _ privacy: String) async throws -> String {
        let body = "{\"title\":\"\(nextName("trip"))\",\"privacy\":\"\(privacy)\"}"
        guard let id = try await prepare(.post, "/v1/collections", as: user, body)["id"]?.string else {
            throw TwinFault("A new collection has no id.")
        }
        return id
    }

    func namedPlaceCells(own: Int, others: Int, for role: Role) async throws -> [RoleCell] {
        // A service may change what it is told of by anybody, as it may change stories.
        if role == .service, own != others { return [] }
        var cells: [RoleCell] = []
        for privacy in Privacy.allCases {
            if let user = role.user {
                let id = try await namedPlace(of: user, privacy)
                cells.append(RoleCell(name: "own \(privacy)", values: ["named_place": id], status: own))
            }
            let other = role.user == "olga" ? "mia" : "olga"
            let isSeen = privacy == .public || privacy == .familyOnly && role.isFamily
            let id = try await namedPlace(of: other, privacy)
            cells.append(
                RoleCell(name: "other's \(privacy)", values: ["named_place": id], status: isSeen ? others : 404)
            )
        }
        let deleted = try await namedPlace(of: "olga", .private)
        _ = try await prepare(.delete, "/v1/named-places/\(deleted)", as: "olga", nil)
        return cells + [
            RoleCell(name: "deleted", values: ["named_place": deleted], status: 404),
            RoleCell(name: "absent", values: ["named_place": RoleStage.absent], status: 404),
            RoleCell(name: "malformed", values: ["named_place": RoleStage.malformed], status: 404),
        ]
    }

    /// A new named place of a user; a public one as the operator makes it.
    func namedPlace(of user: String, _ privacy: Privacy) async throws -> String {
        guard let owner = UserID(user) else { throw TwinFault("\(user) is no id") }
        var input = NamedPlaceInput()
        (input.name, input.privacy) = (nextName("place"), privacy)
        let middle = Coordinate(wrappingLatitude: 1, longitude: 2)
        return try await world.library.places.addNamedPlace(input, at: middle, owner: owner, mayBePublic: true).id
            .rawValue
    }

    func placeCells(_ status: Int) -> [RoleCell] {
        let here = PlaceID(Coordinate(wrappingLatitude: 1, longitude: 2)).description
        let nowhere = PlaceID(Coordinate(wrappingLatitude: 60, longitude: -40)).description
        return [
            RoleCell(name: "a place with stories", values: ["place": here], status: status),
            RoleCell(name: "a place without", values: ["place": nowhere], status: status),
            RoleCell(name: "malformed", values: ["place": RoleStage.malformed], status: 404),
        ]
    }
}

import Formats
import Geometry
import HTTPTypes
import Stories

extension RoleStage {
    func clusterCells(_ status: Int, for role: Role) async throws -> [RoleCell] {
        let cells = try await pointCells(for: role) { point, isSeen in
            // The deepest zoom, where a cell is a few metres wide.
            let id = UInt64(20) << 48 | UInt64(point.x >> 8) << 24 | UInt64(point.y >> 8)
            return (["cluster": "\(id)"], isSeen ? status : 404)
        }
        return cells
            + [
                ("absent", "\(20 << 48)"), ("beyond", "\(21 << 48)"), ("too large", "99999999999999999999"),
                ("malformed", RoleStage.malformed), ("story's", RoleStage.absent),
            ]
            .map { RoleCell(name: $0.0, values: ["cluster": $0.1], status: 404) }
    }

    func tileCells(_ status: Int, empty: Int, for role: Role) async throws -> [RoleCell] {
        func values(_ zoom: Int, _ column: Int, _ row: Int) -> [String: String] {
            ["z": "\(zoom)", "x": "\(column)", "y": "\(row)"]
        }
        let cells = try await pointCells(for: role) { point, isSeen in
            (values(20, Int(point.x >> 12), Int(point.y >> 12)), isSeen ? status : empty)
        }
        return cells + [
            RoleCell(name: "empty", values: values(20, 5, 5), status: empty),
            RoleCell(name: "beyond", values: values(3, 8, 0), status: 404),
            RoleCell(name: "too deep", values: values(21, 0, 0), status: 404),
            RoleCell(name: "malformed", values: ["z": RoleStage.malformed, "x": "0", "y": "0"], status: 404),
        ]
    }

    /// Places with one story each, of every level, the caller's own and another's, and one whose story is deleted.
    private func pointCells(
        for role: Role,
        _ cell: (_ point: MercatorPoint, _ isSeen: Bool) -> (values: [String: String], status: Int)
    ) async throws -> [RoleCell] {
        var cells: [RoleCell] = []
        func add(_ name: String, _ point: MercatorPoint, isSeen: Bool) {
            let (values, status) = cell(point, isSeen)
            cells.append(RoleCell(name: name, values: values, status: status))
        }
        for privacy in Privacy.allCases.map(\.rawValue) {
            if let user = role.user {
                add("own \(privacy)", try await lonelyStory(of: user, privacy).point, isSeen: true)
            }
            let other = role.user == "olga" ? "mia" : "olga"
            let isSeen = privacy == "public" || privacy == "family_only" && role.isFamily
            add("other's \(privacy)", try await lonelyStory(of: other, privacy).point, isSeen: isSeen)
        }
        let deleted = try await lonelyStory(of: "olga", "public")
        _ = try await prepare(.delete, "/v1/stories/\(deleted.id)", as: "olga", nil)
        add("deleted", deleted.point, isSeen: false)
        return cells
    }

    /// A new story of a user far from all others.
    func lonelyStory(of user: String, _ privacy: String) async throws -> (id: String, point: MercatorPoint) {
        let number = Double(nextName("").dropFirst()) ?? 0
        let (latitude, longitude) = (-50 + 0.5 * number.truncatingRemainder(dividingBy: 97), 70 + 0.01 * number)
        let location = "{\"lat\":\(latitude),\"lon\":\(longitude)}"
        let body = "{\"kind\":\"photo\",\"title\":\"A\",\"privacy\":\"\(privacy)\",\"location\":\(location)}"
        guard let id = try await prepare(.post, "/v1/stories", as: user, body)["id"]?.string else {
            throw TwinFault("A new story has no id.")
        }
        return (id, MercatorPoint(Coordinate(wrappingLatitude: latitude, longitude: longitude)))
    }
}

import Formats
import Geometry
import HTTPTypes
import Stories

extension RoleStage {
    /// Stories in the collection that the holder's link shows, and others that it does not.
    func sharedCells(_ status: Int, hasPicture: Bool, for role: Role) async throws -> [RoleCell] {
        func cell(
            _ name: String,
            of user: String,
            _ privacy: String,
            _ title: String,
            _ status: Int
        ) async throws -> RoleCell {
            let id = try await collected(of: user, privacy, title)
            if hasPicture {
                _ = try await prepare(.put, "/v1/stories/\(id)/thumbnail", as: user, SmallPicture.webp())
            }
            return RoleCell(name: name, values: ["id": id], status: status)
        }
        let deleted = try await collected(of: "olga", "public", sharedTitle)
        _ = try await prepare(.delete, "/v1/stories/\(deleted)", as: "olga", nil)
        return [
            try await cell("shared public", of: "olga", "public", sharedTitle, status),
            try await cell("shared family_only", of: "olga", "family_only", sharedTitle, status),
            try await cell("private in the collection", of: "olga", "private", sharedTitle, 404),
            try await cell("elsewhere", of: "olga", "public", "elsewhere", 404),
            try await cell("another's of that name", of: "mia", "public", sharedTitle, 404),
            RoleCell(name: "deleted", values: ["id": deleted], status: 404),
            RoleCell(name: "absent", values: ["id": RoleStage.absent], status: 404),
            RoleCell(name: "malformed", values: ["id": RoleStage.malformed], status: 404),
        ]
    }

    /// Clusters of one story each: one that the holder's link shows, and others that it does not.
    func sharedClusterCells(_ status: Int) async throws -> [RoleCell] {
        func cluster(of user: String, _ privacy: String, _ title: String) async throws -> String {
            let story = try await lonelyStory(of: user, privacy)
            let body = "{\"collection\":\"\(title)\"}"
            _ = try await prepare(.patch, "/v1/stories/\(story.id)", as: user, body)
            return "\(UInt64(20) << 48 | UInt64(story.point.x >> 8) << 24 | UInt64(story.point.y >> 8))"
        }
        let shown = try await cluster(of: "olga", "family_only", sharedTitle)
        let unshown = [
            ("private in the collection", try await cluster(of: "olga", "private", sharedTitle)),
            ("elsewhere", try await cluster(of: "olga", "public", "elsewhere")),
            ("another's of that name", try await cluster(of: "mia", "public", sharedTitle)),
            ("absent", "\(20 << 48)"), ("malformed", RoleStage.malformed),
        ]
        return [RoleCell(name: "shared", values: ["cluster": shown], status: status)]
            + unshown.map { RoleCell(name: $0.0, values: ["cluster": $0.1], status: 404) }
    }

    /// A new story of a user that names a collection.
    private func collected(of user: String, _ privacy: String, _ title: String) async throws -> String {
        let id = try await story(of: user, privacy)
        _ = try await prepare(.patch, "/v1/stories/\(id)", as: user, "{\"collection\":\"\(title)\"}")
        return id
    }

    /// The id of a new link to a new story of a user.
    func shareLink(of user: String) async throws -> String {
        let story = try await story(of: user, "private")
        let made = try await prepare(.post, "/v1/me/share-links", as: user, "{\"story\":\"\(story)\"}")
        guard let id = made["id"]?.string else { throw TwinFault("A new link has no id.") }
        return id
    }
}

public import Library
import Formats
import Foundation
import Geometry
import Notifications
public import Storage
public import Stories

/// The stories, users and families that `serve --demo` shows.
public struct Demo: Sendable {
    /// A fault in the demo's data, described for its editor.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// One sentence: the fault and its location.
        public let description: String
    }

    /// The users, in the order their tokens are printed.
    public let users: [User]

    private let families: [(id: FamilyID, name: DisplayName, members: [(UserID, FamilyRole)])]
    private let stories: [Story]
    /// The pictures, with their stories.
    private let pictures: [(story: StoryID, bytes: [UInt8])]

    /// Reads the demo's data, which is stored beside the program.
    ///
    /// - Throws: ``Failure`` if the data is missing, or if a user, family or story lacks a valid id, name or owner;
    ///   `JSONError` if it is not JSON; ``Refusal`` for a story with an invalid field.
    public init(folders: DataFolders, keys: StoreKeys, now: Timestamp) throws {
        guard let folder = folders.resource("demo"),
            let data = try? Data(contentsOf: folder.appendingPathComponent("demo-stories.json"))
        else { throw Failure(description: "The demo's stories were not found beside the program.") }
        let json = try JSONValue(parsing: [UInt8](data), limits: .init(bytes: 16 << 20))
        users = try (json["users"]?.array ?? [])
            .map { value in
                guard let id = value["id"]?.string.flatMap({ UserID($0) }) else {
                    throw Failure(description: "A user of the demo has no id.")
                }
                return User(id: id, name: try Demo.name(value, of: "user \(id)").text)
            }
        families = try (json["families"]?.array ?? []).map(Demo.family)
        let secret = keys[.storyIDs]
        let values = json["stories"]?.array ?? []
        stories = try values.enumerated()
            .map { index, value in
                try Demo.story(value, number: index, secret: secret, now: now)
            }
        pictures = try zip(stories, values)
            .compactMap { story, value in
                guard let name = value["picture"]?.string else { return nil }
                guard let data = try? Data(contentsOf: folder.appendingPathComponent("pictures/\(name)")) else {
                    throw Failure(description: "The demo's picture \(name) was not found beside the program.")
                }
                return (story.id, [UInt8](data))
            }
    }

    /// Stores the users, families and stories that do not exist yet; existing ones are unchanged.
    public func load(into library: StoryLibrary) async throws {
        let now = library.now()
        let added = try await library.store.write { [self] transaction in
            var added: Set<StoryID> = []
            for user in users where try transaction.user(user.id) == nil { try transaction.save(user, at: now) }
            for family in families where try transaction.family(family.id) == nil {
                try transaction.saveFamily(family.id, name: family.name, at: now)
                for (user, role) in family.members {
                    try transaction.saveMember(user, of: family.id, role: role, at: now)
                }
            }
            try library.feed.writeStories(in: transaction) { writes in
                for var story in stories where try transaction.story(story.id) == nil {
                    story.location = story.location.map(library.maps.derivingNames)
                    story.location?.stamp(at: story.createdAt, replacing: nil)
                    try writes.insert(story)
                    added.insert(story.id)
                }
            }
            return added
        }
        for picture in pictures where added.contains(picture.story) {
            guard let story = stories.first(where: { $0.id == picture.story }),
                let viewer = try await library.viewer(of: story.owner)
            else { continue }
            let owner = Principal(viewer: viewer, scopes: [.storiesWrite], account: story.owner.rawValue)
            try await library.pictures.put(picture.bytes, on: picture.story, by: owner)
        }
    }

    private static func family(
        _ value: JSONValue
    ) throws -> (id: FamilyID, name: DisplayName, members: [(UserID, FamilyRole)]) {
        guard let id = value["id"]?.string.flatMap({ FamilyID($0) }) else {
            throw Failure(description: "A family of the demo has no id.")
        }
        let name = try Demo.name(value, of: "family \(id)")
        let members: [(UserID, FamilyRole)] = (value["members"]?.array ?? [])
            .compactMap { member in
                guard let user = member["user"]?.string.flatMap({ UserID($0) }) else { return nil }
                return (user, member["role"]?.string.flatMap(FamilyRole.init) ?? .member)
            }
        return (id, name, members)
    }

    private static func name(_ value: JSONValue, of whom: String) throws(Failure) -> DisplayName {
        do {
            return try DisplayName(value["name"]?.string ?? "", in: "name")
        } catch {
            throw Failure(description: "In the demo's \(whom): \(error)")
        }
    }

    private static func story(_ value: JSONValue, number: Int, secret: [UInt8], now: Timestamp) throws -> Story {
        guard let sourceID = value["source_id"]?.string, let owner = value["owner"]?.string.flatMap({ UserID($0) })
        else {
            throw Failure(description: "Story \(number + 1) of the demo has no source_id or owner.")
        }
        let id = KeyedID.imported(secret: secret, owner: owner, source: "demo", sourceID: sourceID)
        var story = Story(id: id, kind: .interview, title: "", owner: owner, createdAt: now)
        var members = value.object ?? [:]
        members["location"] = nil
        try StoryInput(body: .object(members), ownerFamilies: []).apply(to: &story)
        story.source = "demo"
        story.sourceID = sourceID
        if let location = value["location"], !location.isNull {
            story.location = try LocationInput(body: location).whole(for: nil).get()
        }
        // The source of a fact is part of the story's text.
        if let source = value["fact_from"]?.string {
            story.text = [story.text, "Source: \(source)."].compactMap(\.self).joined(separator: " ")
        }
        return story
    }
}

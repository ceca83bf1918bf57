import App
import Library
import Formats
import Foundation
import Geometry
import HTTPTypes
import Storage
import Stories
import Testing
import TestSupport

/// What one viewer's client holds, brought up to date by `GET /v1/changes` alone.
struct SyncedCopy: Sendable {
    /// Whose, or `nil` for nobody in particular.
    let user: String?
    /// The stories as delivered, by id.
    private(set) var stories: [String: JSONValue] = [:]
    /// Every id that was ever delivered, changed or gone.
    private(set) var delivered: Set<String> = []
    private(set) var cursor: String?
    /// The ids that the last sync delivered.
    private(set) var latest: Set<String> = []

    init(user: String?) { self.user = user }

    /// Follows the pages of one sync to the end, at most `pages` of them.
    mutating func sync(_ client: Client, limit: Int = 7, pages: Int = .max) async throws {
        latest = []
        for _ in 0..<pages {
            let since = cursor.map { "&since=" + $0 } ?? ""
            let reply = try await client.get("/v1/changes?limit=\(limit)\(since)", as: user)
            #expect(reply.status == 200, "\(String(decoding: reply.bytes, as: UTF8.self))")
            let page = reply.json
            for story in page["changed"]?.array ?? [] {
                let id = try #require(story["id"]?.string)
                stories[id] = story
                latest.insert(id)
            }
            for id in page["gone"]?.array?.compactMap(\.string) ?? [] {
                stories[id] = nil
                latest.insert(id)
            }
            delivered.formUnion(latest)
            cursor = page["next"]?.string
            if page["more"]?.bool != true { return }
        }
    }
}

/// Users, families and stories that change at random, the same way for the same seed.
struct SyncWorld {
    static let users = ["ana", "ben", "cora", "dora"]
    static let families = ["north", "south", "east"]

    let fixture: ServiceFixture
    let client: Client
    private var generator: SplitMix64
    private var ids: [String] = []

    init(fixture: ServiceFixture, client: Client, seed: UInt64) async throws {
        self.fixture = fixture
        self.client = client
        generator = SplitMix64(seed: seed)
        let now = fixture.clock.now
        try await fixture.library.store.write { transaction in
            for name in SyncWorld.users {
                let id = try #require(UserID(name))
                try transaction.save(User(id: id, name: name), at: now)
            }
            for name in SyncWorld.families {
                let id = try #require(FamilyID(name))
                try transaction.saveFamily(id, name: try DisplayName(name, in: "name"), at: now)
            }
        }
    }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

    private mutating func one(of texts: [String]) -> String { texts[number(0..<texts.count)] }

    /// Does one thing at random, and sometimes lets time pass.
    mutating func step() async throws {
        switch number(0..<20) {
        case 0..<5: try await create()
        case 5..<10: try await change()
        case 10: try await delete()
        case 11..<14: try await setMember(joins: true)
        case 14..<17: try await setMember(joins: false)
        case 17: try await number(0..<2) == 0 ? rename() : hide()
        case 18: try await hide()
        default: fixture.clock.advance(seconds: [0.001, 1, 30][number(0..<3)])
        }
    }

    private mutating func location() -> String {
        let precision = one(of: ["exact", "approximate", "hidden"])
        let trusts = one(of: ["true", "false"])
        return
            "{\"lat\":33.00\(number(1..<9)),\"lon\":2,\"precision\":\"\(precision)\",\"family_sees_exact\":\(trusts)}"
    }

    /// A level, and a family of the user's where the level asks for one.
    private mutating func audience(of user: String) async throws -> String {
        let viewer = try await fixture.library.viewer(of: try #require(UserID(user)))
        let mine = viewer?.families.keys.map(\.rawValue).sorted() ?? []
        let family = mine.isEmpty || number(0..<2) == 0 ? "null" : "\"\(one(of: mine))\""
        return "\"privacy\":\"\(one(of: ["public", "family_only", "family_only", "private"]))\",\"family\":\(family)"
    }

    private mutating func create() async throws {
        let user = one(of: SyncWorld.users)
        let extra = ",\"location\":\(location())," + (try await audience(of: user))
        ids.append(try await client.create(as: user, title: "\(ids.count)", latitude: nil, extra: extra))
    }

    private mutating func change() async throws {
        guard !ids.isEmpty else { return }
        let id = one(of: ids)
        guard let key = StoryID(id), let story = try await fixture.library.store.read({ try $0.story(key) }) else {
            return
        }
        let owner = story.owner.rawValue
        let body =
            switch number(0..<4) {
            case 0: "\"title\":\"New \(number(0..<9))\""
            case 1: "\"location\":\(location())"
            case 2: "\"location\":{\"lat\":33.00\(number(1..<9))}"
            default: try await audience(of: owner)
            }
        _ = try await client.send(.patch, "/v1/stories/\(id)", as: owner, "{\(body)}")
    }

    private mutating func delete() async throws {
        guard !ids.isEmpty else { return }
        let id = ids.remove(at: number(0..<ids.count))
        guard let key = StoryID(id), let story = try await fixture.library.store.read({ try $0.story(key) }) else {
            return
        }
        let reply = try await client.send(.delete, "/v1/stories/\(id)", as: story.owner.rawValue)
        #expect(reply.status == 204)
    }

    private mutating func setMember(joins: Bool) async throws {
        let user = try #require(UserID(one(of: SyncWorld.users)))
        let family = try #require(FamilyID(one(of: SyncWorld.families)))
        let now = fixture.clock.now
        try await fixture.library.store.write { transaction in
            guard !joins else { return try transaction.saveMember(user, of: family, role: .member, at: now) }
            // What was shared with the family alone becomes private, as the service does it.
            var shared: [Story] = []
            try transaction.forEachStory { if $0.owner == user, $0.family == family { shared.append($0) } }
            for old in shared {
                var story = old
                story.family = nil
                if story.privacy == .familyOnly { story.privacy = .private }
                story.touch(at: now, replacing: old)
                try transaction.update(story)
            }
            try transaction.removeMember(user, of: family)
        }
    }

    private mutating func hide() async throws {
        guard !ids.isEmpty else { return }
        let method: HTTPRequest.Method = number(0..<3) == 0 ? .delete : .put
        _ = try await client.send(method, "/v1/stories/\(one(of: ids))/hide", as: one(of: SyncWorld.users))
    }

    private mutating func rename() async throws {
        let user = User(id: try #require(UserID(one(of: SyncWorld.users))), name: "Name \(number(0..<9))")
        let now = fixture.clock.now
        try await fixture.library.store.write { try $0.save(user, at: now) }
    }

    /// The ids that a user may see now, found by asking every story.
    func visible(to user: String?) async throws -> Set<String> {
        let name = user.flatMap { UserID($0) }
        return try await fixture.library.store.read { transaction in
            let viewer = try name.map { try transaction.viewer($0) ?? .anonymous } ?? .anonymous
            var visible: Set<String> = []
            try transaction.forEachStory { if $0.isVisible(to: viewer) { visible.insert($0.id.description) } }
            let hidden = try name.map(transaction.hiddenStories) ?? []
            return visible.subtracting(hidden.map(\.description))
        }
    }
}

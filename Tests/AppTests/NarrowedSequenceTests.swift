import Foundation
import Geometry
import GRDB
import Library
import Notifications
import Storage
import Stories
import TestSupport
import Testing

@Suite("Old copies after random changes")
struct NarrowedSequenceTests {
    /// What others see and what was announced to them.
    private struct View {
        /// The degrees to which somebody sees a place, from 0 for exactly to 1,000 for not at all, by viewer and story.
        var seen: [String: Double] = [:]
        var told: Set<Data> = []

        /// Returns what is seen here but not there, or more exactly.
        func excess(over other: View) -> [String] {
            seen.filter { $0.value < other.seen[$0.key] ?? -1 || other.seen[$0.key] == nil }.map(\.key).sorted()
        }
    }

    private static let stories = (UInt64(1)...5).map { StoryID(high: 9, low: $0) }

    private static func view(of service: ServiceFixture) async throws -> View {
        try await service.library.store.read { reader in
            var view = View()
            for name in ["ben", "cora", nil] {
                let user = name.flatMap { UserID($0) }
                let viewer = try user.flatMap { try reader.viewer($0) } ?? .anonymous
                let hidden = try user.map { try reader.hiddenStories(of: $0) } ?? []
                for id in stories {
                    guard let story = try reader.story(id), story.isVisible(to: viewer), !hidden.contains(id) else {
                        continue
                    }
                    let degrees: Double =
                        switch story.precision(for: viewer) {
                        case .exact: 0
                        case .approximate(let cell): cell.degrees
                        case .hidden: 1_000
                        }
                    view.seen["\(name ?? "anyone") \(id)"] = degrees
                }
            }
            for user in ["ben", "cora"].compactMap({ UserID($0) }) {
                view.told.formUnion(try reader.ledger(of: user).map { Data($0.bytes) })
            }
            return view
        }
    }

    /// Makes one random change.
    private static func change(_ service: ServiceFixture, _ number: Int, using generator: inout SplitMix64) async throws
    {
        let (store, now) = (service.library.store, service.clock.now)
        let (ben, cora) = (try #require(UserID("ben")), try #require(UserID("cora")))
        let family = try #require(FamilyID("whitfield"))
        let id = try #require(stories.randomElement(using: &generator))
        let flag = Bool.random(using: &generator)
        let level = try #require(Privacy.allCases.randomElement(using: &generator))
        let kinds: [LocationPrecision] = [.exact, .approximate(.hundredth), .approximate(.degree), .hidden]
        let precision = try #require(kinds.randomElement(using: &generator))
        let names = Bool.random(using: &generator)
        let kind = Int.random(in: 0..<9, using: &generator)
        let secret = store.keys[.ledger]
        func edit(_ body: @escaping @Sendable (inout Story) -> Void) async throws {
            try await store.write { transaction in
                guard let old = try transaction.story(id) else { return }
                var story = old
                body(&story)
                story.touch(at: now, replacing: old)
                try transaction.update(story)
            }
        }
        switch kind {
        case 0, 1: try await edit { ($0.privacy, $0.family) = (level, level == .familyOnly && names ? family : nil) }
        case 2, 3: try await edit { $0.location?.precision = precision }
        case 4: try await edit { $0.location?.familySeesExact = flag }
        case 5: _ = try await service.library.moderation.autoPrivate.set(flag, stories: [id])
        case 6: try await edit { $0.isWithheld = flag }
        case 7:
            try await store.write { transaction in
                if flag {
                    try transaction.saveMember(ben, of: family, role: .member, at: now)
                } else {
                    try transaction.removeMember(ben, of: family)
                }
            }
        default:
            try await store.write { transaction in
                if flag {
                    try transaction.hide(id, from: cora, at: now)
                } else {
                    try transaction.unhide(id, from: cora, at: now)
                }
                let key = LedgerKey(secret: secret, user: ben, story: id, locationEpoch: number)
                try transaction.insert(NarrowedCopyTests.notice("s\(number)", to: ben, of: id), ledger: [key])
            }
        }
    }

    @Test(
        "PRV-02 NTF-05 It shows no more than the copy did and the present does, and announces nothing twice",
        arguments: 1...8
    )
    func sequence(seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed)
        let first = try await ServiceFixture()
        try await first.makeFamilies()
        let ana = try #require(UserID("ana"))
        let place = Coordinate(wrappingLatitude: 33.7554, longitude: -84.3736)
        try await first.library.store.write { transaction in
            for id in NarrowedSequenceTests.stories {
                var story = Story(
                    id: id,
                    kind: .interview,
                    title: "x",
                    owner: ana,
                    createdAt: Timestamp(milliseconds: 1)
                )
                story.privacy = .public
                story.location = StoryLocation(coordinate: place)
                try transaction.insert(story)
            }
        }
        var copies: [(folder: TemporaryFolder, view: View)] = []
        for number in 0..<40 {
            if number.isMultiple(of: 8) {
                let folder = try TemporaryFolder()
                try first.library.store.inspect { _ = try $0.checkpoint(.truncate) }
                let path = first.folder.path("waymark.db")
                try FileManager.default.copyItem(atPath: path, toPath: folder.path("old.db"))
                copies.append((folder, try await NarrowedSequenceTests.view(of: first)))
            }
            first.clock.advance(seconds: 1)
            try await NarrowedSequenceTests.change(first, number, using: &generator)
        }
        let present = try await NarrowedSequenceTests.view(of: first)
        let copy = try #require(copies.randomElement(using: &generator))
        try first.closeAndPutBack(copy.folder)
        let restored = try await ServiceFixture(of: first)
        let view = try await NarrowedSequenceTests.view(of: restored)
        #expect(view.excess(over: copy.view) == [], "more than the copy, seed \(seed)")
        #expect(view.excess(over: present) == [], "more than the present, seed \(seed)")
        #expect(view.told.isSuperset(of: copy.view.told.union(present.told)))
        try restored.library.store.close()
    }
}

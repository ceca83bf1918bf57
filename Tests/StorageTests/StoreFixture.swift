import Foundation
import Geometry
import Logging
import Storage
import Stories
import Testing
import TestSupport

/// A store in a folder of its own.
struct StoreFixture {
    let folder: TemporaryFolder
    let store: StoryStore

    init() throws {
        folder = try TemporaryFolder()
        store = try StoreFixture.open(folder, .readWrite)
    }

    static func open(_ folder: TemporaryFolder, _ mode: StoryStore.Mode) throws -> StoryStore {
        try StoryStore(path: folder.path("waymark.db"), mode: mode, logger: Logger(label: "test"))
    }
}

/// A story at a place, by the built-in user.
func makeStory(
    _ number: UInt64,
    owner: String = "archive",
    latitude: Double = 33.7554,
    longitude: Double = -84.3736
) throws -> Story {
    var story = Story(
        id: StoryID(high: 7, low: number),
        kind: .interview,
        title: "Story \(number)",
        owner: try #require(UserID(owner)),
        createdAt: Timestamp(milliseconds: 1_000 + Int64(number))
    )
    let coordinate = try #require(Coordinate(latitude: latitude, longitude: longitude))
    story.location = StoryLocation(coordinate: coordinate, names: [.city: "Atlanta"], derived: [.city])
    return story
}

extension StoreReader {
    /// Returns the stories in which a viewer finds all of the folded words, without a gazetteer.
    func storyIDs(containing words: [String], viewer: Viewer) throws -> Set<StoryID> {
        Set(try ranks(TextMatcher(words, viewer: viewer) { _, _ in "" }, viewer: viewer).keys)
    }
}

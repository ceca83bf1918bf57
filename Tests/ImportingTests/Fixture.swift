import Foundation
import Importing
import Stories
import Testing

/// Reads files of this target's folder `Fixtures`, and texts, as an import does.
enum Fixture {
    static func bytes(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
        return Array(try Data(contentsOf: folder.appending(path: name)))
    }

    static func options() throws -> StoryImporter.Options {
        var options = StoryImporter.Options(owner: try #require(UserID("ana")))
        options.today = CalendarDay(year: 2026, month: 11, day: 21)
        return options
    }

    static func file(
        _ name: String,
        change: (inout StoryImporter.Options) -> Void = { _ in }
    ) throws -> ImportResult {
        try read(bytes(name), name: name, change: change)
    }

    static func read(
        _ bytes: [UInt8],
        name: String = "file.csv",
        change: (inout StoryImporter.Options) -> Void = { _ in }
    ) throws -> ImportResult {
        var options = try options()
        change(&options)
        return StoryImporter(options: options).read(bytes, fileName: name)
    }

    static func text(_ text: String, name: String = "file.csv") throws -> ImportResult {
        try read(Array(text.utf8), name: name)
    }
}

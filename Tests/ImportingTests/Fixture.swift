import Foundation
import Geometry
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

    /// Returns a file with one to five changes: other, missing, added bytes, or its end cut off.
    static func damaged(_ original: [UInt8], using generator: inout SplitMix64) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...5, using: &generator) where !bytes.isEmpty {
            let index = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(UInt8.random(in: 0x20...0x7E, using: &generator), at: index)
            default: bytes.removeLast(Int.random(in: 0...(bytes.count - index), using: &generator))
            }
        }
        return bytes
    }
}

import Foundation
import Notifications
import Testing

@Suite("The guide to channels")
struct ChannelGuideTests {
    private static let path = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../scripts/guide/receive-webhooks.md").standardizedFileURL

    @Test(
        "Every kind is in the list of channels and in that of connections",
        arguments: ["Channels", "One door out"],
        ChannelKind.allCases
    )
    func kinds(heading: String, kind: ChannelKind) throws {
        let text = try String(contentsOf: ChannelGuideTests.path, encoding: .utf8)
        let start = try #require(text.range(of: "\n## \(heading)\n")).upperBound
        let end = text[start...].range(of: "\n## ")?.lowerBound ?? text.endIndex
        let rows = text[start..<end].split(separator: "\n").filter { $0.hasPrefix("| ") }
        #expect(rows.contains { $0.contains("`\(kind.rawValue)`") })
    }
}

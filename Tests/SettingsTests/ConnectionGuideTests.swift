import Foundation
import Settings
import Testing

/// The guide lists everything that the service connects to; the kinds of channels in it are held by `ChannelGuideTests`.
@Suite("The guide to connections")
struct ConnectionGuideTests {
    private static let path = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../scripts/guide/receive-webhooks.md").standardizedFileURL

    /// The settings whose address the service connects to.
    private static let dialled: Set = ["smtp", "mqtt", "oidc-issuer", "otlp-endpoint"]
    /// Those whose address is only named to others, or compared.
    private static let named: Set = [
        "public-url", "allow-origin", "media-origin", "allow-embedding", "issuer", "vapid-subject", "trace-host",
    ]

    /// The rows of the table of connections.
    private static func rows() throws -> [Substring] {
        let text = try String(contentsOf: path, encoding: .utf8)
        let heading = try #require(text.range(of: "\n## One door out\n"))
        let section = text[heading.upperBound...]
        let end = section.range(of: "\n## ")?.lowerBound ?? section.endIndex
        return section[..<end].split(separator: "\n").filter { $0.hasPrefix("| ") }
    }

    @Test("Every setting with an address that is connected to is in the list; a new one has to be put somewhere")
    func settings() throws {
        let addresses = Set(SettingTable.all.filter(\.isAddress).map(\.name))
        #expect(addresses == ConnectionGuideTests.dialled.union(ConnectionGuideTests.named))
        let rows = try ConnectionGuideTests.rows()
        for name in ConnectionGuideTests.dialled {
            #expect(rows.contains { $0.contains("`--\(name)`") }, "\(name)")
        }
    }
}

import Notifications
import Stories
import Testing

/// DLV-09: the request that takes a message back.
@Suite("Requests that take messages back")
struct WithdrawalMessageTests {
    @Test("DLV-09 ntfy is asked to delete a message by its id; no other kind can", arguments: ChannelKind.allCases)
    func request(kind: ChannelKind) throws {
        let target = try ChannelSamples.target(kind)
        let writer = ChannelWriter()
        let id = "5f0c000000000000000000000000000a"
        guard kind.takesBack else {
            #expect(throws: ChannelError.badMessage) { try writer.withdrawal(of: id, from: target) }
            return
        }
        let http = try #require(try writer.withdrawal(of: id, from: target).httpRequest)
        #expect(http.method == "DELETE" && http.body.isEmpty && http.url.hasSuffix("/" + id))
        #expect(http.url.hasPrefix("https://") && http[header: "user-agent"] == "Waymark")
        for bad in ["", "a/b", "a?b", "..", String(repeating: "a", count: 65)] {
            #expect(throws: ChannelError.badMessage, "\(bad)") { try writer.withdrawal(of: bad, from: target) }
        }
    }
}

import Crypto
import CryptoExtras
import Foundation
import Geometry
import Notifications
import Stories
import Testing

/// Writes every kind of message into a folder, where programs that others wrote read them: scripts/check_channels.py.
@Suite(
    "Channel messages read by other implementations",
    .enabled(
        if: ProcessInfo.processInfo.environment["WAYMARK_CHANNEL_FOLDER"] != nil,
        "scripts/check_channels.py runs it"
    )
)
struct ChannelReaderTests {
    private struct Sent: Encodable {
        var method = ""
        var url = ""
        var headers: [String: String] = [:]
        var to = ""
        let body: Data
    }

    private struct Folder: Encodable {
        var sent: [String: Sent] = [:]
        var keys: [String: String] = [:]
    }

    @Test("DLV-03 Every kind of message is available to other readers")
    func write() throws {
        let path = try #require(ProcessInfo.processInfo.environment["WAYMARK_CHANNEL_FOLDER"])
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970) * 1000)
        var generator = SystemRandomNumberGenerator()
        let keys = try ChannelSamples.keys()
        let writer = try ChannelSamples.writer(at: now)
        var message = ChannelSamples.message(body: "3 stories nearby – Grüße, 物語 👩‍👩‍👧‍👦")
        message.expiresAt = Timestamp(milliseconds: now.milliseconds + 900_000)
        message.items = [ChannelMessage.Item(title: "<The mill>", body: "Q & A", link: "https://example.org/?a=1&b=2")]
        var folder = Folder()
        for kind in ChannelKind.allCases {
            let target = try ChannelSamples.target(kind)
            let rotated = try target.rotated(at: now, using: &generator)
            folder.sent[kind.rawValue] = sent(try writer.write(message, to: rotated, at: now, using: &generator))
            if kind == .webhook { folder.keys["webhook_new"] = rotated.fields["secret"] }
        }
        let signing = WebhookKey.newSigningKey(using: &generator)
        let signed = try ChannelTarget(
            kind: .webhook,
            fields: ["url": "https://example.com/", "signing_key": signing.text]
        )
        folder.sent["webhook_ed25519"] = sent(try writer.write(message, to: signed, at: now, using: &generator))
        folder.keys["webhook_public"] = signing.publicText
        folder.keys["webhook_old"] = ChannelSamples.secret
        folder.keys["browser_private"] = ChannelSamples.browserPrivateKey
        folder.keys["browser_auth"] = ChannelSamples.browserAuth
        folder.keys["vapid_public"] = keys.credentials.vapid?.publicKey
        folder.keys["apns_public"] = keys.apns.publicKey.pemRepresentation
        folder.keys["fcm_public"] = keys.fcm.publicKey.pemRepresentation
        let fresh = ChannelWriter(credentials: keys.credentials)
        folder.sent["fcm_token"] = sent(try #require(try fresh.tokenRequest(at: now)))
        let file = URL(filePath: path).appending(path: "channels.json")
        try JSONEncoder().encode(folder).write(to: file)
    }

    private func sent(_ message: OutgoingMessage) -> Sent {
        switch message {
        case .mail(let mail): return Sent(to: mail.to, body: Data(mail.bytes))
        case .publication(let publication): return Sent(to: publication.topic, body: Data(publication.payload))
        case .http(let http):
            let headers = Dictionary(http.headers.map { ($0.name, $0.value) }) { first, _ in first }
            return Sent(method: http.method, url: http.url, headers: headers, body: Data(http.body))
        }
    }
}

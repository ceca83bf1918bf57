import Crypto
import Formats
import Stories

extension ChannelWriter {
    /// Writes a push that only the browser can decrypt; the push service sees its size, lifetime and urgency, and a
    /// group name that means nothing without the key.
    func webPushRequest(
        _ message: ChannelMessage,
        to push: WebPushTarget,
        subscribedAt: Timestamp?,
        at now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) throws -> OutgoingHTTP {
        guard let vapid = credentials.vapid(subscribedAt: subscribedAt, at: now) else {
            throw ChannelError.noCredentials(.webPush)
        }
        let plain = Payload.fitted(message, most: WebPushCipher.mostPlainBytes) { ChannelWriter.webPushText($0) }
        let cipher = WebPushCipher(receiverKey: push.key, auth: push.auth)
        let key =
            (try? P256.KeyAgreement.PrivateKey(rawRepresentation: generator.bytes(32)))
            ?? P256.KeyAgreement.PrivateKey()
        let body = try cipher.encrypt(plain, key: key, salt: generator.bytes(16))
        let token = try vapidToken(for: push.endpoint.origin, key: vapid, at: now)
        var headers: [OutgoingHTTP.Field] = [
            .init("content-type", "application/octet-stream"), .init("content-encoding", "aes128gcm"),
            .init("user-agent", ChannelWriter.userAgent),
            .init("ttl", String(ChannelWriter.lifetime(of: message, at: now))),
            .init("urgency", message.type == ChannelMessage.nearbyType ? "high" : "normal"),
            .init("authorization", "vapid t=\(token), k=\(vapid.publicKey)"),
        ]
        if let group = message.group {
            headers.append(.init("topic", ChannelWriter.groupName(group, key: push.auth)))
        }
        return OutgoingHTTP(url: push.endpoint.text, headers: headers, body: body)
    }

    /// Writes a declarative message: browsers that support such messages show it directly, others pass it to the
    /// service worker.
    private static func webPushText(_ payload: Payload) -> [UInt8] {
        let message = payload.message
        var json = JSONWriter(capacity: 2_048)
        json.beginObject()
        json.key("web_push")
        json.value(8030)
        json.key("notification")
        json.beginObject()
        json.key("title")
        json.value(payload.title)
        json.key("body")
        json.value(payload.body)
        if let link = payload.link {
            json.key("navigate")
            json.value(link)
        }
        if let group = message.group {
            json.key("tag")
            json.value(Payload.line(group, most: 64))
        }
        json.key("data")
        payload.facts(in: &json)
        json.endObject()
        if let badge = message.badge {
            json.key("app_badge")
            json.value(max(0, badge))
        }
        json.endObject()
        return json.bytes
    }
}

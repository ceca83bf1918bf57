import Crypto
import Formats
import Stories

// Phone vendors see the text, the link, the message's id and type, and an opaque group name.
extension ChannelWriter {
    func apnsRequest(_ message: ChannelMessage, to apns: APNsTarget, at now: Timestamp) throws -> OutgoingHTTP {
        guard let key = credentials.apns else { throw ChannelError.noCredentials(.apns) }
        let group = message.group.map { ChannelWriter.groupName($0, key: Array(key.key.rawRepresentation)) }
        let body = Payload.fitted(message, most: ChannelWriter.mostPushBytes) { payload in
            var json = JSONWriter(capacity: 1_024)
            json.beginObject()
            json.key("aps")
            ChannelWriter.aps(payload, group: group, in: &json)
            ChannelWriter.reference(payload, in: &json)
            json.endObject()
            return json.bytes
        }
        let expiration = now.seconds + ChannelWriter.lifetime(of: message, at: now)
        var headers: [OutgoingHTTP.Field] = [
            .init("content-type", "application/json"), .init("user-agent", ChannelWriter.userAgent),
            .init("authorization", "bearer \(try apnsToken(key, at: now))"), .init("apns-topic", apns.topic),
            .init("apns-push-type", "alert"), .init("apns-priority", message.isQuiet ? "5" : "10"),
            .init("apns-expiration", String(expiration)), .init("apns-id", ChannelWriter.uuid(message.id)),
        ]
        if let group { headers.append(.init("apns-collapse-id", group)) }
        return OutgoingHTTP(url: "https://\(apns.host)/3/device/\(apns.token)", headers: headers, body: body)
    }

    func fcmRequest(_ message: ChannelMessage, to fcm: FCMTarget, at now: Timestamp) throws -> OutgoingHTTP {
        guard let account = credentials.fcm else { throw ChannelError.noCredentials(.fcm) }
        let token = try fcmToken(at: now)
        let tag = message.group.map { ChannelWriter.groupName($0, key: account.seed) }
        let ttl = ChannelWriter.lifetime(of: message, at: now)
        // The registration token may be as long as a whole push, and is not part of the payload that the device
        // receives.
        let most = ChannelWriter.mostPushBytes + fcm.token.utf8.count
        let body = Payload.fitted(message, most: most) { payload in
            var json = JSONWriter(capacity: 2_048)
            json.beginObject()
            json.key("message")
            json.beginObject()
            json.key("token")
            json.value(fcm.token)
            ChannelWriter.fcmParts(payload, ttl: ttl, tag: tag, in: &json)
            json.endObject()
            json.endObject()
            return json.bytes
        }
        let headers = ChannelWriter.jsonHeaders(message) + [.init("authorization", "Bearer \(token)")]
        let url = "https://\(FCMTarget.host)/v1/projects/\(account.project)/messages:send"
        return OutgoingHTTP(url: url, headers: headers, body: body)
    }

    private static func aps(_ payload: Payload, group: String?, in json: inout JSONWriter) {
        json.beginObject()
        json.key("alert")
        words(payload, in: &json)
        if let badge = payload.message.badge {
            json.key("badge")
            json.value(max(0, badge))
        }
        if !payload.message.isQuiet {
            json.key("sound")
            json.value("default")
        }
        if let group {
            json.key("thread-id")
            json.value(group)
        }
        json.key("interruption-level")
        json.value(payload.message.isQuiet ? "passive" : "active")
        json.key("mutable-content")
        json.value(1)
        json.endObject()
    }

    private static func fcmParts(_ payload: Payload, ttl: Int64, tag: String?, in json: inout JSONWriter) {
        json.key("notification")
        words(payload, in: &json)
        json.key("data")
        json.beginObject()
        reference(payload, in: &json)
        json.endObject()
        json.key("android")
        json.beginObject()
        json.key("priority")
        json.value(payload.message.isQuiet ? "NORMAL" : "HIGH")
        json.key("ttl")
        json.value("\(ttl)s")
        json.key("notification")
        json.beginObject()
        if let tag {
            json.key("tag")
            json.value(tag)
        }
        if let badge = payload.message.badge {
            json.key("notification_count")
            json.value(max(0, badge))
        }
        json.endObject()
        json.endObject()
    }

    private static func words(_ payload: Payload, in json: inout JSONWriter) {
        json.beginObject()
        json.key("title")
        json.value(payload.title)
        json.key("body")
        json.value(payload.body)
        json.endObject()
    }

    /// Writes the fields by which the app finds the notification; all strings, because FCM accepts nothing else.
    private static func reference(_ payload: Payload, in json: inout JSONWriter) {
        json.key("nid")
        json.value(payload.message.id)
        json.key("type")
        json.value(payload.message.type)
        if let link = payload.link {
            json.key("url")
            json.value(link)
        }
    }

    /// Returns the id as a UUID: unchanged if it has 32 hexadecimal digits, otherwise derived from its digest.
    static func uuid(_ id: String) -> String {
        let isHex = id.utf8.count == 32 && id.allSatisfy { $0.isASCII && $0.isHexDigit }
        let digits =
            isHex
            ? Array(id.lowercased()) : Array(StoryID(digest: Array(SHA256.hash(data: Array(id.utf8)))).description)
        let ends = [8, 12, 16, 20, 32]
        return zip([0] + ends, ends).map { String(digits[$0..<$1]) }.joined(separator: "-")
    }
}

extension StoryID {
    /// Creates a UUID from the first 128 bits of a digest of at least 16 bytes.
    fileprivate init(digest: [UInt8]) {
        func integer(_ range: Range<Int>) -> UInt64 { digest[range].reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: integer(0..<8), low: integer(8..<16))
    }
}

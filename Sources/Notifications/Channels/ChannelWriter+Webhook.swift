import Formats
public import Stories

extension ChannelWriter {
    /// The type of the message with a challenge; by returning it, an endpoint proves that its owner wants messages.
    public static let challengeType = "endpoint.verification"

    func webhookRequest(_ message: ChannelMessage, to webhook: WebhookTarget, at now: Timestamp) throws -> OutgoingHTTP
    {
        let body = Payload.fitted(
            message,
            most: ChannelWriter.mostWebhookBytes,
            limits: [.webhook, .push, .brief, .least]
        ) { payload in
            var json = JSONWriter(capacity: 2_048)
            json.beginObject()
            ChannelWriter.head(message.type, message.detectedAt, in: &json)
            payload.facts(in: &json)
            json.endObject()
            return json.bytes
        }
        return try ChannelWriter.signed(body, id: message.id, to: webhook, at: now)
    }

    /// Writes the message that asks a webhook to return the challenge; see ``isAnswered(_:by:)``.
    ///
    /// - Parameters:
    ///   - challenge: an unguessable text of `A-Za-z0-9_-`.
    ///   - id: the id of this message.
    ///   - target: the webhook.
    ///   - now: the time of sending.
    /// - Returns: the request.
    /// - Throws: ``ChannelError/badMessage`` for another kind of channel, ``ChannelError/badKey`` if a key cannot sign.
    public func challenge(
        _ challenge: String,
        id: String,
        to target: ChannelTarget,
        at now: Timestamp
    ) throws -> OutgoingMessage {
        guard case .webhook(let webhook) = target.settings else { throw ChannelError.badMessage }
        var json = JSONWriter()
        json.beginObject()
        ChannelWriter.head(ChannelWriter.challengeType, now, in: &json)
        json.beginObject()
        json.key("challenge")
        json.value(challenge)
        json.endObject()
        json.endObject()
        return .http(try ChannelWriter.signed(json.bytes, id: id, to: webhook, at: now))
    }

    /// Returns whether an endpoint answered a challenge: 2xx with the challenge as the whole body or as the member
    /// `challenge`.
    public static func isAnswered(_ challenge: String, by answer: ChannelAnswer) -> Bool {
        guard (200..<300).contains(answer.status), !challenge.isEmpty else { return false }
        let body = String(decoding: answer.body, as: UTF8.self).filter { !$0.isNewline }
        if body.trimmed == challenge { return true }
        return (try? JSONValue(parsing: answer.body))?["challenge"]?.string == challenge
    }

    private static func head(_ type: String, _ time: Timestamp, in json: inout JSONWriter) {
        json.key("type")
        json.value(type)
        json.key("timestamp")
        json.value(RFC3339.format(time))
        json.key("data")
    }

    private static func signed(
        _ body: [UInt8],
        id: String,
        to webhook: WebhookTarget,
        at now: Timestamp
    ) throws -> OutgoingHTTP {
        let signatures = try webhook.keys(at: now)
            .map { key in
                try key.signature(id: id, timestamp: now.seconds, body: body)
            }
        let headers: [OutgoingHTTP.Field] = [
            .init("content-type", "application/json"), .init("user-agent", userAgent), .init("webhook-id", id),
            .init("webhook-timestamp", String(now.seconds)),
            .init("webhook-signature", signatures.joined(separator: " ")),
        ]
        return OutgoingHTTP(url: webhook.address.text, headers: headers, body: body)
    }
}

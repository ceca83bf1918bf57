import Crypto
import Formats
import Geometry
import Notifications
import Stories
import Testing

@Suite("Webhooks according to Standard Webhooks")
struct WebhookTests {
    private let now = ChannelSamples.now

    @Test("DLV-03 The signature of the specification's example is reproduced, byte for byte")
    func vector() throws {
        let key = try #require(WebhookKey(ChannelSamples.secret))
        let signature = try key.signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            timestamp: 1_614_265_330,
            body: Array(#"{"test": 2432232314}"#.utf8)
        )
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        #expect(key.text == ChannelSamples.secret)
    }

    @Test("DLV-03 An Ed25519 signature verifies with the displayed public key")
    func signingKey() throws {
        var generator = SplitMix64(seed: 1)
        let key = WebhookKey.newSigningKey(using: &generator)
        #expect(WebhookKey(key.text) == key)
        let target = try ChannelTarget(
            kind: .webhook,
            fields: ["url": "https://example.com/", "signing_key": key.text]
        )
        let shown = try #require(target.publicFields["public_key"])
        #expect(shown == key.publicText && shown.hasPrefix("whpk_"))
        let request = try #require(
            try ChannelWriter().write(ChannelSamples.message(), to: target, at: now, using: &generator).httpRequest
        )
        let signature = try #require(request[header: "webhook-signature"])
        #expect(signature.hasPrefix("v1a,"))
        let publicKey = try Curve25519.Signing.PublicKey(
            rawRepresentation: try #require(Base64.decode(shown.dropFirst(5)))
        )
        let id = try #require(request[header: "webhook-id"])
        let signed = Array("\(id).1795262400.".utf8) + request.body
        let bytes = try #require(Base64.decode(signature.dropFirst(4)))
        #expect(publicKey.isValidSignature(bytes, for: signed))
        #expect(!publicKey.isValidSignature(bytes, for: signed + [0x20]))
    }

    @Test(
        "DLV-03 Keys with other lengths, prefixes or alphabets are rejected",
        arguments: [
            "", "whsec_", "whsec_AAAA", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsk_AAAA", "whsec_!!!!",
            "whsec_" + String(repeating: "A", count: 88), "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=",
            "whsk_" + String(repeating: "A", count: 86) + "==",
        ]
    )
    func badKeys(text: String) {
        #expect(WebhookKey(text) == nil)
    }

    @Test("DLV-03 For a day after a rotation both keys sign, then only the new one")
    func rotation() throws {
        var generator = SplitMix64(seed: 2)
        let old = try ChannelSamples.target(.webhook)
        let new = try old.rotated(at: now, using: &generator)
        #expect(new.fields["secret"] != old.fields["secret"])
        func signatures(_ target: ChannelTarget, _ milliseconds: Int64) throws -> [Substring] {
            var generator = SplitMix64(seed: 3)
            let at = Timestamp(milliseconds: now.milliseconds + milliseconds)
            let message = try ChannelWriter().write(ChannelSamples.message(), to: target, at: at, using: &generator)
            let request = try #require(message.httpRequest)
            return try #require(request[header: "webhook-signature"]).split(separator: " ")
        }
        let day: Int64 = 86_400_000
        let during = try signatures(new, day - 1)
        #expect(during.count == 2)
        #expect(try signatures(old, day - 1) == [during[1]])
        #expect(try signatures(new, day).count == 1)
        let again = try new.rotated(at: Timestamp(milliseconds: now.milliseconds + day), using: &generator)
        #expect(again.fields["previous_secret"] == new.fields["secret"])
        #expect(again.publicFields.values.allSatisfy { !$0.contains("whsec_") })
    }

    @Test("DLV-03 Only the service can write the rotation record, and no field exposes it")
    func ownFields() throws {
        var generator = SplitMix64(seed: 2)
        let old = try ChannelSamples.target(.webhook)
        let new = try old.rotated(at: now, using: &generator)
        let noted = ["previous_secret", "previous_signing_key", "rotated_at"].filter { new.fields[$0] != nil }
        #expect(noted.count >= 2)
        let error = #expect(throws: ChannelTargetError.self) {
            try ChannelTarget(kind: .webhook, completing: new.fields, using: &generator)
        }
        #expect(error?.problems.map(\.field) == noted)
        var fields = old.fields
        fields["url2"] = "x"
        let unknown = #expect(throws: ChannelTargetError.self) { try ChannelTarget(kind: .webhook, fields: fields) }
        #expect(
            unknown?.problems.map(\.message) == ["is not a field of webhook; its fields are secret, signing_key, url"]
        )
    }

    @Test("DLV-03 The body is the same in every attempt; the time and signature belong to the attempt")
    func attempts() throws {
        var generator = SplitMix64(seed: 5)
        let target = try ChannelSamples.target(.webhook)
        let writer = ChannelWriter()
        let later = Timestamp(milliseconds: now.milliseconds + 60_000)
        let first = try #require(
            try writer.write(ChannelSamples.message(), to: target, at: now, using: &generator).httpRequest
        )
        let second = try #require(
            try writer.write(ChannelSamples.message(), to: target, at: later, using: &generator).httpRequest
        )
        #expect(first.body == second.body)
        #expect(first[header: "webhook-id"] == second[header: "webhook-id"])
        #expect(first[header: "webhook-timestamp"] != second[header: "webhook-timestamp"])
        #expect(first[header: "webhook-signature"] != second[header: "webhook-signature"])
    }

    @Test("NTF-03 The body gives the event, the place and the count, in the order of the interface")
    func body() throws {
        var generator = SplitMix64(seed: 5)
        let target = try ChannelSamples.target(.webhook)
        let message = try ChannelWriter().write(ChannelSamples.message(), to: target, at: now, using: &generator)
        let body = try #require(message.httpRequest).body
        #expect(
            String(decoding: body, as: UTF8.self) == """
                {"type":"story.nearby","timestamp":"2026-11-21T12:00:00Z","data":{"id":"5f0c0000000000000000000000000001",\
                "type":"story.nearby","kind":"entered","place":{"id":"9a3f00","name":"Auburn Avenue"},\
                "counts":{"interview":2,"photo":1,"total":3},"title":"Auburn Avenue","body":"3 stories nearby",\
                "content_ids":["00000000000000070000000000000000","00000000000000070000000000000001",\
                "00000000000000070000000000000002"],"confidence":0.98,"simulated":false,\
                "occurred_at":"2026-11-21T11:59:45Z","detected_at":"2026-11-21T12:00:00Z",\
                "expires_at":"2026-11-21T12:15:00Z","badge":7,\
                "url":"https://stories.example.org/n/5f0c0000000000000000000000000001"}}
                """
        )
    }

    @Test("DLV-03 An endpoint proves its owner's consent by returning the challenge")
    func challenge() throws {
        let target = try ChannelSamples.target(.webhook)
        let message = try ChannelWriter().challenge("c0ffee-42", id: "v_1", to: target, at: now)
        let request = try #require(message.httpRequest)
        let json = try JSONValue(parsing: request.body)
        #expect(json["type"]?.string == "endpoint.verification" && json["data"]?["challenge"]?.string == "c0ffee-42")
        #expect(request[header: "webhook-signature"]?.hasPrefix("v1,") == true)
        func isAnswered(_ status: Int, _ body: String) -> Bool {
            ChannelWriter.isAnswered("c0ffee-42", by: ChannelAnswer(status: status, body: Array(body.utf8)))
        }
        #expect(isAnswered(200, "c0ffee-42\n") && isAnswered(201, #"{"challenge":"c0ffee-42"}"#))
        #expect(!isAnswered(200, "ok") && !isAnswered(404, "c0ffee-42") && !isAnswered(200, "xc0ffee-42"))
        #expect(!isAnswered(200, "") && !isAnswered(302, "c0ffee-42"))
        #expect(throws: ChannelError.badMessage) {
            try ChannelWriter().challenge("x", id: "v_1", to: try ChannelSamples.target(.ntfy), at: now)
        }
    }
}

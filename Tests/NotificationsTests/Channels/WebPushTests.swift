import Crypto
import Formats
import Geometry
import Notifications
import Stories
import Testing

/// Reads Web Push messages as a browser does (RFC 8291), written against the RFC and not against our cipher.
struct WebPushReceiver {
    let key: P256.KeyAgreement.PrivateKey
    let auth: [UInt8]

    init() throws {
        let bytes = try #require(Base64.decode(ChannelSamples.browserPrivateKey))
        key = try P256.KeyAgreement.PrivateKey(rawRepresentation: bytes)
        auth = try #require(Base64.decode(ChannelSamples.browserAuth))
    }

    func read(_ body: [UInt8]) throws -> [UInt8] {
        let salt = Array(body[0..<16])
        #expect(Array(body[16..<20]) == [0, 0, 16, 0])
        let sender = Array(body[21..<(21 + Int(body[20]))])
        let sealed = Array(body[(21 + sender.count)...])
        let shared = try key.sharedSecretFromKeyAgreement(with: P256.KeyAgreement.PublicKey(x963Representation: sender))
        let pseudo = code(auth, shared.withUnsafeBytes { Array($0) })
        let own = Array(key.publicKey.x963Representation)
        let input = code(pseudo, Array("WebPush: info\0".utf8) + own + sender + [1])
        let pseudoRandom = code(salt, input)
        let content = code(pseudoRandom, Array("Content-Encoding: aes128gcm\0".utf8) + [1]).prefix(16)
        let nonce = code(pseudoRandom, Array("Content-Encoding: nonce\0".utf8) + [1]).prefix(12)
        let box = try AES.GCM.SealedBox(combined: Array(nonce) + sealed)
        var plain = Array(try AES.GCM.open(box, using: SymmetricKey(data: Array(content))))
        while plain.last == 0 { plain.removeLast() }
        #expect(plain.popLast() == 2)
        return plain
    }

    private func code(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }
}

@Suite("Web Push")
struct WebPushTests {
    private let now = ChannelSamples.now

    @Test("DLV-03 The example of RFC 8291 is reproduced, byte for byte")
    func vector() throws {
        let cipher = WebPushCipher(
            receiverKey: try #require(Base64.decode(ChannelSamples.browserKey)),
            auth: try #require(Base64.decode(ChannelSamples.browserAuth))
        )
        let key = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: try #require(Base64.decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
        )
        let salt = try #require(Base64.decode("DGv6ra1nlYgDCS1FRnbzlw"))
        let plain = Array("When I grow up, I want to be a watermelon".utf8)
        let body = try cipher.encrypt(plain, key: key, salt: salt)
        #expect(
            Base64.encodeURL(body) == """
                DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A\
                _yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN
                """
        )
        #expect(try WebPushReceiver().read(body) == plain)
    }

    @Test("DLV-03 A browser can decrypt every message, each with its own key and salt")
    func message() throws {
        var generator = SplitMix64(seed: 9)
        let writer = try ChannelSamples.writer()
        let target = try ChannelSamples.target(.webPush)
        let first = try #require(
            try writer.write(ChannelSamples.message(), to: target, at: now, using: &generator).httpRequest
        )
        let second = try #require(
            try writer.write(ChannelSamples.message(), to: target, at: now, using: &generator).httpRequest
        )
        #expect(first.body.prefix(86) != second.body.prefix(86))
        let plain = try WebPushReceiver().read(first.body)
        #expect(try WebPushReceiver().read(second.body) == plain)
        let json = try JSONValue(parsing: plain)
        #expect(json["web_push"]?.integer == 8030 && json["app_badge"]?.integer == 7)
        #expect(json["notification"]?["title"]?.string == "Auburn Avenue")
        #expect(json["notification"]?["data"]?["id"]?.string == ChannelSamples.message().id)
        #expect(first[header: "ttl"] == "900" && first[header: "urgency"] == "high")
        #expect(first[header: "content-encoding"] == "aes128gcm")
        let topic = try #require(first[header: "topic"])
        #expect(topic.utf8.count == 32 && topic == second[header: "topic"])
        #expect(throws: ChannelError.noCredentials(.webPush)) {
            try ChannelWriter().write(ChannelSamples.message(), to: target, at: now, using: &generator)
        }
    }

    @Test("DLV-03 The remaining time decides how long the push service keeps a message")
    func lifetime() throws {
        var generator = SplitMix64(seed: 9)
        let writer = try ChannelSamples.writer()
        let target = try ChannelSamples.target(.webPush)
        for (seconds, expected) in [(0, "900"), (600, "300"), (900, "0"), (5_000, "0")] {
            let at = Timestamp(milliseconds: now.milliseconds + Int64(seconds) * 1000)
            let message = try writer.write(ChannelSamples.message(), to: target, at: at, using: &generator)
            #expect(message.httpRequest?[header: "ttl"] == expected)
        }
    }

    @Test("REL-09 The key of a push is the one that was current when the browser subscribed, as long as that is kept")
    func formerKeys() throws {
        var generator = SplitMix64(seed: 4)
        func key() throws -> VAPIDKey { try VAPIDKey(subject: "mailto:a@example.org", using: &generator) }
        func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1_000) }
        let (oldest, older, current) = (try key(), try key(), try key())
        var credentials = ChannelCredentials(vapid: current)
        credentials.formerVAPID = [
            FormerVAPIDKey(key: oldest, replacedAt: time(100), until: time(500)),
            FormerVAPIDKey(key: older, replacedAt: time(200), until: time(400)),
        ]
        let cases: [(subscribed: Int64?, now: Int64, VAPIDKey)] = [
            (50, 300, oldest), (50, 499, oldest), (50, 500, current), (100, 300, older), (199, 399, older),
            (199, 400, current), (200, 300, current), (nil, 300, current),
        ]
        for (subscribed, now, expected) in cases {
            let found = credentials.vapid(subscribedAt: subscribed.map(time), at: time(now))
            #expect(found?.publicKey == expected.publicKey, "subscribed \(subscribed ?? -1), now \(now)")
        }
        // The tokens of two keys for one push service are not mixed up.
        let (writer, target) = (ChannelWriter(credentials: credentials), try ChannelSamples.target(.webPush))
        for (subscribed, expected) in [(Int64(50), oldest), (300, current), (50, oldest)] {
            let message = try writer.write(
                ChannelSamples.message(),
                to: target,
                subscribedAt: time(subscribed),
                at: time(300),
                using: &generator
            )
            let header = try #require(message.httpRequest?[header: "authorization"])
            let parts = header.dropFirst("vapid t=".count).split(separator: ", k=")
            #expect(parts.count == 2 && parts[1] == expected.publicKey)
            let token = parts[0].split(separator: ".")
            let signature = try P256.Signing.ECDSASignature(
                rawRepresentation: try #require(Base64.decodeURL(token[2].utf8))
            )
            let signed = Array("\(token[0]).\(token[1])".utf8)
            let point = try #require(Base64.decodeURL(expected.publicKey.utf8))
            #expect(try P256.Signing.PublicKey(x963Representation: point).isValidSignature(signature, for: signed))
        }
        credentials.vapid = nil
        #expect(credentials.vapid(subscribedAt: time(50), at: time(300)) == nil)
    }

    @Test("DLV-03 The operator's token is for one push service, lasts less than a day, and is reused (RFC 8292)")
    func vapid() throws {
        var generator = SplitMix64(seed: 9)
        let writer = try ChannelSamples.writer()
        let target = try ChannelSamples.target(.webPush)
        func authorization(_ hours: Int64) throws -> String {
            let at = Timestamp(milliseconds: now.milliseconds + hours * 3_600_000)
            let message = try writer.write(ChannelSamples.message(), to: target, at: at, using: &generator)
            return try #require(message.httpRequest?[header: "authorization"])
        }
        let first = try authorization(0)
        #expect(try authorization(10) == first)
        #expect(try authorization(11) != first)
        let parts = first.dropFirst("vapid t=".count).split(separator: ", k=")
        let token = parts[0].split(separator: ".").map(String.init)
        let point = try #require(Base64.decode(parts[1]))
        let key = try P256.Signing.PublicKey(x963Representation: point)
        let signature = try P256.Signing.ECDSASignature(
            rawRepresentation: try #require(Base64.decode(token[2]))
        )
        #expect(key.isValidSignature(signature, for: Array("\(token[0]).\(token[1])".utf8)))
        let claims = try JSONValue(parsing: try #require(Base64.decode(token[1])))
        #expect(claims["aud"]?.string == "https://push.example.net")
        #expect(claims["sub"]?.string == "mailto:operator@example.org")
        #expect(claims["exp"]?.integer == 1_795_262_400 + 43_200)
        writer.forgetTokens(of: .webPush)
        #expect(try authorization(0) != first)
    }
}

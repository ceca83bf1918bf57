import Crypto
import CryptoExtras
import Geometry
import Notifications
import Stories
import Testing

/// Messages, targets and credentials for the tests of channels.
enum ChannelSamples {
    static let now = Timestamp(milliseconds: 1_795_262_400_000)

    /// A message with everything in it.
    static func message(
        id: String = "5f0c0000000000000000000000000001",
        stories: Int = 3,
        body: String? = nil
    ) -> ChannelMessage {
        var message = ChannelMessage(
            id: id,
            type: ChannelMessage.nearbyType,
            title: "Auburn Avenue",
            body: body ?? "\(stories) stories nearby",
            occurredAt: Timestamp(milliseconds: now.milliseconds - 15_000),
            detectedAt: now
        )
        message.link = "https://stories.example.org/n/\(id)"
        message.kind = .entered
        message.place = ChannelMessage.Place(id: "9a3f00", name: "Auburn Avenue")
        message.counts = [.interview: stories - 1, .photo: 1]
        message.contentIDs = (0..<stories).map { StoryID(high: 7, low: UInt64($0)) }
        message.confidence = 0.98
        message.expiresAt = Timestamp(milliseconds: now.milliseconds + 900_000)
        message.group = "place:9a3f00"
        message.badge = 7
        message.unsubscribeLink = "https://stories.example.org/u/abc"
        return message
    }

    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    static let browserKey = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    static let browserPrivateKey = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
    static let browserAuth = "BTBZMqHH6r4Tts7J_aSIgg"

    /// Fields of every kind that are right.
    static let fields: [ChannelKind: [String: String]] = [
        .webhook: ["url": "https://hooks.example.com/t/secretpath0123456789", "secret": secret],
        .webPush: [
            "endpoint": "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV", "p256dh": browserKey,
            "auth": browserAuth,
        ],
        .ntfy: ["url": "https://ntfy.example.com", "topic": "walks_of_ana_0001", "token": "tk_verysecrettoken"],
        .gotify: ["url": "https://gotify.example.com/base/", "token": "AverysecretToken"],
        .apprise: ["url": "https://apprise.example.com", "key": "verysecretkey00000", "tag": "walks"],
        .email: ["address": "ana@example.org"],
        .apns: ["token": String(repeating: "ab", count: 32), "topic": "org.example.waymark"],
        .fcm: ["token": "fcmtoken:verysecret-0123456789"],
        .mqtt: ["topic": "verysecrettopic22222222222"],
    ]

    static func target(_ kind: ChannelKind) throws -> ChannelTarget {
        try ChannelTarget(kind: kind, fields: try #require(fields[kind]))
    }

    /// The private keys of the operator.
    struct Keys: Sendable {
        let apns: P256.Signing.PrivateKey
        let fcm: _RSA.Signing.PrivateKey
        let credentials: ChannelCredentials
    }

    static func credentials() throws -> ChannelCredentials { try keys().credentials }

    static func keys() throws -> Keys { try made.get() }

    /// Made once: RSA keys are slow to find.
    private static let made = Result { try makeKeys() }

    private static func makeKeys() throws -> Keys {
        var generator = SplitMix64(seed: 4)
        let apnsKey = P256.Signing.PrivateKey()
        let fcmKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        var credentials = ChannelCredentials(
            vapid: try VAPIDKey(subject: "mailto:operator@example.org", using: &generator),
            apns: try APNsKey(teamID: "TEAM123456", keyID: "KEY1234567", p8: apnsKey.pemRepresentation),
            fcm: try FCMAccount(
                project: "waymark-test",
                clientEmail: "push@waymark-test.iam.example.com",
                privateKey: fcmKey.pemRepresentation
            ),
            sender: try MailSender(address: "waymark@stories.example.org", name: "Waymark")
        )
        credentials.brokerPrefix = "waymark"
        return Keys(apns: apnsKey, fcm: fcmKey, credentials: credentials)
    }

    /// A writer that has all credentials and an access token.
    static func writer(at now: Timestamp = now) throws -> ChannelWriter {
        let writer = ChannelWriter(credentials: try credentials())
        let answer = #"{"access_token":"ya29.secretaccess","expires_in":3599,"token_type":"Bearer"}"#
        #expect(writer.keepToken(from: ChannelAnswer(status: 200, body: Array(answer.utf8)), at: now))
        return writer
    }
}

extension OutgoingMessage {
    /// The HTTP request it is, or `nil`.
    var httpRequest: OutgoingHTTP? {
        if case .http(let http) = self { http } else { nil }
    }

    /// The e-mail it is, or `nil`.
    var letter: OutgoingMail? {
        if case .mail(let mail) = self { mail } else { nil }
    }
}

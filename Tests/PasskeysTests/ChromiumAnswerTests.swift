import Formats
import Passkeys
import Testing

/// What the virtual authenticator of Chromium 156 answered at `http://localhost:8421`, to a challenge of 32 bytes 0xA5.
///
/// Recorded through the DevTools protocol (`WebAuthn.addVirtualAuthenticator`), for keys of each kind.
@Suite("Answers that Chromium made")
struct ChromiumAnswerTests {
    /// The parts of both answers, in base64url.
    struct Recorded: Sendable {
        let algorithm: PasskeyKey.Algorithm
        let id: String
        let attestation: String
        let data: String
        let signature: String
    }

    static let recorded: [Recorded] = [
        Recorded(
            algorithm: .es256,
            id: "TOID_AwR_zBmrZu2XjgGa7qKn_Q3rY18ob3NdhgVw7U",
            attestation: """
                o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVikSZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2NFAAAAAQECAwQF\
                BgcIAQIDBAUGBwgAIEziA_wMEf8wZq2btl44Bmu6ip_0N62NfKG9zXYYFcO1pQECAyYgASFYICFKNJ11pk_FC7iQtzVOPiWz\
                Zw97trneMP7XP-aXEpsxIlggkMZtcQFPX4jbwRy5QrnbVUex8SxYndFw5ANXhIgMBQE
                """,
            data: "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAg",
            signature: """
                MEUCIFD0yuIuI6mNQLbdW5yMkjDyDf-5nCU-oaXQ0GDyL7F_AiEAlkuG9ZeHAKRzdlZhFqAw1rkD4JFLW1D3i0kWqiVe4Og
                """
        ),
        Recorded(
            algorithm: .edDSA,
            id: "Mn7Di05-33yP6s3K9ZSq3EIPQms4_YQaLMrkYRSGmdc",
            attestation: """
                o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YViBSZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2NFAAAAAQECAwQF\
                BgcIAQIDBAUGBwgAIDJ-w4tOft98j-\
                rNyvWUqtxCD0JrOP2EGizK5GEUhpnXpAEBAycgBiFYIKZeFR6bOvRfSWst3l5tjghQSgdC7RoWJCoErkN8sYeI
                """,
            data: "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAg",
            signature: """
                dCMULlrpty0zIwwtYrRAAHMovYUbblOglMJYYZx5YZ2NXOtBkuNiJOp_I2b56ljVA-RnMbzJdOGavCOO5jepAw
                """
        ),
        Recorded(
            algorithm: .rs256,
            id: "uzmCzASBe_Sb4kBuWn7IVMxvDjcMiaWQyGIt-iPKgIA",
            attestation: """
                o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVkBZ0mWDeWIDoxodDQXD2R2YFuP5K65ooYyx5lc87qDHZdjRQAAAAEBAgME\
                BQYHCAECAwQFBgcIACC7OYLMBIF79JviQG5afshUzG8ONwyJpZDIYi36I8qAgKQBAwM5AQAgWQEA5lpHZJLHlE44PrrdEOR5\
                JE5lir8plwU2EyBbyz3o_GrdNn2Vu7MrmxLCTvxw3kpdeAPqPvP200EvfkPpYGRLMjAiJ3dSAXs9RZoTARK_80CPWjmw4Fax\
                wH_ktvOJkUzPrpgYXx3EtUYfffXsqXj44B5_yR5ctLw1VcNff_1z_ySyZpG7-\
                fAhVFvEFsCit8SV_uckJqZ1NVJidA9EQUEQ0qJ1GWKe-OWjFKS3Xb3d_ZEgtRKLkP9uYdIAbl5PVPqFY-\
                erWdWAVcrB3L8u7rhof0Ldx1d--XVIjLfH8xqFMuilyNMPByLLdOAJF6InksNPutzY6gFvFPc9oqgmPxenrSFDAQAB
                """,
            data: "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAg",
            signature: """
                3d4NH9o4iJq0UecjmD-ZvgVgMdEZcPMNF6YY0K1v0Sseu2qAzWGinCGC05RJNxOJGmAvWvXY81Vu6gKvw0qVy5kFk4QCCYRB\
                lZ9SnO0y7aPNFQxPZpIt01Kddk5HxH-HI9Nx3_vemEhVyjbni1aC-\
                9X5oqOEx4Yt3bdYuiqOmcALQS2orZIroRewDbrHAGAGoNdfwGyQQKqhwRoyyKvK9_4keGJbwvNkx3P8ldPNHRUTayGHC-\
                8CG6QveQ08LCWo6GjjYenNdD3HAqC5XBNrfbVaBymfeZYKqi_CU8IZNMMDZBH4m1M32uajvJQFRg_hunIO9IdfjFkY4xhOH8\
                mSgw
                """
        ),
    ]

    private static func clientData(_ type: String) -> [UInt8] {
        let challenge = Base64.encodeURL(Ceremony.challenge)
        let end = #""origin":"http://localhost:8421","crossOrigin":false}"#
        return Array((#"{"type":"\#(type)","challenge":"\#(challenge)","# + end).utf8)
    }

    @Test("A passkey that Chromium made is read, and signs in", arguments: recorded)
    func accepted(recorded: Recorded) throws {
        let party = try #require(RelyingParty(publicURL: nil, authority: "localhost:8421"))
        let bytes = try [recorded.attestation, recorded.data, recorded.signature, recorded.id]
            .map { try #require(Base64.decodeURL($0.utf8)) }
        let made = try NewPasskey(
            attestation: bytes[0],
            clientData: ChromiumAnswerTests.clientData("webauthn.create"),
            challenge: Ceremony.challenge,
            at: party
        )
        #expect(made.credential == bytes[3] && made.counter == 1 && made.key.algorithm == recorded.algorithm)
        let assertion = try PasskeyAssertion(
            authenticatorData: bytes[1],
            clientData: ChromiumAnswerTests.clientData("webauthn.get"),
            signature: bytes[2],
            challenge: Ceremony.challenge,
            at: party
        )
        try assertion.verify(with: made.key)
        #expect(assertion.counter == 2)
        try assertion.checkCounter(after: made.counter)
        let elsewhere = try #require(RelyingParty(publicURL: nil, authority: "localhost:8422"))
        #expect(throws: PasskeyError.wrongOrigin) {
            _ = try NewPasskey(
                attestation: bytes[0],
                clientData: ChromiumAnswerTests.clientData("webauthn.create"),
                challenge: Ceremony.challenge,
                at: elsewhere
            )
        }
    }
}

import Crypto
import CryptoExtras
import Passkeys
import TestSupport
import Testing

/// A service, a challenge, and what an authenticator answers to it.
struct Ceremony: Sendable {
    static let id = "stories.example.org"
    static let origin = "https://stories.example.org"
    static let challenge = [UInt8](repeating: 0xA5, count: 32)

    let party: RelyingParty

    init() throws {
        party = try #require(RelyingParty(publicURL: Ceremony.origin, authority: nil))
    }

    static func clientData(
        _ type: String,
        challenge: [UInt8] = challenge,
        origin: String = origin,
        more: String = #","crossOrigin":false"#
    ) -> [UInt8] {
        SoftwareAuthenticator.clientData(type, challenge: challenge, origin: origin, more: more)
    }

    func register(_ attestation: [UInt8], _ clientData: [UInt8]? = nil) throws(PasskeyError) -> NewPasskey {
        try NewPasskey(
            attestation: attestation,
            clientData: clientData ?? Ceremony.clientData("webauthn.create"),
            challenge: Ceremony.challenge,
            at: party
        )
    }

    /// Answers with the authenticator and verifies with the key of another, or its own.
    func signIn(
        _ authenticator: SoftwareAuthenticator,
        key: PasskeyKey,
        clientData: [UInt8] = clientData("webauthn.get"),
        signature: [UInt8]? = nil,
        data: [UInt8]? = nil
    ) throws {
        let assertion = try PasskeyAssertion(
            authenticatorData: data ?? authenticator.assertionData,
            clientData: clientData,
            signature: try signature ?? authenticator.signature(clientData: clientData),
            challenge: Ceremony.challenge,
            at: party
        )
        try assertion.verify(with: key)
    }

    /// Returns one that signs with RSA.
    static func rs256() throws -> SoftwareAuthenticator {
        let secret = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let parts = try secret.publicKey.getKeyPrimitives()
        let key =
            CBOR.map(4) + CBOR.number(1) + CBOR.number(3) + CBOR.number(3) + CBOR.number(-257) + CBOR.number(-1)
            + CBOR.data(parts.modulus) + CBOR.number(-2) + CBOR.data(parts.publicExponent)
        return SoftwareAuthenticator(
            credential: Array(65...80),
            handle: Array(repeating: 7, count: 32),
            party: id,
            key: key
        ) { Array(try secret.signature(for: $0, padding: .insecurePKCS1v1_5).rawRepresentation) }
    }
}

@Suite("What authenticators answer")
struct CeremonyTests {
    @Test("A passkey of each kind signs in with its own key alone", arguments: PasskeyKey.Algorithm.allCases)
    func kinds(algorithm: PasskeyKey.Algorithm) throws {
        let ceremony = try Ceremony()
        var authenticator =
            switch algorithm {
            case .es256: SoftwareAuthenticator.es256(party: Ceremony.id)
            case .edDSA: SoftwareAuthenticator.edDSA(party: Ceremony.id)
            case .rs256: try Ceremony.rs256()
            }
        authenticator.counter = 7
        let made = try ceremony.register(authenticator.attestation)
        #expect(made.credential == authenticator.credential && made.key.algorithm == algorithm && made.counter == 7)
        #expect(!made.isSynced)
        authenticator.counter = 8
        try ceremony.signIn(authenticator, key: made.key)
        let other = try ceremony.register(SoftwareAuthenticator.es256(party: Ceremony.id).attestation)
        #expect(throws: PasskeyError.wrongSignature) { try ceremony.signIn(authenticator, key: other.key) }
        // The bytes of one kind are no key of another.
        for wrong in PasskeyKey.Algorithm.allCases where wrong != algorithm {
            #expect(throws: PasskeyError.wrongSignature) {
                try ceremony.signIn(authenticator, key: PasskeyKey(wrong, made.key.bytes))
            }
        }
    }

    @Test("A statement of the authenticator's maker is neither asked for nor trusted, whatever it says")
    func statements() throws {
        let ceremony = try Ceremony()
        let data = SoftwareAuthenticator.es256(party: Ceremony.id).creationData
        let packed =
            CBOR.map(3) + CBOR.text("fmt") + CBOR.text("packed") + CBOR.text("attStmt") + CBOR.map(2)
            + CBOR.text("alg") + CBOR.number(-7) + CBOR.text("sig") + CBOR.data([1, 2, 3])
            + CBOR.text("authData") + CBOR.data(data)
        #expect(try ceremony.register(packed).credential == Array(1...32))
        // The members may come in any order.
        let turned =
            CBOR.map(3) + CBOR.text("authData") + CBOR.data(data) + CBOR.text("fmt") + CBOR.text("none")
            + CBOR.text("attStmt") + CBOR.map(0)
        #expect(try ceremony.register(turned).credential == Array(1...32))
    }

    /// Client data that is refused, and why; `CEREMONY` stands for the right type.
    static let clientData: [(String, [UInt8], PasskeyError)] = [
        ("another type", Ceremony.clientData("payment.get"), .wrongCeremony),
        ("another challenge", Ceremony.clientData("CEREMONY", challenge: Array(1...32)), .wrongChallenge),
        ("a short challenge", Ceremony.clientData("CEREMONY", challenge: [0xA5]), .wrongChallenge),
        ("http", Ceremony.clientData("CEREMONY", origin: "http://stories.example.org"), .wrongOrigin),
        ("a subdomain", Ceremony.clientData("CEREMONY", origin: "https://a.stories.example.org"), .wrongOrigin),
        ("the domain above", Ceremony.clientData("CEREMONY", origin: "https://example.org"), .wrongOrigin),
        ("another port", Ceremony.clientData("CEREMONY", origin: "https://stories.example.org:8443"), .wrongOrigin),
        ("a slash", Ceremony.clientData("CEREMONY", origin: "https://stories.example.org/"), .wrongOrigin),
        ("a longer name", Ceremony.clientData("CEREMONY", origin: Ceremony.origin + ".a.example"), .wrongOrigin),
        ("null", Ceremony.clientData("CEREMONY", origin: "null"), .wrongOrigin),
        ("within another page", Ceremony.clientData("CEREMONY", more: #","crossOrigin":true"#), .embedded),
        ("perhaps within another", Ceremony.clientData("CEREMONY", more: #","crossOrigin":"false""#), .embedded),
        ("with a top page", Ceremony.clientData("CEREMONY", more: #","topOrigin":"https://a.example""#), .embedded),
        ("two origins", Ceremony.clientData("CEREMONY", more: #","origin":"https://a.example""#), .unreadable),
        ("a list", Array("[]".utf8), .unreadable), ("nothing", [], .unreadable),
        ("no text", [0xFF, 0xFE], .unreadable),
        ("too long", Array(repeating: 0x20, count: 9_000) + Ceremony.clientData("CEREMONY"), .unreadable),
    ]

    @Test("Client data of another page, challenge or ceremony is refused in both ceremonies", arguments: clientData)
    func refusedClientData(name: String, bytes: [UInt8], error: PasskeyError) throws {
        let ceremony = try Ceremony()
        let authenticator = SoftwareAuthenticator.es256(party: Ceremony.id)
        let key = try ceremony.register(authenticator.attestation).key
        let text = String(decoding: bytes, as: UTF8.self)
        let (create, get) = ("webauthn.create", "webauthn.get")
        #expect(throws: error, "\(name)") {
            let data = bytes.first == 0xFF ? bytes : Array(text.replacing("CEREMONY", with: create).utf8)
            _ = try ceremony.register(authenticator.attestation, data)
        }
        #expect(throws: error, "\(name)") {
            let data = bytes.first == 0xFF ? bytes : Array(text.replacing("CEREMONY", with: get).utf8)
            try ceremony.signIn(authenticator, key: key, clientData: data)
        }
        // Neither ceremony takes the other's.
        #expect(throws: PasskeyError.wrongCeremony) {
            _ = try ceremony.register(authenticator.attestation, Ceremony.clientData(get))
        }
        #expect(throws: PasskeyError.wrongCeremony) {
            try ceremony.signIn(authenticator, key: key, clientData: Ceremony.clientData(create))
        }
    }

    /// What is changed in an authenticator, and the reason why it is refused.
    static let changes: [(String, @Sendable (inout SoftwareAuthenticator) -> Void, PasskeyError)] = [
        ("another site", { $0.party = "evil.example" }, .wrongSite),
        ("nobody present", { $0.flags = SoftwareAuthenticator.verified }, .absentUser),
        ("nobody verified", { $0.flags = SoftwareAuthenticator.present }, .unverifiedUser),
        ("a copy of what cannot be copied", { $0.flags |= 0x10 }, .unreadable),
    ]

    @Test("Another site, nobody there and nobody verified are refused in both ceremonies", arguments: changes)
    func refusedData(
        name: String,
        change: @Sendable (inout SoftwareAuthenticator) -> Void,
        error: PasskeyError
    ) throws {
        let ceremony = try Ceremony()
        var authenticator = SoftwareAuthenticator.es256(party: Ceremony.id)
        let key = try ceremony.register(authenticator.attestation).key
        change(&authenticator)
        #expect(throws: error, "\(name)") { _ = try ceremony.register(authenticator.attestation) }
        #expect(throws: error, "\(name)") { try ceremony.signIn(authenticator, key: key) }
    }

    @Test("A signature of other data, of other client data, or of nobody does not fit")
    func signatures() throws {
        let ceremony = try Ceremony()
        var authenticator = SoftwareAuthenticator.es256(party: Ceremony.id)
        let key = try ceremony.register(authenticator.attestation).key
        let signed = try authenticator.signature(clientData: Ceremony.clientData("webauthn.get"))
        try ceremony.signIn(authenticator, key: key, signature: signed)
        authenticator.counter = 1
        #expect(throws: PasskeyError.wrongSignature) {
            try ceremony.signIn(authenticator, key: key, signature: signed)
        }
        authenticator.counter = 0
        let spaced = Ceremony.clientData("webauthn.get", more: #", "crossOrigin":false"#)
        #expect(throws: PasskeyError.wrongSignature) {
            try ceremony.signIn(authenticator, key: key, clientData: spaced, signature: signed)
        }
        let wrongs: [[UInt8]] = [[0], signed.reversed(), signed.dropLast(), Array(repeating: 0x30, count: 1_024)]
        for wrong in wrongs {
            #expect(throws: PasskeyError.wrongSignature) {
                try ceremony.signIn(authenticator, key: key, signature: wrong)
            }
        }
        #expect(throws: PasskeyError.unreadable) { try ceremony.signIn(authenticator, key: key, signature: []) }
    }

    @Test("A key that lies on no curve, or is of a kind that was not asked for, is refused")
    func keys() throws {
        let ceremony = try Ceremony()
        let authenticator = SoftwareAuthenticator.es256(party: Ceremony.id)
        let data = authenticator.creationData
        var offCurve = data
        offCurve[offCurve.count - 1] ^= 1
        // The number -7 of ES256 is byte 0x26; 0x25 stands for -6.
        let kind = try #require(data.lastIndices(of: [0x03, 0x26]))
        var unknown = data
        unknown[kind + 1] = 0x25
        for wrong in [offCurve, unknown] {
            #expect(throws: PasskeyError.unknownKey) {
                _ = try ceremony.register(SoftwareAuthenticator.attestation(of: wrong))
            }
        }
        for wrong in [authenticator.assertionData, Array(data.dropLast(3)), data + [0]] {
            #expect(throws: PasskeyError.unreadable) {
                _ = try ceremony.register(SoftwareAuthenticator.attestation(of: wrong))
            }
        }
        #expect(throws: PasskeyError.unreadable) {
            try ceremony.signIn(authenticator, key: try ceremony.register(authenticator.attestation).key, data: data)
        }
    }

    @Test(
        "A counter has to grow; authenticators that do not count stay at 0",
        arguments: [
            (0, 0, true), (0, 1, true), (1, 2, true), (1, 1, false), (2, 1, false), (1, 0, false),
            (UInt32.max, 0, false), (UInt32.max - 1, UInt32.max, true),
        ] as [(UInt32, UInt32, Bool)]
    )
    func counters(last: UInt32, next: UInt32, isFine: Bool) throws {
        let ceremony = try Ceremony()
        var authenticator = SoftwareAuthenticator.es256(party: Ceremony.id)
        authenticator.counter = next
        let data = Ceremony.clientData("webauthn.get")
        let assertion = try PasskeyAssertion(
            authenticatorData: authenticator.assertionData,
            clientData: data,
            signature: try authenticator.signature(clientData: data),
            challenge: Ceremony.challenge,
            at: ceremony.party
        )
        if isFine {
            try assertion.checkCounter(after: last)
        } else {
            #expect(throws: PasskeyError.counterWentBack) { try assertion.checkCounter(after: last) }
        }
    }
}

extension [UInt8] {
    /// The index of the first of two bytes that follow each other.
    fileprivate func lastIndices(of pair: [UInt8]) -> Int? {
        indices.dropLast().last { self[$0] == pair[0] && self[$0 + 1] == pair[1] }
    }
}

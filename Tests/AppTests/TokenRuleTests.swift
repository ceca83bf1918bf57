import App
import Library
import Crypto
import Foundation
import Geometry
import HTTPTypes
import JWTKit
import Stories
import TestSupport
import Testing

/// RFC 8725 and RFC 9068, rule by rule, with tokens that are signed with the right keys unless the rule is about keys.
@Suite("Token rules")
struct TokenRuleTests {
    /// The status that a token gets at a route that needs one.
    private static func status(_ token: String, _ client: Client) async throws -> Int {
        try await client.get("/v1/me", headers: [.authorization: "Bearer " + token]).status
    }

    private static func expect(
        _ status: Int,
        of tokens: [(name: String, token: String)],
        forge: TokenForge
    ) async throws {
        try await forge.fixture.run(accounts: forge.accounts()) { client async throws in
            for (name, token) in tokens {
                #expect(try await TokenRuleTests.status(token, client) == status, "\(name)")
            }
        }
    }

    @Test("Valid external tokens are accepted: EdDSA and ES256, both types, audience lists, no scope")
    func good() async throws {
        let forge = TokenForge(try await ServiceFixture())
        try await TokenRuleTests.expect(
            200,
            of: [
                ("EdDSA", try forge.signed()), ("ES256", try forge.signedES256()),
                ("Ed25519", try forge.signed(header: TokenForge.header("Ed25519", kid: "ed"))),
                (
                    "long type",
                    try forge.signed(header: TokenForge.header("EdDSA", kid: "ed", type: "application/at+jwt"))
                ),
                ("loud type", try forge.signed(header: TokenForge.header("EdDSA", kid: "ed", type: "AT+JWT"))),
                ("audiences", try forge.signed(["aud": "[\"x\",\"\(TokenForge.audience)\"]"])),
                ("clock a little ahead", try forge.signed(["iat": "1795262459", "nbf": "1795262459"])),
                ("ended a little ago", try forge.signed(["exp": "1795262341"])),
                ("fractions of seconds", try forge.signed(["exp": "1795263000.5"])),
            ],
            forge: forge
        )
    }

    @Test("What jwt-kit signs is accepted, and jwt-kit reads the tokens of the service", .timeLimit(.minutes(30)))
    func independent() async throws {
        struct Claims: JWTPayload {
            let iss: String
            let aud: String
            let sub: String
            let iat: Int
            let exp: Int
            let scope: String
            func verify(using algorithm: some JWTAlgorithm) async throws {}
        }
        let fixture = try await ServiceFixture()
        let forge = TokenForge(fixture)
        let keys = JWTKeyCollection()
        await keys.add(eddsa: EdDSA.PrivateKey(backing: forge.ed25519), kid: "ed")
        try await keys.add(ecdsa: ES256PrivateKey(backing: forge.p256), kid: "ec")
        await keys.add(hmac: HMACKey(from: forge.secret), digestAlgorithm: .sha256, kid: "waymark")
        let now = Int(fixture.clock.now.milliseconds / 1_000)
        func token(_ issuer: String, _ audience: String, _ kid: JWKIdentifier) async throws -> String {
            let claims = Claims(
                iss: issuer,
                aud: audience,
                sub: "ana",
                iat: now,
                exp: now + 60,
                scope: "stories:read account:manage"
            )
            return try await keys.sign(claims, kid: kid, header: ["typ": "at+jwt"])
        }
        let outside = (TokenForge.issuer, TokenForge.audience)
        try await TokenRuleTests.expect(
            200,
            of: [
                ("ed", try await token(outside.0, outside.1, "ed")),
                ("ec", try await token(outside.0, outside.1, "ec")),
                ("own", try await token("waymark", "waymark", "waymark")),
            ],
            forge: forge
        )
        let own = try await fixture.accounts.issueToken(for: try #require(UserID("ana")), seconds: 60)
        let read = try await keys.verify(own, as: Claims.self)
        #expect(read.sub == "ana" && read.iss == "waymark" && read.exp == now + 60)
    }

    @Test("§3.1: the key determines the algorithm, whatever the token says")
    func algorithm() async throws {
        let forge = TokenForge(try await ServiceFixture())
        let publicKey = Data(forge.ed25519.publicKey.rawRepresentation)
        let unsigned =
            base64url(Data(TokenForge.header("none", kid: "ed").utf8)) + "."
            + base64url(Data(forge.claims([:]).utf8)) + "."
        let spellings = [
            "none", "None", "NONE", "nOnE", "", "HS256", "HS512", "RS256", "ES256", "ES384", "eddsa", "Ed448",
        ]
        let named = try spellings.map { ($0, try forge.signed(header: TokenForge.header($0, kid: "ed"))) }
        let claims = forge.claims([:])
        func hmac(_ kid: String, _ secret: Data) -> String {
            TokenForge.hs256(header: TokenForge.header("HS256", kid: kid), claims: claims, secret: secret)
        }
        let withPublicKey = [
            ("raw", hmac("ed", publicKey)), ("x963", hmac("ec", forge.p256.publicKey.x963Representation)),
            ("pem", hmac("ec", Data(forge.p256.publicKey.pemRepresentation.utf8))), ("empty", hmac("ed", Data())),
            ("the set", hmac("ed", Data(forge.keySet.utf8))),
        ]
        let swapped = [
            ("Ed25519 key for ec", try forge.signed(header: TokenForge.header("ES256", kid: "ec"))),
            ("Ed25519 key and name for ec", try forge.signed(header: TokenForge.header("EdDSA", kid: "ec"))),
            ("P-256 key for ed", try forge.signedES256(header: TokenForge.header("EdDSA", kid: "ed"))),
            ("no signature", unsigned),
            ("no algorithm", try forge.signed(header: "{\"typ\":\"at+jwt\",\"kid\":\"ed\"}")),
            (
                "a list of algorithms",
                try forge.signed(header: "{\"alg\":[\"EdDSA\"],\"typ\":\"at+jwt\",\"kid\":\"ed\"}")
            ),
        ]
        try await TokenRuleTests.expect(401, of: named + withPublicKey + swapped, forge: forge)
    }

    @Test("§3.10: a key is found by its exact id only, and keys inside a token are never used")
    func keyIDs() async throws {
        let forge = TokenForge(try await ServiceFixture())
        let ids = [
            "", "ED", "ed ", " ed", "ed\\u0000", "e", "edd", "ec", "../../../../dev/null", "/dev/null",
            "..\\\\keys.json",
            "ed' OR '1'='1", "x' UNION SELECT 'key' --", "https://evil.example/keys.json", "*", "waymark", "0", "null",
            "e\\u0064\\u0301", String(repeating: "e", count: 3_000),
        ]
        let named = try ids.map {
            ("kid \($0.prefix(20))", try forge.signed(header: TokenForge.header("EdDSA", kid: $0)))
        }
        let brought = Curve25519.Signing.PrivateKey()
        let jwk = "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"\(base64url(brought.publicKey.rawRepresentation))\"}"
        func own(_ header: String) throws -> String {
            let text = base64url(Data(header.utf8)) + "." + base64url(Data(forge.claims([:]).utf8))
            return text + "." + base64url(try brought.signature(for: Data(text.utf8)))
        }
        let more = [
            ",\"jwk\":\(jwk)", ",\"jku\":\"https://evil.example/keys.json\"", ",\"x5u\":\"https://evil.example/c.pem\"",
            ",\"x5c\":[\"AAAA\"]",
        ]
        let bringing = try more.map { ($0, try own(TokenForge.header("EdDSA", kid: "ed", more: $0))) }
        let others = [
            ("no kid", try forge.signed(header: TokenForge.header("EdDSA", kid: nil))),
            ("kid that is no text", try forge.signed(header: "{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":0}")),
            ("kid twice", try forge.signed(header: TokenForge.header("EdDSA", kid: "x", more: ",\"kid\":\"ed\""))),
        ]
        try await TokenRuleTests.expect(401, of: named + bringing + others, forge: forge)
        // With the right key they are only not read.
        let harmless = try more.map { ($0, try forge.signed(header: TokenForge.header("EdDSA", kid: "ed", more: $0))) }
        try await TokenRuleTests.expect(200, of: harmless, forge: forge)
    }

    @Test("RFC 7515 §4.1.11: critical headers are not supported; §3.11: it must be an access token")
    func headers() async throws {
        let forge = TokenForge(try await ServiceFixture())
        var bad = try [",\"crit\":[\"exp\"]", ",\"crit\":[]", ",\"crit\":null", ",\"b64\":false,\"crit\":[\"b64\"]"]
            .map { ($0, try forge.signed(header: TokenForge.header("EdDSA", kid: "ed", more: $0))) }
        for type in ["JWT", "jwt", "at+jwt ", "id+jwt", "application/jwt", "at", "", "dpop+jwt"] {
            bad.append((type, try forge.signed(header: TokenForge.header("EdDSA", kid: "ed", type: type))))
        }
        bad.append(("no type", try forge.signed(header: TokenForge.header("EdDSA", kid: "ed", type: nil))))
        try await TokenRuleTests.expect(401, of: bad, forge: forge)
    }

    @Test("§3.8–3.9: issuer, audience, subject and times are checked")
    func claims() async throws {
        let forge = TokenForge(try await ServiceFixture())
        let changes: [[String: String?]] = [
            ["iss": "\"waymark\""], ["iss": "\"https://id.example.org/\""], ["iss": nil],
            ["iss": "[\"\(TokenForge.issuer)\"]"],
            ["aud": "\"waymark\""], ["aud": nil], ["aud": "[]"], ["aud": "\"\""], ["aud": "null"], ["aud": "{}"],
            ["sub": nil], ["sub": "\"\""], ["sub": "\"a b\""], ["sub": "\"../ana\""], ["sub": "7"],
            ["sub": "\"an\\u00e4\""],
            ["sub": "\"\(String(repeating: "a", count: 65))\""],
            ["exp": nil], ["exp": "1795262339"], ["exp": "0"], ["exp": "-1"], ["exp": "\"1795263000\""],
            ["exp": "null"],
            ["exp": "1e300"], ["exp": "253402300800"], ["exp": "99999999999999999999999999"],
            ["exp": String(repeating: "9", count: 400)], ["exp": "true"],
            ["iat": nil], ["iat": "1795262461"], ["iat": "1e18"], ["iat": "-5"], ["iat": "\"1\""],
            ["nbf": "1795262461"], ["nbf": "\"0\""], ["nbf": "null"], ["nbf": "1e30"],
            ["scope": "7"], ["scope": "[\"stories:read\"]"], ["scope": "null"],
        ]
        let tokens = try changes.map { ("\($0)", try forge.signed($0)) }
        try await TokenRuleTests.expect(401, of: tokens, forge: forge)
    }

    @Test(
        "A key is valid for its own issuer only, built-in or external"
    )
    func issuers() async throws {
        let forge = TokenForge(try await ServiceFixture())
        let header = TokenForge.header("HS256", kid: "waymark")
        let outside = forge.claims(["scope": "\"stories:read\""])
        func own(_ changes: [String: String?]) -> String {
            TokenForge.hs256(header: header, claims: forge.builtIn(changes), secret: forge.secret)
        }
        try await TokenRuleTests.expect(
            401,
            of: [
                ("own key, outside claims", TokenForge.hs256(header: header, claims: outside, secret: forge.secret)),
                (
                    "outside key, own claims",
                    try forge.signed(header: TokenForge.header("EdDSA", kid: "ed"), claims: forge.builtIn())
                ),
                ("own, audience of the other", own(["aud": "\"\(TokenForge.audience)\""])),
                ("own, no scope", own(["scope": nil])), ("own, no audience", own(["aud": nil])),
                ("own, ended now", own(["exp": "1795262400"])), ("own, unknown epoch", own(["epoch": "\"x\""])),
                ("own, unknown sign-in", own(["sid": "\"x\""])),
            ],
            forge: forge
        )
        try await TokenRuleTests.expect(200, of: [("own", own([:]))], forge: forge)
    }

    @Test("§2.4, §3.2: anything not in the single valid form is rejected before any key lookup")
    func forms() async throws {
        let forge = TokenForge(try await ServiceFixture())
        let good = try forge.signed()
        let parts = good.split(separator: ".").map(String.init)
        let (header, claims, signature) = (parts[0], parts[1], parts[2])
        func raw(_ header: String, _ claims: String) throws -> String {
            let text = header + "." + claims
            return text + "." + base64url(try forge.ed25519.signature(for: Data(text.utf8)))
        }
        func text(_ header: String, _ claims: String) throws -> String {
            try forge.signed(header: header, claims: claims)
        }
        let ed = TokenForge.header("EdDSA", kid: "ed")
        let long = String(repeating: "x", count: 8_192)
        // The last character of 64 bytes in base64url holds two bits; its other four must be zero.
        let looser = String(signature.dropLast()) + (signature.last == "A" ? "B" : "_")
        var bad: [(String, String)] = [
            ("empty", "."), ("two parts", header + "." + claims), ("four parts", good + ".x"),
            ("five parts", good + ".x.y"),
            ("end dot", good + "."), ("start dot", "." + good), ("padding", good + "=="), ("trailing", good + "A"),
            ("trailing newline", good + "%0A"), ("no signature", header + "." + claims + "."),
            ("other last bits", header + "." + claims + "." + looser), ("shorter signature", String(good.dropLast(2))),
            ("claims changed", header + "." + String(claims.dropLast(4)) + "AAAA." + signature),
            ("header of another", base64url(Data("{}".utf8)) + "." + claims + "." + signature),
            ("oversize", try forge.signed(["x": "\"\(long)\""])),
            ("standard base64", try raw(base64url(Data(ed.utf8)) + "=", claims)), ("plus", try raw("ab+/", claims)),
            ("one character over", try raw(header + "A", claims)),
            ("header a list", try text("[\(ed)]", forge.claims([:]))),
            ("header no JSON", try text("alg", forge.claims([:]))),
            ("claims a list", try text(ed, "[]")), ("claims null", try text(ed, "null")),
            ("claims empty", try text(ed, "")),
            ("claims no JSON", try text(ed, "{'sub':'ana'}")),
            ("claims and more", try text(ed, forge.claims([:]) + "{}")),
            ("byte order mark", try text("\u{FEFF}" + ed, forge.claims([:]))),
            ("NaN", try forge.signed(["exp": "NaN"])), ("Infinity", try forge.signed(["exp": "Infinity"])),
            ("deep", try forge.signed(["x": String(repeating: "[", count: 30) + String(repeating: "]", count: 30)])),
        ]
        for (name, value) in [("sub", "\"ben\""), ("exp", "1"), ("iss", "\"x\""), ("scope", "\"\"")] {
            let twice = String(forge.claims([:]).dropLast()) + ",\"\(name)\":\(value),\"\(name)\":\(value)}"
            bad.append(("\(name) twice", try text(ed, twice)))
        }
        try await TokenRuleTests.expect(401, of: bad, forge: forge)
        try await TokenRuleTests.expect(200, of: [("good", good)], forge: forge)
    }

    @Test(
        "Changing any bytes of a valid token rejects it, without a crash",
        arguments: [UInt64(8_725)]
    )
    func mutations(seed: UInt64) async throws {
        let forge = TokenForge(try await ServiceFixture())
        let good = Array(try forge.signed().utf8)
        var random = SplitMix64(seed: seed)
        var mutants: [(String, String)] = []
        let alphabet = Array("ABCabc019-_.=+/{}\"\\ :".utf8)
        for number in 0..<3_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = alphabet.randomElement(using: &random) ?? 0x41
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(alphabet.randomElement(using: &random) ?? 0x41, at: place)
                default: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &random))
                }
            }
            // A space would make another header of it.
            guard bytes != good, let text = String(validating: bytes, as: UTF8.self), !text.contains(" ") else {
                continue
            }
            mutants.append(("mutant \(number)", text))
        }
        #expect(mutants.count > 2_000)
        try await TokenRuleTests.expect(401, of: mutants, forge: forge)
    }
}

import Crypto
import Formats
import Foundation
import JWTKit
import OpenID
import Testing

@Suite("ID tokens of a provider")
struct IDTokenTests {
    static func identity(
        _ token: String,
        _ keys: ProviderKeys,
        at now: Double = TokenMaker.now,
        nonce: String = TokenMaker.nonce
    ) throws(OpenIDError) -> ProviderIdentity {
        try IDToken(parsing: token)
            .identity(
                keys: keys,
                .init(issuer: TokenMaker.issuer, audience: TokenMaker.client, nonce: nonce, time: now)
            )
    }

    static func fault(_ token: String, _ keys: ProviderKeys) -> OpenIDError? {
        do {
            _ = try identity(token, keys)
            return nil
        } catch { return error }
    }

    @Test("A token signed with RS256, ES256 or EdDSA says who it is, with or without the algorithm's key id")
    func accepted() async throws {
        let maker = try await TokenMaker()
        let keys = try await ProviderKeys(parsing: maker.set())
        #expect(keys.count == 3)
        for (algorithm, id, key) in [("RS256", "r", maker.rsa), ("ES256", "c", maker.ec), ("EdDSA", "d", maker.ed)] {
            for kid in [#","kid":"\#(id)""#, ""] {
                let token = try maker.token(header: #"{"alg":"\#(algorithm)"\#(kid)}"#, by: key)
                #expect(try IDTokenTests.identity(token, keys).subject == "248289761001", "\(algorithm)")
            }
        }
    }

    @Test("Only an address that the provider has verified counts, and the name is taken as it comes")
    func profile() async throws {
        let maker = try await TokenMaker()
        let keys = try await ProviderKeys(parsing: maker.set())
        let table: [(String?, String?)] = [
            (nil, nil), ("false", nil), (#""false""#, nil), ("1", nil), ("null", nil), ("true", "a@example.org"),
            (#""true""#, "a@example.org"),
        ]
        for (verified, email) in table {
            let claims = TokenMaker.claims([
                "email": #""a@example.org""#, "email_verified": verified, "name": #""Aunt Olga""#,
            ])
            let identity = try IDTokenTests.identity(try maker.token(claims), keys)
            #expect(identity.email == email && identity.name == "Aunt Olga", "\(verified ?? "absent")")
        }
    }

    @Test(
        "Each claim is checked",
        arguments: [
            (["iss": #""https://login.example.org/""#], .issuer), (["iss": nil], .issuer),
            (["iss": #""https://evil.example""#], .issuer),
            (["aud": #""other""#], .audience), (["aud": nil], .malformed), (["aud": "[]"], .audience),
            (["aud": #"["waymark",1]"#], .malformed), (["aud": #"["waymark","other"]"#], .audience),
            (["aud": #"["waymark","other"]"#, "azp": #""other""#], .audience), (["azp": #""other""#], .audience),
            (["azp": "null"], .audience),
            (["nonce": #""another""#], .nonce), (["nonce": nil], .nonce), (["nonce": #""""#], .nonce),
            (["exp": "1699999939"], .expired), (["exp": nil], .malformed), (["exp": #""1700000300""#], .malformed),
            (["iat": "1700000061"], .future), (["iat": nil], .malformed), (["nbf": "1700000061"], .future),
            (["nbf": #""soon""#], .malformed), (["iat": "1699999399"], .old), (["iat": "-1e300"], .old),
            (["exp": "-1e300"], .expired), (["iat": "1e300"], .future),
            (["sub": nil], .malformed), (["sub": #""""#], .malformed), (["sub": "1"], .malformed),
            (["sub": #""a b""#], .malformed), (["sub": "\"" + String(repeating: "a", count: 256) + "\""], .malformed),
        ] as [([String: String?], OpenIDError.TokenFault)]
    )
    func claims(changes: [String: String?], fault: OpenIDError.TokenFault) async throws {
        let maker = try await TokenMaker()
        let keys = try await ProviderKeys(parsing: maker.set(["c"]))
        let header = #"{"alg":"ES256","kid":"c"}"#
        let token = try maker.token(header: header, TokenMaker.claims(changes), by: maker.ec)
        #expect(IDTokenTests.fault(token, keys) == .token(fault))
    }

    @Test("Clocks may differ by a minute, and several audiences are fine if the token was made for us")
    func tolerance() async throws {
        let maker = try await TokenMaker()
        let keys = try await ProviderKeys(parsing: maker.set(["c"]))
        for changes: [String: String?] in [
            ["exp": "1699999941"], ["iat": "1700000060", "nbf": "1700000060"], ["iat": "1699999400"],
            ["aud": #"["other","waymark"]"#, "azp": #""waymark""#], ["aud": #"["waymark"]"#],
        ] {
            let token = try maker.token(
                header: #"{"alg":"ES256","kid":"c"}"#,
                TokenMaker.claims(changes),
                by: maker.ec
            )
            #expect(IDTokenTests.fault(token, keys) == nil, "\(changes)")
        }
    }

    @Test("No algorithm without a public key is accepted, whatever the header says")
    func algorithms() async throws {
        let maker = try await TokenMaker()
        let keys = try await ProviderKeys(parsing: maker.set())
        for name in ["none", "None", "NONE", "", "HS256", "HS384", "RS384", "PS256", "ES384", "rs256"] {
            let token = try maker.token(header: #"{"alg":"\#(name)","kid":"r"}"#)
            #expect(IDTokenTests.fault(token, keys) == .token(.algorithm), "\(name)")
        }
        let header = Base64.encodeURL(Array(#"{"alg":"none"}"#.utf8))
        let unsigned = header + "." + Base64.encodeURL(Array(TokenMaker.claims().utf8)) + "."
        #expect(IDTokenTests.fault(unsigned, keys) == .token(.algorithm))
        // Signed with the public key as if it were a shared secret, under either name.
        for name in ["HS256", "RS256"] {
            let head = Base64.encodeURL(Array(#"{"alg":"\#(name)","kid":"r"}"#.utf8))
            let text = head + "." + Base64.encodeURL(Array(TokenMaker.claims().utf8))
            let secret = SymmetricKey(data: Data(maker.pem.utf8))
            let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: secret)
            let fault = IDTokenTests.fault(text + "." + Base64.encodeURL(Data(code)), keys)
            #expect(fault == .token(name == "RS256" ? .signature : .algorithm))
        }
    }

    @Test("A token names its key: an unknown, another algorithm's or another provider's does not do")
    func keys() async throws {
        let (maker, stranger) = (try await TokenMaker(), try await TokenMaker())
        let keys = try await ProviderKeys(parsing: maker.set())
        let foreign = try stranger.token()
        #expect(IDTokenTests.fault(foreign, keys) == .token(.signature))
        for header in [#"{"alg":"RS256","kid":"x"}"#, #"{"alg":"RS256","kid":"c"}"#, #"{"alg":"ES256","kid":"r"}"#] {
            #expect(IDTokenTests.fault(try maker.token(header: header), keys) == .token(.unknownKey), "\(header)")
        }
        // A key in the token's own header is nobody's word.
        let own = #"{"alg":"RS256","kid":"r","jwk":{\#(stranger.members["r"] ?? "")}}"#
        #expect(IDTokenTests.fault(try stranger.token(header: own), keys) == .token(.signature))
        // Without an id, two keys that fit leave it open which is meant.
        let two = #"{"kid":"second","use":"sig",\#(stranger.members["r"] ?? "")}"#
        let several = try await ProviderKeys(parsing: maker.set(more: [two]))
        #expect(IDTokenTests.fault(try maker.token(header: #"{"alg":"RS256"}"#), several) == .token(.unknownKey))
        #expect(IDTokenTests.fault(try maker.token(), several) == nil)
    }

    @Test("Headers that ask for more, and tokens for other uses, are refused")
    func headers() async throws {
        let maker = try await TokenMaker()
        let keys = try await ProviderKeys(parsing: maker.set())
        for more in [#""typ":"at+jwt""#, #""typ":"logout+jwt""#, #""typ":1"#, #""crit":["exp"]"#, #""kid":1"#] {
            let id = more.contains("kid") ? "" : #","kid":"r""#
            let token = try maker.token(header: #"{"alg":"RS256"\#(id),\#(more)}"#)
            #expect(IDTokenTests.fault(token, keys) == .token(.malformed), "\(more)")
        }
        for text in [
            "", ".", "..", "a.b.c", "a.b", "....", "e30.e30.e30", try maker.token() + ".", try maker.token() + "=",
        ] {
            #expect(throws: OpenIDError.self) { try IDTokenTests.identity(text, keys) }
        }
        // Repeated names: two parsers could choose different claims.
        let twice = TokenMaker.claims().replacing(#""sub":"#, with: #""sub":"another","sub":"#)
        #expect(IDTokenTests.fault(try maker.token(twice), keys) == .token(.malformed))
    }

    @Test("No truncated and no changed token is accepted, and none does harm")
    func fuzz() async throws {
        let maker = try await TokenMaker()
        let keys = try await ProviderKeys(parsing: maker.set(["d"]))
        let token = try maker.token(header: #"{"alg":"EdDSA","kid":"d"}"#, by: maker.ed)
        #expect(IDTokenTests.fault(token, keys) == nil)
        for length in 0..<token.utf8.count {
            #expect(IDTokenTests.fault(String(token.prefix(length)), keys) != nil, "\(length)")
        }
        var generator = SystemRandomNumberGenerator()
        let bytes = Array(token.utf8)
        for _ in 0..<3_000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0..<changed.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: changed[place] = UInt8.random(in: 0x20...0x7E, using: &generator)
                case 1: changed.remove(at: place)
                default: changed.insert(UInt8.random(in: 0...0x7F, using: &generator), at: place)
                }
            }
            guard changed != bytes else { continue }
            let text = String(decoding: changed, as: UTF8.self)
            #expect(IDTokenTests.fault(text, keys) != nil, "\(text)")
        }
    }
}

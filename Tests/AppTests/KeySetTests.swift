import App
import Library
import Crypto
import Foundation
import HTTPTypes
import Logging
import Stories
import Synchronization
import TestSupport
import Testing

@Suite("Keys of an external issuer")
struct KeySetTests {
    private static let ed = base64url(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation)
    private static let point = P256.Signing.PrivateKey().publicKey.x963Representation
    private static let x = base64url(Data(point.dropFirst().prefix(32)))
    private static let y = base64url(Data(point.suffix(32)))

    private static func okp(_ more: String = ",\"kid\":\"b\"", x: String = ed) -> String {
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"\(x)\"\(more)}"
    }

    @Test("Public keys of both curves are read, with any allowed additional members")
    func good() async throws {
        let ec =
            "{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"c\",\"x\":\"\(KeySetTests.x)\",\"y\":\"\(KeySetTests.y)\"}"
        let more = ",\"kid\":\"b\",\"use\":\"sig\",\"key_ops\":[\"verify\"],\"alg\":\"EdDSA\",\"x5t\":\"ignored\""
        _ = try await KeySet(parsing: Array("{\"keys\":[\(KeySetTests.okp(more)),\(ec)]}".utf8))
    }

    @Test("Secrets, private keys, and invalid ids, curves and points are rejected with the key's number")
    func bad() async throws {
        let (x, y) = (KeySetTests.x, KeySetTests.y)
        let ec = "\"kty\":\"EC\",\"crv\":\"P-256\""
        func small(_ digits: String) -> String {
            let bytes = stride(from: 0, to: digits.count, by: 2)
                .map { place in
                    let start = digits.index(digits.startIndex, offsetBy: place)
                    return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16) ?? 0
                }
            return KeySetTests.okp(x: base64url(Data(bytes)))
        }
        let zeros = String(repeating: "00", count: 31)
        let entries: [(entry: String, words: String)] = [
            ("{\"kty\":\"oct\",\"kid\":\"b\",\"k\":\"AAAA\"}", "secret"), ("{\"kty\":\"oct\",\"kid\":\"b\"}", "secret"),
            (KeySetTests.okp(",\"kid\":\"b\",\"d\":\"AAAA\""), "secret"),
            ("{\(ec),\"kid\":\"b\",\"x\":\"\(x)\",\"y\":\"\(y)\",\"d\":\"AAAA\"}", "secret"),
            ("{\"kty\":\"RSA\",\"kid\":\"b\",\"n\":\"AQAB\",\"e\":\"AQAB\"}", "neither"),
            ("{\"kty\":\"EC\",\"crv\":\"P-384\",\"kid\":\"b\",\"x\":\"\(x)\",\"y\":\"\(y)\"}", "neither"),
            ("{\"kty\":\"EC\",\"crv\":\"secp256k1\",\"kid\":\"b\",\"x\":\"\(x)\",\"y\":\"\(y)\"}", "neither"),
            ("{\"kty\":\"OKP\",\"crv\":\"X25519\",\"kid\":\"b\",\"x\":\"\(x)\"}", "neither"),
            ("{\"kty\":\"OKP\",\"crv\":\"Ed448\",\"kid\":\"b\",\"x\":\"\(x)\"}", "neither"),
            ("{\"kid\":\"b\"}", "neither"),
            ("{\(ec),\"kid\":\"b\",\"x\":\"\(x)\",\"y\":\"\(x)\"}", "point"),
            ("{\(ec),\"kid\":\"b\",\"x\":\"\(x)\"}", "'y'"),
            ("{\(ec),\"kid\":\"b\",\"x\":\"\(x)=\",\"y\":\"\(y)\"}", "'x'"), (KeySetTests.okp(x: "AAAA"), "'x'"),
            (KeySetTests.okp(""), "'kid'"), (KeySetTests.okp(",\"kid\":\"\""), "'kid'"),
            (KeySetTests.okp(",\"kid\":7"), "'kid'"), (KeySetTests.okp(",\"kid\":\"\\u00e9\""), "'kid'"),
            (KeySetTests.okp(",\"kid\":\"a\""), "earlier"), (KeySetTests.okp(",\"kid\":\"waymark\""), "built-in"),
            (KeySetTests.okp(",\"kid\":\"b\",\"use\":\"enc\""), "'use'"),
            (KeySetTests.okp(",\"kid\":\"b\",\"key_ops\":[\"encrypt\"]"), "'key_ops'"),
            (KeySetTests.okp(",\"kid\":\"b\",\"alg\":\"HS256\""), "'alg'"),
            (KeySetTests.okp(",\"kid\":\"b\",\"alg\":\"ES256\""), "'alg'"),
            (small("00" + zeros), "weak"), (small("01" + zeros), "weak"), (small(zeros + "80"), "weak"),
            (small("01" + String(zeros.dropFirst(2)) + "80"), "weak"),
            (small("ec" + String(repeating: "ff", count: 30) + "7f"), "weak"),
            (small("ed" + String(repeating: "ff", count: 30) + "ff"), "weak"),
            (small("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85"), "weak"),
            (small("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), "weak"),
        ]
        for (entry, words) in entries {
            let set = "{\"keys\":[\(KeySetTests.okp(",\"kid\":\"a\"")),\(entry)]}"
            let error = await #expect(throws: KeySet.Failure.self, "\(entry)") {
                try await KeySet(parsing: Array(set.utf8))
            }
            let said = error?.description ?? ""
            #expect(said.hasPrefix("keys[1] ") && said.contains(words), "\(entry): \(said)")
        }
        for set in ["", "[]", "{}", "{\"keys\":[]}", "{\"keys\":7}", "{\"keys\":[", "{\"keys\":[],\"keys\":[]}"] {
            await #expect(throws: KeySet.Failure.self, "\(set)") { try await KeySet(parsing: Array(set.utf8)) }
        }
    }

    @Test(
        "A changed file is read again after ten seconds; a broken one is ignored; a removed key is invalid"
    )
    func reload() async throws {
        let fixture = try await ServiceFixture()
        let (old, new) = (TokenForge(fixture), TokenForge(fixture))
        let path = fixture.folder.path("keys.json")
        let url = URL(fileURLWithPath: path)
        try Data(old.keySet.utf8).write(to: url)
        try await fixture.run(accounts: old.accounts(path: path)) { client async throws in
            func status(_ forge: TokenForge) async throws -> Int {
                try await client.get("/v1/me", headers: KeyTests.bearer(try forge.signed())).status
            }
            #expect(try await [status(old), status(new)] == [200, 401])
            try Data(new.keySet.utf8).write(to: url)
            fixture.clock.advance(seconds: 9)
            #expect(try await [status(old), status(new)] == [200, 401])
            fixture.clock.advance(seconds: 1)
            #expect(try await [status(old), status(new)] == [401, 200])
            for broken in ["{\"keys\":[", "{\"keys\":[{\"kty\":\"oct\",\"kid\":\"x\",\"k\":\"AAAA\"}]}"] {
                try Data(broken.utf8).write(to: url)
                fixture.clock.advance(seconds: 10)
                #expect(try await [status(old), status(new)] == [401, 200], "\(broken)")
            }
            try FileManager.default.removeItem(at: url)
            fixture.clock.advance(seconds: 10)
            #expect(try await [status(old), status(new)] == [401, 200])
            try Data(old.keySet.utf8).write(to: url)
            fixture.clock.advance(seconds: 10)
            #expect(try await [status(old), status(new)] == [200, 401])
        }
    }

    @Test("A file missing or broken at startup is an error that names it")
    func start() async throws {
        let fixture = try await ServiceFixture()
        let forge = TokenForge(fixture)
        let path = fixture.folder.path("keys.json")
        let missing = await #expect(throws: KeySet.Failure.self) { try await forge.accounts(path: path) }
        #expect(missing?.description.contains(path) == true)
        try Data("{\"keys\":[{}]}".utf8).write(to: URL(fileURLWithPath: path))
        let broken = await #expect(throws: KeySet.Failure.self) { try await forge.accounts(path: path) }
        #expect(broken?.description.contains("\(path): keys[0] ") == true)
    }
}

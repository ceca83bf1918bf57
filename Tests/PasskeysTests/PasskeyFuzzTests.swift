import Foundation
import Geometry
import Passkeys
import TestSupport
import Testing

/// Damaged answers: the bytes come from strangers, and libraries in C read them.
@Suite("Damaged answers of authenticators", .serialized)
struct PasskeyFuzzTests {
    private static let cases = 10_000
    /// What may be allocated besides, by other tests of the same process.
    private static let spareKilobytes = 12_000

    @Test("No damage traps, leaks, or makes a signature fit")
    func damage() throws {
        let ceremony = try Ceremony()
        let authenticators = [
            SoftwareAuthenticator.es256(party: Ceremony.id), .edDSA(party: Ceremony.id), try Ceremony.rs256(),
        ]
        let keys = try authenticators.map { try ceremony.register($0.attestation).key }
        var generator = SplitMix64(seed: 20)
        var (accepted, before) = (0, 0)
        for number in 0..<PasskeyFuzzTests.cases {
            if number == PasskeyFuzzTests.cases / 10 { before = try residentKilobytes() }
            let authenticator = authenticators[number % 3]
            // Half of them are damaged behind what is checked first.
            let attestation =
                number.isMultiple(of: 2)
                ? damaged(authenticator.attestation, using: &generator)
                : SoftwareAuthenticator.attestation(
                    of: Array(authenticator.creationData[..<37])
                        + damaged(Array(authenticator.creationData[37...]), using: &generator)
                )
            if (try? ceremony.register(attestation)) != nil { accepted += 1 }
            let data = Array(authenticator.assertionData[..<33]) + damaged([0, 0, 0, 0], using: &generator)
            let signature = try authenticator.signature(clientData: Ceremony.clientData("webauthn.get"))
            let broken = damaged(signature, using: &generator)
            if data != authenticator.assertionData || broken != signature {
                #expect(throws: PasskeyError.self) {
                    try ceremony.signIn(authenticator, key: keys[number % 3], signature: broken, data: data)
                }
            }
            let extended = damaged(authenticator.creationData, using: &generator)
            _ = try? ceremony.signIn(authenticator, key: keys[number % 3], signature: signature, data: extended)
            _ = try? ceremony.signIn(authenticator, key: PasskeyKey(.es256, broken), signature: signature)
        }
        // A change of the device's model or of the counter makes another passkey, and that is fine.
        #expect(accepted > 0 && accepted < PasskeyFuzzTests.cases / 2)
        #expect(try residentKilobytes() - before < PasskeyFuzzTests.spareKilobytes)
    }

    @Test("Every beginning of an answer is refused")
    func truncated() throws {
        let ceremony = try Ceremony()
        let authenticator = SoftwareAuthenticator.es256(party: Ceremony.id)
        let (whole, data) = (authenticator.attestation, authenticator.creationData)
        let key = try ceremony.register(whole).key
        for length in 0..<whole.count {
            #expect(throws: PasskeyError.unreadable) { _ = try ceremony.register(Array(whole[..<length])) }
        }
        for length in 0..<data.count {
            #expect(throws: PasskeyError.self) {
                _ = try ceremony.register(SoftwareAuthenticator.attestation(of: Array(data[..<length])))
            }
        }
        for length in 0..<37 {
            #expect(throws: PasskeyError.unreadable) {
                try ceremony.signIn(authenticator, key: key, data: Array(authenticator.assertionData[..<length]))
            }
        }
    }

    @Test("Lengths and counts that no memory holds are refused at once")
    func lengths() throws {
        let ceremony = try Ceremony()
        let long: [UInt8] = [0x5B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        let start = CBOR.map(3) + CBOR.text("fmt") + CBOR.text("none") + CBOR.text("attStmt")
        let nested = [UInt8](repeating: 0x81, count: 15_000)
        let wrongs: [[UInt8]] = [
            CBOR.map(3) + CBOR.text("authData") + long, start + [0xBB] + long.dropFirst(),
            start + [0xA1, 0x01] + nested,
            start + [0xBF], start + [0x1F],
            start + CBOR.map(0) + CBOR.text("fmt") + CBOR.text("none"),
            [UInt8](repeating: 0, count: 20_000), [0xA3, 0x61, 0xFF],
        ]
        for wrong in wrongs {
            #expect(throws: PasskeyError.unreadable) { _ = try ceremony.register(wrong) }
        }
        // An id of 65,535 bytes is announced, and there are not so many.
        var data = SoftwareAuthenticator.es256(party: Ceremony.id).creationData
        (data[53], data[54]) = (0xFF, 0xFF)
        #expect(throws: PasskeyError.unreadable) {
            _ = try ceremony.register(SoftwareAuthenticator.attestation(of: data))
        }
        // A key with a list of 2^59 items, for which a library would reserve room.
        var list = SoftwareAuthenticator.es256(party: Ceremony.id).creationData
        list = Array(list[..<87]) + [0xA1, 0x01, 0x9B, 0x08, 0, 0, 0, 0, 0, 0, 0]
        #expect(throws: PasskeyError.unreadable) {
            _ = try ceremony.register(SoftwareAuthenticator.attestation(of: list))
        }
        // The same as an extension of an assertion.
        let key = try ceremony.register(SoftwareAuthenticator.es256(party: Ceremony.id).attestation).key
        var authenticator = SoftwareAuthenticator.es256(party: Ceremony.id)
        authenticator.flags |= 0x80
        let extended = authenticator.assertionData + [0xA1, 0x61, 0x61, 0x9B, 0x08, 0, 0, 0, 0, 0, 0, 0]
        #expect(throws: PasskeyError.unreadable) { try ceremony.signIn(authenticator, key: key, data: extended) }
    }

    private func damaged(_ bytes: [UInt8], using generator: inout SplitMix64) -> [UInt8] {
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...3, using: &generator) where !damaged.isEmpty {
            let index = Int.random(in: damaged.indices, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: damaged[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: damaged.remove(at: index)
            case 2: damaged.insert(UInt8.random(in: 0...255, using: &generator), at: index)
            case 3: damaged.removeLast(min(damaged.count - index, 8))
            default: damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            }
        }
        return damaged
    }

    /// The memory of this process, in kilobytes.
    private func residentKilobytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(Int(line.split(separator: " ").dropLast().last ?? ""))
    }
}

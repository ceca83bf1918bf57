import Passkeys
import Stories
import TestSupport
import Testing

@Suite("The service as authenticators know it, and its challenges")
struct RelyingPartyTests {
    /// Configured URL, the host that a request names, and the name and origin of passkeys.
    static let table: [(String?, String?, String?, String?)] = [
        ("https://stories.example.org", nil, "stories.example.org", "https://stories.example.org"),
        ("https://Stories.Example.org:443/map", "other", "stories.example.org", "https://stories.example.org"),
        ("https://stories.example.org:8443", nil, "stories.example.org", "https://stories.example.org:8443"),
        ("https://nas", nil, "nas", "https://nas"),
        ("http://localhost:8080", nil, "localhost", "http://localhost:8080"),
        (nil, "localhost:8421", "localhost", "http://localhost:8421"),
        (nil, "LOCALHOST", "localhost", "http://localhost"), (nil, "localhost:80", "localhost", "http://localhost"),
        // Nobody makes a service somebody else by naming another host.
        (nil, "stories.example.org", nil, nil), (nil, "localhost.evil.example", nil, nil), (nil, nil, nil, nil),
        ("http://stories.example.org", "localhost:8080", nil, nil), ("https://127.0.0.1:8080", nil, nil, nil),
        ("https://[::1]:8080", nil, nil, nil), (nil, "127.0.0.1:8080", nil, nil), (nil, "[::1]:8080", nil, nil),
        ("https://user@stories.example.org", nil, nil, nil), ("https://", nil, nil, nil), ("nonsense", nil, nil, nil),
        ("https://b\u{FC}cher.example", nil, nil, nil), ("https://a..b", nil, nil, nil), ("https://a:x", nil, nil, nil),
        (nil, "localhost:", nil, nil), (nil, "localhost:1:2", nil, nil),
    ]

    @Test("Passkeys need https and a name, or localhost", arguments: table)
    func names(url: String?, host: String?, id: String?, origin: String?) {
        let party = RelyingParty(publicURL: url, authority: host)
        #expect(party?.id == id && party?.origin == origin, "\(url ?? "-") \(host ?? "-")")
    }

    @Test("A ticket opens for its purpose, its holder and its key, for five minutes")
    func tickets() throws {
        let (key, now) = ([UInt8](repeating: 1, count: 32), Timestamp(milliseconds: 1_795_262_400_000))
        let (challenge, handle) = ([UInt8](0..<32), [UInt8](32..<64))
        let ticket = ChallengeTicket(.adding, challenge: challenge, handle: handle, at: now)
        let text = ticket.sealed(key: key, binding: "session|ana")
        func open(
            _ text: String,
            _ purpose: ChallengeTicket.Purpose = .adding,
            key: [UInt8] = key,
            binding: String = "session|ana",
            after seconds: Int64 = 0
        ) throws -> ChallengeTicket {
            let later = now.advanced(byMilliseconds: seconds * 1_000)
            return try ChallengeTicket(opening: text, for: purpose, key: key, binding: binding, at: later)
        }
        #expect(try open(text) == ticket && ticket.challenge == challenge && ticket.handle == handle)
        #expect(try open(text, after: 299) == ticket)
        #expect(throws: PasskeyError.expiredChallenge) { _ = try open(text, after: 300) }
        #expect(throws: PasskeyError.unknownChallenge) { _ = try open(text, .signingIn) }
        #expect(throws: PasskeyError.unknownChallenge) { _ = try open(text, binding: "other|ana") }
        #expect(throws: PasskeyError.unknownChallenge) { _ = try open(text, binding: "session|ben") }
        #expect(throws: PasskeyError.unknownChallenge) { _ = try open(text, key: Array(repeating: 2, count: 32)) }
        for wrong in ["", "A", String(text.dropLast()), text + "A", text + "=", String(repeating: "A", count: 10_000)] {
            #expect(throws: PasskeyError.unknownChallenge) { _ = try open(wrong) }
        }
        for index in text.indices {
            let other = text[index] == "A" ? "B" : "A"
            let changed = text.replacingCharacters(at: index, with: other)
            #expect(throws: PasskeyError.unknownChallenge) { _ = try open(changed) }
        }
    }
}

extension String {
    fileprivate func replacingCharacters(at index: Index, with other: String) -> String {
        String(self[..<index]) + other + String(self[self.index(after: index)...])
    }
}

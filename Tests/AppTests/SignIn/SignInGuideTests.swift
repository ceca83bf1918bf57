import App
import Formats
import Foundation
import HTTPTypes
import Testing

/// The guide names every way to sign in, and there are no ways by what a person knows.
@Suite("The guide to signing in")
struct SignInGuideTests {
    private static let path = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../scripts/guide/sign-in.md").standardizedFileURL

    /// For each route of signing in to the page, the beginning of a row of the guide's table; several for several ways.
    private static let rows: [String: [String]] = [
        "signIn": ["a link in an e-mail", "a code, a link or a QR code"],
        "readSignInCode": ["a code, a link or a QR code"], "requestSignInMail": ["a link in an e-mail"],
        "beginPasskeySignIn": ["a passkey"], "signInWithPasskey": ["a passkey"],
        "beginProviderSignIn": ["your own accounts"], "endProviderSignIn": ["your own accounts"],
        "joinByInvitation": ["the link of an invitation"],
    ]
    /// Routes beside them that sign nobody in.
    private static let others: Set = ["readSession", "signOut"]

    @Test("Every route that signs people in is a way in the guide; a new one has to be described there")
    func ways() async throws {
        let text = try String(contentsOf: SignInGuideTests.path, encoding: .utf8)
        let table = text.split(separator: "\n").drop { !$0.hasPrefix("| way |") }.prefix { $0.hasPrefix("|") }
        #expect(table.count > 6)
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let document = try await client.get("/openapi.json").json
            var names: Set<String> = []
            for (path, operations) in try #require(document["paths"]?.object) {
                let isSignIn =
                    path == "/v1/session" || path.hasPrefix("/v1/session/") || path.hasPrefix("/signin/")
                    || path.hasSuffix("/join")
                guard isSignIn else { continue }
                names.formUnion(operations.object?.values.compactMap { $0["operationId"]?.string } ?? [])
            }
            #expect(names == SignInGuideTests.others.union(SignInGuideTests.rows.keys))
        }
        for (name, beginnings) in SignInGuideTests.rows {
            for beginning in beginnings {
                #expect(table.contains { $0.hasPrefix("| " + beginning) }, "\(name): \(beginning)")
            }
        }
    }

    @Test("No parameter and no member of a body is a password, a hint, a question or its answer")
    func questions() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let document = try await client.get("/openapi.json").json
            var names: Set<String> = []
            func look(_ value: JSONValue) {
                for item in value.array ?? [] { look(item) }
                guard let members = value.object else { return }
                if let properties = members["properties"]?.object { names.formUnion(properties.keys) }
                if members["in"]?.string != nil, let name = members["name"]?.string { names.insert(name) }
                for member in members.values { look(member) }
            }
            look(document)
            #expect(names.count > 300 && names.isSuperset(of: ["title", "zoom"]))
            let words = ["password", "passphrase", "hint", "question", "answer", "birthday", "maiden"]
            #expect(names.filter { name in words.contains { name.lowercased().contains($0) } } == [])
        }
    }
}

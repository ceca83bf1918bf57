import Formats
import Foundation
import HTTPTypes
import Library
import Storage
import Stories
import Testing

/// A line of imports that is held until the test lets it go.
private struct HeldLine: Sendable {
    private let open: AsyncStream<Void>.Continuation
    private let holder: Task<Void, any Error>

    init(_ lane: ImportLane, of uploads: UploadService) async {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let isHeld = Flag()
        self.open = open
        holder = Task {
            try await uploads.turns.pass(lane) {
                isHeld.set()
                for await _ in gate {}
            }
        }
        while !isHeld.isSet { await Task.yield() }
    }

    func release() async throws {
        open.finish()
        try await holder.value
    }
}

@Suite("Imports that run, wait and are cancelled")
struct ImportTurnsTests {
    private static let small = "id,title\n1,One\n"
    /// A file that is large, though it has one story.
    private static let large =
        #"{"type":"FeatureCollection","features":[{"type":"Feature","id":"1","geometry":null,"properties":{"title":"A"}}]}"#
        + String(repeating: " ", count: ImportLane.smallBytes)

    private func send(
        _ client: Client,
        _ body: String,
        as user: String,
        name: String
    ) async throws -> Client.Reply {
        try await client.send(.post, "/v1/imports?name=" + name, as: user, body)
    }

    /// Waits until the newest import satisfies a condition, and returns it with its address.
    ///
    /// - Throws: `POSIXError` if it does not within a minute.
    private func wait(
        _ fixture: ServiceFixture,
        for condition: (StoredImport) -> Bool
    ) async throws -> (path: String, stored: StoredImport) {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            let found = try await fixture.library.importHistory.list(of: nil, limit: 1).first
            if let found, condition(found) { return ("/v1/imports/\(found.id)", found) }
            await Task.yield()
        }
        throw POSIXError(.ETIMEDOUT)
    }

    @Test("REL-10 A large import of one user keeps nobody's small one waiting, whoever came first")
    func fair() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let line = await HeldLine(.large, of: fixture.library.uploads)
            let waiting = Task { try await send(client, Self.large, as: "ana", name: "large.geojson") }
            let (path, stored) = try await wait(fixture) { _ in true }
            #expect(stored.state == .running)
            let other = try await send(client, Self.small, as: "ben", name: "small.csv")
            #expect(other.status == 200 && other.json["new"]?.integer == 1)
            // A user takes one turn at a time, of whatever size.
            #expect(try await send(client, Self.small, as: "ana", name: "small.csv").status == 429)
            #expect(try await client.get(path, as: "ana").json["state"]?.string == "running")
            try await line.release()
            #expect(try await waiting.value.json["new"]?.integer == 1)
        }
    }

    @Test("REL-10 What is packed counts unpacked, so that no small file hides a large one")
    func lanes() throws {
        let (few, many) = (
            [UInt8](repeating: 65, count: 1_000), [UInt8](repeating: 65, count: ImportLane.smallBytes + 1)
        )
        #expect(ImportLane(of: few) == .small && ImportLane(of: many) == .large)
        #expect(try ImportLane(of: Gzip.compress(few)) == .small)
        let packed = try Gzip.compress(many)
        #expect(packed.count < 10_000 && ImportLane(of: packed) == .large)
        // A damaged file is refused before anything is made of it.
        #expect(ImportLane(of: Array(packed.prefix(100))) == .small)
    }

    @Test("An import that waits for its turn is cancelled at once, and its sender learns it")
    func cancelWaiting() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let line = await HeldLine(.large, of: fixture.library.uploads)
            let waiting = Task { try await send(client, Self.large, as: "ana", name: "large.geojson") }
            let (path, _) = try await wait(fixture) { _ in true }
            #expect(try await client.send(.delete, path, as: "ben").status == 404)
            let cancelled = try await client.send(.delete, path, as: "ana")
            #expect(cancelled.status == 200 && cancelled.json["state"]?.string == "undone")
            let sent = try await waiting.value
            #expect(sent.status == 409 && sent.json["type"]?.string == "/problems/import-ended")
            // Her turn is free again, though the line still is not.
            #expect(try await send(client, Self.small, as: "ana", name: "small.csv").json["new"]?.integer == 1)
            try await line.release()
            #expect(try await client.get("/v1/stories?owner=ana").json["numberMatched"]?.integer == 1)
        }
    }

    @Test("REL-06 An import that is cancelled midway leaves nothing behind")
    func cancelRunning() async throws {
        let fixture = try await ServiceFixture()
        let count = 4_000
        let rows =
            "id,title,lat,lon\n" + (1...count).map { "\($0),Letter \($0),\(1 + $0 % 79),\(1 + $0 % 169)\n" }.joined()
        try await fixture.run { client async throws in
            let sending = Task { try await send(client, rows, as: "ana", name: "letters.csv") }
            let (path, _) = try await wait(fixture) { $0.counts.created > 0 }
            let cancelled = try await client.send(.delete, path, as: "ana").json
            #expect(cancelled["state"]?.string == "undone")
            let stored = try #require(cancelled["new"]?.integer)
            #expect(stored > 0 && stored < count, "It was not cancelled midway.")
            #expect(cancelled["undo"]?["deleted"]?.integer == stored)
            #expect(try await sending.value.status == 409)
            #expect(try await client.get("/v1/stories?owner=ana").json["numberMatched"]?.integer == 0)
            #expect(try await client.get("/v1/stories?view=mine", as: "ana").json["numberMatched"]?.integer == 0)
            // The whole file can be imported afterwards.
            let again = rows.split(separator: "\n").prefix(101).joined(separator: "\n") + "\n"
            #expect(try await send(client, again, as: "ana", name: "letters.csv").json["new"]?.integer == 100)
        }
    }

    @Test("An import goes on when its sender goes once the file has arrived, and leaves no trace when it goes before")
    func senderGoes() async throws {
        struct Gone: Error {}
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let uploads = fixture.library.uploads
        let owner = try #require(UserID("ana"))
        var named = UploadRequest(owner: owner)
        named.fileName = "letters.csv"
        let request = named
        let line = await HeldLine(.small, of: uploads)
        await #expect(throws: Gone.self) {
            _ = try await uploads.take(request, address: nil) { upload in
                try upload.append(Array("id,tit".utf8))
                throw Gone()
            }
        }
        #expect(try await fixture.library.importHistory.list(of: owner, limit: 1).isEmpty)
        let sender = Task {
            try await uploads.take(request, address: nil) { upload in
                try upload.append(Array(Self.small.utf8))
            }
        }
        _ = try await wait(fixture) { $0.state == .running }
        sender.cancel()
        try await line.release()
        let (_, stored) = try await wait(fixture) { $0.state != .running }
        #expect(stored.state == .complete && stored.counts.created == 1)
        _ = try? await sender.value
    }

    @Test("REL-06 Two imports that begin at the same instant do not take each other for interrupted")
    func sameInstant() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let (uploads, store) = (fixture.library.uploads, fixture.library.store)
        // Nobody gets beyond the beginning.
        let line = await HeldLine(.small, of: uploads)
        let held = await HeldWrite.begin(in: store) { _ in }
        let senders = try ["ana", "ben"]
            .map { name in
                var named = UploadRequest(owner: try #require(UserID(name)))
                named.fileName = "letters.csv"
                let request = named
                return Task {
                    _ = try await uploads.take(request, address: nil) { try $0.append(Array(Self.small.utf8)) }
                }
            }
        // Both are to be recorded by the next commit.
        while store.waitingWrites < senders.count { await Task.yield() }
        try await held.end()
        let history = fixture.library.importHistory
        while try await history.list(of: nil, limit: 9).count < senders.count { await Task.yield() }
        let begun = try await history.list(of: nil, limit: 9)
        #expect(begun.map(\.state) == [.running, .running])
        #expect(begun.allSatisfy(history.isRunningHere))
        try await line.release()
        for sender in senders { try await sender.value }
        #expect(try await history.list(of: nil, limit: 9).map(\.state) == [.complete, .complete])
    }
}

import Formats
import Foundation
import GRDB
import Geometry
import HTTPTypes
import Library
import Logging
import Storage
import Stories
import Synchronization

/// A database with people, families, places and a verified webhook, from which every simulation begins.
///
/// Its keys come from a fixed seed, so that the same seed of a simulation writes the same pages in every process.
package final class Template: Sendable {
    /// 2026-11-21T12:00:00Z.
    static let start: Int64 = 1_795_262_400_000

    let folder: URL
    let time: Int64
    /// The ids of the stories, by their names.
    let stories: [String: String]

    /// Makes the database in a folder that is removed with this value.
    ///
    /// - Throws: ``SimulationFault`` or an error of the store.
    package init() throws {
        folder = try Template.newFolder()
        let path = folder.path + "/" + SimulatedDisk.name
        try Template.writeKeys(besides: path)
        let time = ManualTime(Template.start, boot: 0)
        let generator = Mutex(SplitMix64(seed: 17))
        let random = RandomSource { generator.withLock { $0.next() } }
        stories = try Turn { [path] () -> Result<[String: String], any Error> in
            do {
                return .success(try await Template.fill(path: path, time: time, random: random))
            } catch {
                return .failure(error)
            }
        }
        .end().get()
        self.time = time.truth.milliseconds
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A new folder in memory, where the system has one: nothing in it has to outlive the process.
    static func newFolder() throws -> URL {
        let memory = URL(fileURLWithPath: "/dev/shm")
        let isThere = FileManager.default.isWritableFile(atPath: memory.path)
        let parent = isThere ? memory : FileManager.default.temporaryDirectory
        let folder = parent.resolvingSymlinksInPath().appendingPathComponent("waymark-sim-\(UUID().uuidString)")
        let onlyOurs: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: onlyOurs)
        return folder
    }

    /// Bytes that depend on the purpose alone.
    private static func secret(_ name: String) -> Data {
        var generator = SplitMix64(seed: name.utf8.reduce(5_381) { $0 &* 33 &+ UInt64($1) })
        return Data((0..<32).map { _ in UInt8.random(in: 1...254, using: &generator) })
    }

    private static func writeKeys(besides path: String) throws {
        let onlyOurs: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        let folder = path + ".keys"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: onlyOurs)
        for name in StoreKeys.Name.allCases where name != .storyIDs && name != .ledger {
            _ = FileManager.default.createFile(
                atPath: folder + "/\(name.rawValue).key",
                contents: secret(name.rawValue),
                attributes: [.posixPermissions: 0o600]
            )
        }
    }

    private static func fill(path: String, time: ManualTime, random: RandomSource) async throws -> [String: String] {
        let first = try StoryStore(path: path, mode: .readWrite, logger: .init(label: "waymark-sim"))
        // The only way to know the keys inside: a service makes them by chance.
        try first.inspect { db in
            for name in [StoreKeys.Name.storyIDs, .ledger] {
                try db.execute(
                    sql: "UPDATE secrets SET key = ? WHERE name = ?",
                    arguments: [secret(name.rawValue), name.rawValue]
                )
            }
        }
        try first.close()
        let receiver = Receiver(SplitMix64(seed: 1))
        receiver.recover()
        let service = try await SimulatedService(path: path, time: time, random: random, sender: receiver)
        try await people(of: service, at: time.truth)
        var stories: [String: String] = [:]
        for driver in Cast.drivers {
            let settings = SimulatedRequest(
                method: .put,
                path: "/v1/me/notification-settings",
                user: driver,
                body: #"{"enabled":true,"preview":"full","radius":100}"#
            )
            try await service.must(settings)
            for number in 0..<Cast.landmarks {
                let name = Cast.landmark(number, on: driver)
                let metres = Cast.apart * Double(number + 1)
                let story = StoryText.body(
                    of: name,
                    Cast.privacy(ofLandmark: number),
                    at: Cast.point(metres, on: driver)
                )
                let made = try await service.must(
                    SimulatedRequest(method: .post, path: "/v1/stories", user: "ana", body: story)
                )
                stories[name] = made["id"]?.string
            }
        }
        try await service.must(
            SimulatedRequest(
                method: .post,
                path: "/v1/me/channels",
                user: "dan",
                body: #"{"kind":"webhook","target":{"url":"https://example.org/dan"}}"#
            )
        )
        while try await service.deliverSome() {}
        // Long enough ago that a clock set back by an hour does not lead to before it.
        time.advance(seconds: 86_400)
        try service.store.close()
        return stories
    }

    private static func people(of service: SimulatedService, at now: Timestamp) async throws {
        guard let family = FamilyID("whitfield"), let other = FamilyID("delacroix"),
            let name = DisplayName("Whitfield"), let otherName = DisplayName("Delacroix")
        else { throw SimulationFault("a name in the template is not one") }
        let users = Cast.everybody.compactMap { UserID($0) }
        let families = service.library.families
        try await service.store.write { transaction in
            for user in users { try transaction.save(User(id: user, name: user.rawValue.capitalized), at: now) }
            try transaction.saveFamily(family, name: name, at: now)
            try transaction.saveFamily(other, name: otherName, at: now)
            try families.setMember(users[0], of: family, role: .owner, in: transaction)
            try families.setMember(users[1], of: family, role: .member, in: transaction)
            try families.setMember(users[2], of: other, role: .owner, in: transaction)
        }
    }
}

import App
import Formats
import Foundation
import Geometry
import HTTPTypes
import Hummingbird
import Library
import Logging
import NIOCore
import NIOEmbedded
import Notifications
import Storage
import Stories
import Synchronization
import Web

/// A request of a client.
struct SimulatedRequest: Hashable, Sendable {
    var method = HTTPRequest.Method.get
    let path: String
    let user: String?
    var body: String?
    var key: String?
}

/// An answer; status 0 stands for none.
struct SimulatedReply: Sendable {
    let status: Int
    var body: [UInt8] = []

    var isSuccess: Bool { (200..<300).contains(status) }
}

/// One life of the service: the whole of it but sockets and timers, on the files of a folder.
final class SimulatedService: Sendable {
    let store: StoryStore
    let library: StoryLibrary
    private let accounts: Accounts
    private let responder: any HTTPResponder<ServiceContext>
    private let channel = NIOAsyncTestingChannel()
    private let logger: Logger

    /// Opens the database and starts the service on it.
    init(path: String, time: ManualTime, random: RandomSource, sender: any ChannelSender) async throws {
        var logger = Logger(label: "waymark-sim") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        self.logger = logger
        store = try StoryStore(path: path, mode: .readWrite, logger: logger)
        library = try await StoryLibrary(
            store: store,
            gazetteer: nil,
            now: { time.wall },
            running: { time.running },
            boot: time.boot,
            random: random
        )
        accounts = await Accounts(store: store, now: library.now)
        let service = WaymarkService(library: library, accounts: accounts, folders: DataFolders(), logger: logger)
        responder = service.buildRouter().buildResponder()
        library.delivery.open(sender, writer: ChannelWriter(), address: { "https://stories.example" })
    }

    /// Sends a request and returns its answer.
    func send(_ request: SimulatedRequest) async -> SimulatedReply {
        do {
            var headers = HTTPFields()
            if let user = request.user.flatMap({ UserID($0) }) {
                headers[.authorization] = "Bearer " + (try await accounts.issueToken(for: user, seconds: 3_600))
            }
            if let key = request.key, let name = HTTPField.Name("Idempotency-Key") { headers[name] = key }
            var body = ByteBuffer()
            if let text = request.body {
                headers[.contentType] = "application/json"
                headers[.contentLength] = String(text.utf8.count)
                body.writeString(text)
            }
            let whole = Request(
                head: HTTPRequest(
                    method: request.method,
                    scheme: "http",
                    authority: "localhost",
                    path: request.path,
                    headerFields: headers
                ),
                body: RequestBody(buffer: body)
            )
            let context = ServiceContext(source: .init(channel: channel, logger: logger))
            let response = try await responder.respond(to: whole, context: context)
            let collector = BodyCollector()
            try await response.body.write(collector)
            return SimulatedReply(status: response.status.code, body: collector.bytes)
        } catch {
            return SimulatedReply(status: 500, body: Array("\(error)".utf8))
        }
    }

    /// Ends as a stop does: stores what could not be stored yet, and closes the database.
    func end() throws {
        let turn = Turn { [library, store] in try? await library.delivery.state.unstored.store(in: store) }
        try turn.advance(until: { false })
        try store.close()
    }

    /// Makes and settles the attempts of one or two channels that are due, one after the other; returns whether there was one.
    func deliverSome() async throws -> Bool {
        let claims = try await library.delivery.claimDeliveries(working: 1, failing: 1)
        for claim in claims { await library.delivery.deliver(claim) }
        return !claims.isEmpty
    }
}

/// Collects the body of an answer.
private final class BodyCollector: ResponseBodyWriter, Sendable {
    private let content = Mutex<[UInt8]>([])

    var bytes: [UInt8] { content.withLock { $0 } }

    func write(_ buffer: ByteBuffer) async throws { content.withLock { $0 += buffer.readableBytesView } }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension SimulatedService {
    /// Sends a request that has to succeed, and returns its answer.
    ///
    /// - Throws: ``SimulationFault`` if it does not succeed.
    @discardableResult
    func must(_ request: SimulatedRequest) async throws -> JSONValue {
        let reply = await send(request)
        guard reply.isSuccess else {
            let text = String(decoding: reply.body, as: UTF8.self)
            throw SimulationFault("\(request.method) \(request.path) was answered \(reply.status): \(text)")
        }
        return (try? JSONValue(parsing: reply.body, limits: .init(bytes: .max))) ?? .null
    }

    /// What is stored, as facts.
    func facts() async throws -> [String: String] {
        var found = try await store.read { reader in
            var found: [String: String] = [:]
            for owner in Cast.writers {
                guard let user = UserID(owner) else { continue }
                for id in try reader.storyIDs(of: user, after: nil, limit: 10_000) {
                    guard let story = try reader.story(id) else { continue }
                    let fact = "story \(owner) \(StoryText.name(in: story.title))"
                    let value = StoryText.value(title: story.title, text: story.text, privacy: story.privacy.rawValue)
                    // Two of one name are one too many.
                    found[fact] = found[fact].map { "\($0) and \(value)" } ?? value
                }
            }
            for driver in Cast.drivers {
                guard let user = UserID(driver) else { continue }
                let settings = try reader.notificationSettings(of: user)
                found["settings \(driver)"] = "\(settings.preview.rawValue) \(Int(settings.radius))"
            }
            return found
        }
        for owner in Cast.writers {
            let page = try await must(SimulatedRequest(path: "/v1/collections?limit=500", user: owner))
            var counts: [String: Int] = [:]
            for item in page["collections"]?.array ?? [] where item["owner"]?.string == owner {
                counts[item["title"]?.string ?? "", default: 0] += 1
            }
            for (title, count) in counts { found["collection \(owner) \(title)"] = "\(count)" }
        }
        return found
    }

    /// The ids of stories by their names, of everybody who writes.
    func storyIDs() async throws -> [String: String] {
        try await store.read { reader in
            var found: [String: String] = [:]
            for user in Cast.writers.compactMap({ UserID($0) }) {
                for id in try reader.storyIDs(of: user, after: nil, limit: 10_000) {
                    if let story = try reader.story(id) { found[StoryText.name(in: story.title)] = id.description }
                }
            }
            return found
        }
    }
}

import Foundation
import GRDB
import Geometry
import Library
import Storage
import Synchronization

/// The machine that the service runs on: its disk, one life of the service after the other, and whose turn it is.
final class Machine {
    private let root: URL
    private let time: ManualTime
    private let receiver: Receiver
    private let options: Simulation.Options
    private let random: RandomSource
    private var generator: SplitMix64
    private var life = 0
    private(set) var disk: SimulatedDisk
    private(set) var service: SimulatedService?
    private var gate: WriterGate?

    init(
        template: Template,
        time: ManualTime,
        receiver: Receiver,
        generator: SplitMix64,
        options: Simulation.Options
    ) throws {
        root = try Template.newFolder()
        (self.time, self.receiver, self.options, self.generator) = (time, receiver, options, generator)
        let draws = Mutex(SplitMix64(seed: self.generator.next()))
        random = RandomSource { draws.withLock { $0.next() } }
        let (first, next) = (root.path + "/life0", root.path + "/life1")
        for folder in [first, next] { try Machine.makeFolder(folder) }
        let source = template.folder.path + "/" + SimulatedDisk.name
        let path = first + "/" + SimulatedDisk.name
        try FileManager.default.copyItem(atPath: source, toPath: path)
        SimulatedDisk.copyOthers(besides: source, to: first)
        disk = SimulatedDisk(
            path: path,
            files: [
                .database: DiskFile([UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))), .log: DiskFile([]),
            ],
            commits: 0,
            next: next,
            lastCommit: options.lastCommit,
            generator: SplitMix64(seed: self.generator.next())
        )
        try DiskInterface.attach(disk)
    }

    var commits: Int { disk.commits }

    private static func makeFolder(_ path: String) throws {
        let onlyOurs: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: onlyOurs)
    }

    /// Starts the service on the files that the last life left; returns the reason if it could not open them.
    func start() throws -> String? {
        let (path, time, random, receiver) = (disk.path, time, random, receiver)
        let turn = Turn { () -> Result<SimulatedService, any Error> in
            do {
                return .success(try await SimulatedService(path: path, time: time, random: random, sender: receiver))
            } catch {
                return .failure(error)
            }
        }
        switch try turn.end() {
        case .failure(let error): return "\(error)"
        case .success(let service):
            self.service = service
            if options.weakness == .unsyncedCommits {
                try service.store.inspect { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
            }
            return nil
        }
    }

    /// Begins to decide whose turn it is.
    func holdWriter() throws { gate = try service.map { try WriterGate($0.store) } }

    /// Lets some do what they began, in this order; what they write at the same time shares commits.
    func perform(_ turns: [some Goer]) throws {
        guard let gate else {
            for turn in turns { try turn.advance(until: { false }) }
            return
        }
        func advanceAll() throws {
            for turn in turns where !turn.hasEnded {
                let waiting = gate.waiting
                try turn.advance(until: { gate.waiting > waiting })
            }
        }
        try advanceAll()
        while turns.contains(where: { !$0.hasEnded }) {
            try gate.commit()
            try advanceAll()
        }
    }

    /// Ends this life, and prepares the files for the next one.
    func endLife(by effect: Blow.Effect, isOrderly: Bool) throws {
        try gate?.open()
        gate = nil
        if isOrderly { try service?.end() }
        if disk.crash == nil { disk.end(by: effect) }
        if !isOrderly { try? service?.store.close() }
        service = nil
        DiskInterface.detach(disk)
        try? FileManager.default.removeItem(atPath: root.path + "/life\(life)")
        life += 1
        try Machine.makeFolder(root.path + "/life\(life + 1)")
        disk = SimulatedDisk(
            path: root.path + "/life\(life)/" + SimulatedDisk.name,
            files: disk.files,
            commits: disk.commits,
            next: root.path + "/life\(life + 1)",
            lastCommit: options.lastCommit,
            generator: SplitMix64(seed: generator.next())
        )
        try DiskInterface.attach(disk)
    }

    /// Ends everything; returns the folder with the files as they are, if they are kept.
    func end(keepsFiles: Bool) -> String? {
        try? gate?.open()
        gate = nil
        let isCrashed = disk.crash != nil
        if !isCrashed { disk.end(by: .kill) }
        try? service?.store.close()
        service = nil
        DiskInterface.detach(disk)
        guard keepsFiles else {
            try? FileManager.default.removeItem(at: root)
            return nil
        }
        return root.path + "/life\(life + 1)"
    }
}

/// Something that goes on in turns.
protocol Goer {
    /// Whether it has ended.
    var hasEnded: Bool { get }
    /// Goes on until it has ended or is parked.
    func advance(until isParked: () -> Bool) throws
}

extension Turn: Goer {
    var hasEnded: Bool { value != nil }
}

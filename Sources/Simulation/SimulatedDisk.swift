import CSpatiaLite
import Foundation
import GRDBSQLite
import Geometry
import Synchronization

/// The disk of a simulated machine: follows what SQLite writes to a database and its log, counts commits, and strikes.
///
/// Decision: SQLite's own interface to files (a VFS) is where faults are made, because it sees every write and every sync of
/// the database and its log in order, on the one thread that writes, so that the same seed meets the same ones. The files
/// beside the database, which Storage writes past SQLite, are copied as they are at the instant of a crash: that is one of
/// the states that a power cut may leave. `scripts/faults power` tries others for these.
final class SimulatedDisk: Sendable {
    /// The files that SQLite writes.
    enum Part: String, CaseIterable, Sendable {
        case database = ""
        case log = "-wal"
    }

    private struct State: Sendable {
        var files: [Part: DiskFile] = [:]
        var commits: Int
        /// The number of writes to the log since its last commit, and to the database since the log was last written.
        var writes = 0
        var moves = 0
        /// Whether the next write to the log completes a commit.
        var isClosing = false
        var blow: Blow?
        /// How many more operations fail, and how.
        var failing: (count: Int, code: Int32) = (0, 0)
        var isDown = false
        var crash: Blow.Effect?
        var generator: SplitMix64
        var notes: [String] = []
    }

    /// The path of the database.
    let path: String
    /// The folder that a crash fills with what the next start finds.
    private let next: String
    /// After this commit the process ends, once it is on the disk.
    private let lastCommit: Int?
    private let state: Mutex<State>

    /// Follows a database; `commits` were made before.
    init(path: String, files: [Part: DiskFile], commits: Int, next: String, lastCommit: Int?, generator: SplitMix64) {
        (self.path, self.next, self.lastCommit) = (path, next, lastCommit)
        state = Mutex(State(files: files, commits: commits, generator: generator))
    }

    /// The number of commits so far.
    var commits: Int { state.withLock { $0.commits } }
    /// How the machine or the process ended; `nil` while it runs.
    var crash: Blow.Effect? { state.withLock { $0.crash } }
    /// Whether anything has failed since the blow was planned.
    var hasStruck: Bool { state.withLock { $0.blow == nil } }
    /// The files, as the next process on this machine finds them.
    var files: [Part: DiskFile] { state.withLock { $0.files } }

    /// Takes the lines about what happened since the last call.
    func takeNotes() -> [String] {
        state.withLock { state in
            defer { state.notes = [] }
            return state.notes
        }
    }

    /// Plans what goes wrong; `nil` lets everything succeed.
    func plan(_ blow: Blow?) {
        state.withLock { state in
            state.blow = blow
            if blow == nil { state.failing.count = 0 }
        }
    }

    /// Ends the process or the machine now, while nobody writes.
    func end(by effect: Blow.Effect) { state.withLock { crash(effect, &$0) } }
}

extension SimulatedDisk {
    /// What becomes of an operation.
    enum Verdict {
        case succeeds
        /// It fails with this code of SQLite's; of a write, so many bytes are made.
        case fails(Int32, bytes: Int)
    }

    /// Judges a write, and follows it if it succeeds.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, to part: Part) -> Verdict {
        state.withLock { state in
            guard !state.isDown else { return .fails(SQLITE_IOERR | (3 << 8), bytes: 0) }
            let isHeader = part == .log && bytes.count == 24
            // A frame of the log that names the size of the database is the last of its commit.
            if isHeader, bytes[4..<8].contains(where: { $0 != 0 }) { state.isClosing = true }
            if let verdict = strike(part == .log ? .write(state.writes) : .move(state.moves), bytes.count, &state) {
                if case .fails(_, let made) = verdict, made > 0 {
                    state.files[part]?.write(Array(bytes.prefix(made)), at: offset)
                }
                state.isClosing = false
                return verdict
            }
            state.files[part]?.write(Array(bytes), at: offset)
            if part == .database {
                state.moves += 1
            } else {
                (state.writes, state.moves) = (state.writes + 1, 0)
                if state.isClosing, !isHeader {
                    (state.commits, state.writes, state.isClosing) = (state.commits + 1, 0, false)
                }
            }
            return .succeeds
        }
    }

    /// Judges a truncation, and follows it if it succeeds.
    func truncate(to size: Int, _ part: Part) -> Verdict {
        state.withLock { state in
            guard !state.isDown else { return .fails(SQLITE_IOERR | (6 << 8), bytes: 0) }
            state.files[part]?.truncate(to: size)
            return .succeeds
        }
    }

    /// Judges a sync, and follows it if it succeeds.
    func sync(_ part: Part) -> Verdict {
        state.withLock { state in
            let failed = Verdict.fails(SQLITE_IOERR | (4 << 8), bytes: 0)
            guard !state.isDown else { return failed }
            if part == .log, let verdict = strike(.sync, 0, &state) {
                if case .fails(_, _) = verdict, !state.isDown { state.files[part]?.failSync() }
                // No disk says at a sync that it is full.
                return state.isDown ? failed : verdict
            }
            state.files[part]?.sync()
            if part == .log, let verdict = strike(.synced, 0, &state) { return verdict }
            guard part == .log, let lastCommit, state.commits >= lastCommit else { return .succeeds }
            crash(.kill, &state)
            return failed
        }
    }

    /// Does what is planned for this step, if anything is; `nil` lets the operation succeed.
    private func strike(_ moment: Blow.Moment, _ bytes: Int, _ state: inout State) -> Verdict? {
        if state.failing.count > 0 {
            state.failing.count -= 1
            return .fails(state.failing.code, bytes: 0)
        }
        guard let blow = state.blow, isDue(blow, at: moment, state) else { return nil }
        state.blow = nil
        state.notes.append("disk: \(blow.effect) at \(moment), \(state.commits) commits")
        let made = Bool.random(using: &state.generator) ? bytes / 2 : 0
        switch blow.effect {
        case .kill, .powerCut:
            crash(blow.effect, &state)
            return .fails(SQLITE_IOERR | (3 << 8), bytes: 0)
        case .failure(let times):
            let isSync = moment == .sync || moment == .synced
            let code = SQLITE_IOERR | ((isSync ? 4 : 3) << 8)
            state.failing = (times - 1, code)
            return .fails(code, bytes: made)
        case .full(let times):
            // A sync has nothing to find room for.
            guard moment != .sync, moment != .synced else { return nil }
            state.failing = (times - 1, SQLITE_FULL)
            return .fails(SQLITE_FULL, bytes: made)
        }
    }

    private func isDue(_ blow: Blow, at moment: Blow.Moment, _ state: State) -> Bool {
        switch (blow.moment, moment) {
        case (.write(let planned), .write(let now)):
            state.commits + 1 >= blow.commit && (now >= planned || state.isClosing)
        case (.move(let planned), .move(let now)): state.commits >= blow.commit && now >= planned
        case (.sync, .sync), (.synced, .synced): state.commits >= blow.commit
        // A database whose log is not put on the disk at each commit has no such moment.
        case (.sync, .write), (.synced, .write): state.commits > blow.commit
        case (.move, .write): state.commits >= blow.commit + 60
        default: false
        }
    }

    /// Ends everything, and leaves in the next folder what the next start finds.
    private func crash(_ effect: Blow.Effect, _ state: inout State) {
        (state.isDown, state.crash) = (true, effect)
        for part in Part.allCases {
            guard let file = state.files[part] else { continue }
            let content = effect == .powerCut ? file.afterPowerCut(using: &state.generator) : file.current
            if effect == .powerCut { state.files[part] = DiskFile(content) }
            _ = FileManager.default.createFile(
                atPath: next + "/" + SimulatedDisk.name + part.rawValue,
                contents: Data(content),
                attributes: [.posixPermissions: 0o600]
            )
        }
        SimulatedDisk.copyOthers(besides: path, to: next)
    }

    /// The name of the database in its folder.
    static let name = "sim.db"

    /// Copies what lies beside a database: sums, keys, the list of erasures.
    static func copyOthers(besides path: String, to folder: String) {
        for ending in [".sums", ".keys", ".reserve"] {
            let source = path + ending
            guard FileManager.default.fileExists(atPath: source) else { continue }
            try? FileManager.default.copyItem(atPath: source, toPath: folder + "/" + name + ending)
        }
    }
}

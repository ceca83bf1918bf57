import Foundation
import Library

/// A command that this process, a running service, carries out for an operator's program.
///
/// It takes the place of the terminal, of the files that the command names, and of the database.
final class OperatorSession: Sendable {
    /// The session of the current task; `nil` in a program that does its own work.
    @TaskLocal static var current: OperatorSession?

    /// Something that is sent to the operator's program.
    enum Piece: Sendable {
        case output([UInt8])
        case error([UInt8])
        case report([UInt8])
        case table([UInt8])
    }

    /// The service's library.
    let library: StoryLibrary
    /// Whether the operator reads the output on a terminal.
    let isTerminal: Bool
    private let send: @Sendable (Piece) -> Void
    private let fetch: @Sendable (_ asked: OperatorFetch, _ limit: Int) async throws -> HandedFile?

    init(
        library: StoryLibrary,
        isTerminal: Bool,
        send: @escaping @Sendable (Piece) -> Void,
        fetch: @escaping @Sendable (_ asked: OperatorFetch, _ limit: Int) async throws -> HandedFile?
    ) {
        self.library = library
        self.isTerminal = isTerminal
        self.send = send
        self.fetch = fetch
    }

    func write(_ piece: Piece) { send(piece) }

    /// Returns the command's file with an index; `nil` if the operator's program cannot read it.
    func contents(of index: Int, limit: Int) async throws -> HandedFile? {
        try await fetch(.file(index), limit)
    }

    /// Returns a photograph of the command's folder with an index; `nil` if the operator's program cannot read it.
    func photo(_ number: Int, ofFolder index: Int, limit: Int) async throws -> [UInt8]? {
        try await fetch(.photo(number, ofFolder: index), limit)?.bytes
    }

    /// Asks the operator for a line.
    func line() async throws -> String? {
        try await fetch(.line, 1_000).map { String(decoding: $0.bytes, as: UTF8.self) }
    }
}

/// A file as an operator's program passes it on.
struct HandedFile: Sendable {
    var bytes: [UInt8] = []
    /// What it was before that program converted it, if it did.
    var origin: ConvertedOrigin?
    /// The photographs of a folder, as ``GatheredPhotos/listing`` writes them; empty for everything else.
    var listing: [UInt8] = []
    /// Why that program refuses to pass it on, if it does.
    var refusal: String?
}

/// A command that a running service carries out when it holds the database, with the same output.
protocol DoneByService {
    var database: DatabaseOptions { get }
    /// The files that it reads; `-` is standard input.
    var inputs: [String] { get }
    /// The file that it writes a report to.
    var reportFile: String? { get }
    /// The new table for review that it writes.
    var reviewFile: String? { get }
    /// What converts the files that it reads, before they are passed on.
    var converter: InputConverter? { get }
    /// Whether a folder among the files is one of photographs, and files belong to those that lie beside them.
    var gathersInputs: Bool { get }
}

extension DoneByService {
    var inputs: [String] { [] }
    var reportFile: String? { nil }
    var reviewFile: String? { nil }
    var converter: InputConverter? { nil }
    var gathersInputs: Bool { false }
}

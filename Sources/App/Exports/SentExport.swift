import Foundation
package import Geometry
package import Library
import Storage
package import Stories

/// An export of stories that is sent to a client while it is made.
///
/// Stories are read a piece at a time, each piece in the state of the database at that time and for who the viewer is by
/// then. Formats that cannot be written from the beginning to the end are made as a file first.
package struct SentExport: Sendable {
    /// What is exported.
    package struct Content: Sendable {
        /// The format.
        package let format: ExportFormat
        /// Only stories in this box.
        package var box: BoundingBox?
        /// The filters.
        package var search = StorySearch()
        /// The deepest zoom of tiles.
        package var deepest = 0
        /// Returns the reference system, made anew by each call because a conversion is not for two threads; `nil` means
        /// WGS 84.
        package var reference: @Sendable () throws -> ExportReference? = { nil }
        /// The address of the service.
        package let address: String

        /// Creates a content with everything that the viewer may see.
        package init(_ format: ExportFormat, address: String) { (self.format, self.address) = (format, address) }
    }

    private let library: StoryLibrary
    private let content: Content
    private let viewer: Viewer
    private let current: @Sendable () async throws -> Viewer
    private let ticket: ExportTicket

    /// Creates an export for a viewer, which the ticket counts until it is sent.
    ///
    /// `current` returns who the viewer is by now, and throws if their access has ended.
    package init(
        of content: Content,
        library: StoryLibrary,
        viewer: Viewer,
        ticket: ExportTicket,
        current: @escaping @Sendable () async throws -> Viewer
    ) {
        (self.content, self.library, self.viewer, self.ticket) = (content, library, viewer, ticket)
        self.current = current
    }

    /// The maximum duration of making a file, in milliseconds.
    private static let longestMaking: Int64 = 10 * 60_000

    /// Makes the file of a format that is not streamed.
    ///
    /// - Throws: ``Refusal`` if it takes too long, if there is no room, or if what the viewer may see has changed.
    package func file() async throws -> ExportFile {
        let start = library.clock.lasting
        let file: ExportFile
        do {
            var generator = library.random
            let name = StoryID(using: &generator).description
            file = try ExportFile(besideDatabase: library.store.path, name: name)
        } catch {
            throw SentExport.noRoom
        }
        func goOn() async throws {
            try Task.checkCancellation()
            let now = library.clock.lasting
            guard now.milliseconds - start.milliseconds <= SentExport.longestMaking else { throw SentExport.tooLong }
            guard library.store.diskShortage == nil else { throw SentExport.noRoom }
            // The client cannot fetch anything yet.
            guard ticket.noteFetch(at: now) else { throw SentExport.tooSlow }
            await Task.yield()
        }
        if content.format.isTiles {
            _ = try await TileExport(maps: library.maps)
                .write(
                    content.format,
                    deepest: content.deepest,
                    search: content.search,
                    viewer: viewer,
                    toFile: file.path,
                    progress: { _, _ in try await goOn() }
                )
        } else {
            _ = try await StoryExport(maps: library.maps)
                .writePackage(
                    toFile: file.path,
                    in: content.box,
                    search: content.search,
                    viewer: viewer,
                    options: try options(),
                    progress: { _, _ in try await goOn() }
                )
        }
        // A file has one viewer from its beginning to its end.
        guard try await current() == viewer else { throw SentExport.changed }
        return file
    }

    /// Sends a file that was made, and removes it.
    @concurrent package func send(_ file: ExportFile, to sink: inout any PieceSink) async throws {
        defer {
            file.remove()
            ticket.end()
        }
        let (start, line) = (library.clock.lasting, SinkLine(sink))
        try await withTaskExecutorPreference(LongWorkExecutor.shared) {
            try await file.send { piece in try await send(piece, since: start, to: line) }
        }
    }

    /// Writes a streamed format while it is sent.
    ///
    /// - Throws: ``StoreError``; ``Refusal`` if the client is too slow or its access has ended; or an error of the sink.
    ///   The bytes sent until then are not a whole export.
    @concurrent package func write(to sink: inout any PieceSink) async throws {
        defer { ticket.end() }
        let (start, line) = (library.clock.lasting, SinkLine(sink))
        let waiting = WaitingBytes()
        // Rendering takes its turns with other long work, so that it never holds up a short request.
        try await withTaskExecutorPreference(LongWorkExecutor.shared) {
            _ = try await StoryExport(maps: library.maps)
                .write(
                    content.format,
                    in: content.box,
                    search: content.search,
                    viewer: viewer,
                    options: try options(),
                    current: current,
                    progress: { _, _ in try await send(waiting.take(), since: start, to: line) },
                    to: { waiting.bytes += $0 }
                )
        }
    }

    private func options() throws -> ExportOptions {
        var options = ExportOptions()
        options.address = content.address
        options.reference = try content.reference()
        return options
    }

    private func send(_ bytes: [UInt8], since start: Timestamp, to line: SinkLine) async throws {
        try Task.checkCancellation()
        guard library.clock.lasting.milliseconds - start.milliseconds <= PersonExport.longest else {
            throw SentExport.tooSlow
        }
        if !bytes.isEmpty { try await line.send(bytes) }
        guard ticket.noteFetch(of: bytes.count, at: library.clock.lasting) else { throw SentExport.tooSlow }
    }

    private static let tooSlow = Refusal(
        .tooSlow,
        "too-slow",
        "The download of the export took more than half an hour, or stalled for a minute. Start it again."
    )
    private static let tooLong = Refusal(
        .tooMany,
        "export-too-large",
        "Making the file takes too long. Ask for less by filters or a smaller max_zoom, or for a format that is streamed."
    )
    private static let changed = Refusal(
        .conflict,
        "access-changed",
        "What you may see has changed while the file was made. Start the export again."
    )
    private static let noRoom = Refusal(
        .unavailable,
        "no-room",
        "The file cannot be made at the moment. Try again later, or ask for a format that is streamed."
    )
}

/// The sink of an export, for the functions that are called while stories are read.
///
/// Safe to send although it is mutable: one task owns it, and awaits each piece before it sends the next, so that no two
/// threads are ever in `send` at once.
private final class SinkLine: @unchecked Sendable {
    private var sink: any PieceSink

    init(_ sink: any PieceSink) { self.sink = sink }

    @concurrent func send(_ bytes: [UInt8]) async throws { try await sink.send(bytes) }
}

/// Bytes written and not yet sent.
private final class WaitingBytes {
    var bytes: [UInt8] = []

    func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}

@available(*, unavailable)
extension WaitingBytes: Sendable {}

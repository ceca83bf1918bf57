import Foundation
import Importing
import Storage
import Stories
import Synchronization

/// A row of an import with what can be computed without the database.
struct PreparedRow: Sendable {
    /// The row.
    let row: ImportedStory
    /// Its id, unless the row was imported before.
    let id: StoryID
    /// The digest of its content.
    let digest: [UInt8]
    /// The story that it makes if it is new; `nil` if that was not computed.
    let new: NewStory?
}

/// A new story ready to be stored.
struct NewStory: Sendable {
    let story: PreparedStory
    /// The location that waits for the owner.
    let proposal: StoryLocation?
}

/// Rows that belong together, with how far the file is read.
struct ImportBatch<Row: Sendable>: Sendable {
    let rows: [Row]
    let progress: ImportProgress

    /// About how many rows the whole import has.
    var expectedRows: Int {
        guard progress.bytes > 0 else { return rows.count }
        return Int(Double(progress.rows) * Double(progress.totalBytes) / Double(progress.bytes))
    }
}

/// The rows of a file on their way from the thread that reads them, past one that prepares them, to the writer.
///
/// No more than a few thousand rows are under way, so the memory does not depend on the number of rows. What the result
/// of reading is, the writer learns after the last row and before it commits.
final class ImportFeed: Sendable {
    /// Thrown by the writer to undo the transaction of a file that is rejected.
    struct Refused: Error {}

    private let read = HandOver<ImportBatch<ImportedStory>>()
    private let prepared = HandOver<ImportBatch<PreparedRow>>()
    private let isRefused = Atomic(false)
    /// Whether rows are mostly new, so that their stories should be prepared.
    private let expectsNew = Atomic(true)
    private let outcome = Mutex<ImportResult?>(nil)

    /// The result of reading, once ``next()`` returned `nil`.
    var result: ImportResult? { outcome.withLock(\.self) }

    /// The number of rows with errors, once ``next()`` returned `nil`.
    var skippedRows: Int { result?.badRows ?? 0 }

    /// Reads a file; runs on a thread of its own.
    func read(
        _ bytes: [UInt8],
        fileName: String,
        by importer: StoryImporter,
        until cancellation: BackgroundThread.Cancellation
    ) throws -> ImportResult {
        defer { read.close() }
        var rows: [ImportedStory] = []
        var last: ImportProgress?
        let result = importer.reading(.geoPackages).stopping { cancellation.isCancelled }
            .read(bytes, fileName: fileName) { progress in
                let isOver = cancellation.isCancelled || isRefused.load(ordering: .acquiring)
                if !isOver { read.put(ImportBatch(rows: rows, progress: progress)) }
                rows.removeAll(keepingCapacity: true)
                last = progress
            } each: { story, isKnownToBeRefused in
                if isKnownToBeRefused { return refuse() }
                rows.append(story)
            }
        let isCancelled = cancellation.isCancelled
        // No row may depend on whether progress was reported after it.
        if let last, !rows.isEmpty, !isCancelled { read.put(ImportBatch(rows: rows, progress: last)) }
        if isCancelled || result.isRefused { refuse() }
        if isCancelled { throw CancellationError() }
        outcome.withLock { $0 = result }
        return result
    }

    /// Prepares the rows that were read; runs on a thread of its own.
    func prepare(_ body: (_ row: ImportedStory, _ isNew: Bool) -> PreparedRow) {
        defer { prepared.close() }
        while let batch = read.take() {
            let isNew = expectsNew.load(ordering: .relaxed)
            prepared.put(ImportBatch(rows: batch.rows.map { body($0, isNew) }, progress: batch.progress))
        }
    }

    /// Returns the next rows, or `nil` after the last of a file that is not rejected.
    ///
    /// - Throws: ``Refused`` if the file is rejected.
    func next() throws -> ImportBatch<PreparedRow>? {
        let batch = prepared.take()
        if isRefused.load(ordering: .acquiring) { throw Refused() }
        return batch
    }

    /// Stops preparing the stories of rows.
    func expectKnownRows() { expectsNew.store(false, ordering: .relaxed) }

    /// Lets both other threads end without storing anything.
    func abandon() { refuse() }

    private func refuse() {
        guard !isRefused.exchange(true, ordering: .acquiringAndReleasing) else { return }
        read.abandon()
        prepared.abandon()
    }
}

/// A queue from one thread to another that holds a few pieces of work: then the first thread waits.
final class HandOver<Piece: Sendable>: Sendable {
    private struct State {
        var pieces: [Piece] = []
        var isClosed = false
        var isAbandoned = false
    }

    private static var depth: Int { 4 }

    private let state = Mutex(State())
    /// How many pieces may still be put, and how many can be taken; both begin with 0, as semaphores must not end lower.
    private let room = DispatchSemaphore(value: 0)
    private let filled = DispatchSemaphore(value: 0)

    init() {
        for _ in 0..<HandOver.depth { room.signal() }
    }

    /// Passes a piece on, once there is room.
    func put(_ piece: Piece) {
        room.wait()
        let isTaken = state.withLock { state in
            if !state.isAbandoned { state.pieces.append(piece) }
            return !state.isAbandoned
        }
        if isTaken { filled.signal() } else { room.signal() }
    }

    /// Returns the next piece, once there is one; `nil` after the last.
    func take() -> Piece? {
        filled.wait()
        let piece = state.withLock { $0.pieces.isEmpty ? nil : $0.pieces.removeFirst() }
        // Whoever asks again after the end must not wait.
        if piece == nil { filled.signal() } else { room.signal() }
        return piece
    }

    /// Ends the queue after what was put.
    func close() {
        let wasOpen = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if wasOpen { filled.signal() }
    }

    /// Ends the queue at once; what is put from now on is dropped.
    func abandon() {
        state.withLock { state in
            state.pieces = []
            state.isAbandoned = true
        }
        room.signal()
        close()
    }
}

/// The rows of an import, one after the other, on the writer.
struct ImportRows {
    private let nextBatch: () throws -> ImportBatch<PreparedRow>?
    /// Call it if rows may have been imported before.
    let isKnown: () -> Void
    private let progress: (ImportProgress) -> Void
    private var batch: ImportBatch<PreparedRow>?
    private var position = 0

    init(
        next: @escaping () throws -> ImportBatch<PreparedRow>?,
        isKnown: @escaping () -> Void = {},
        progress: @escaping (ImportProgress) -> Void = { _ in }
    ) {
        (nextBatch, self.isKnown, self.progress) = (next, isKnown, progress)
    }

    /// Returns the batch of the next row; `nil` after the last.
    mutating func peek() throws -> ImportBatch<PreparedRow>? {
        while batch.map({ position == $0.rows.count }) ?? true {
            if let done = batch { progress(done.progress) }
            batch = try nextBatch()
            position = 0
            guard batch != nil else { return nil }
        }
        return batch
    }

    /// Returns the next row; `nil` after the last.
    mutating func next() throws -> PreparedRow? {
        guard let row = try peek()?.rows[position] else { return nil }
        position += 1
        return row
    }
}

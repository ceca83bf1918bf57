import Foundation
import Gazetteer
import Importing
import Logging
package import Storage
package import Stories
import Synchronization

/// What a client says about a file that it sends.
package struct UploadRequest: Sendable {
    /// The owner of the stories.
    package let owner: UserID
    /// The name of the file; its extension can tell the format.
    package var fileName = ""
    /// The name of the source; `nil` means the file's base name.
    package var source: String?
    /// The key by which a repeated request is recognized.
    package var requestKey: String?
    /// How the file is read.
    package var reading = Reading()
    /// How stored stories are treated.
    package var choices = ImportChoices()

    /// How a file is read.
    package struct Reading: Sendable {
        /// The kind of stories that specify none.
        package var kind = StoryKind.interview
        /// The privacy of stories that specify none; `nil` means public, unless the file seems to restrict stories.
        package var privacy: Privacy?
        /// The reference system of the coordinates.
        package var referenceSystem: String?
        /// The encoding.
        package var encoding: String?
        /// Whether rows with errors are skipped.
        package var skipsBadRows = false
        /// Whether kinds of stories may be new.
        package var allowsNewKinds = false
        /// What is done about places.
        package var places = Places()
    }

    /// What is done about the places of a file.
    package struct Places: Sendable {
        /// Whether a doubt about the positions rejects the file.
        package var isStrict = false
        /// Whether rows without a position are located by their words.
        package var geocodes = false
        /// The column whose words count before all others; `nil` for none.
        package var column: String?

        /// Whether rows are located by their words.
        fileprivate var isGeocoding: Bool { geocodes || column != nil }
    }

    /// Creates a request with the usual choices.
    package init(owner: UserID) { self.owner = owner }

    /// Returns the importer for the file.
    ///
    /// `search` finds places, and knows where land is.
    ///
    /// - Throws: ``Refusal`` for an unknown encoding or kind, a column that has another use, or missing place names.
    fileprivate func importer(
        today: CalendarDay?,
        kindsInUse: Set<StoryKind>,
        search: PlaceSearch?
    ) throws -> StoryImporter {
        var options = StoryImporter.Options(owner: owner)
        options.kind = reading.kind
        options.knownKinds.formUnion(kindsInUse.union([reading.kind]))
        options.privacy = reading.privacy ?? .public
        options.privacyIsGiven = reading.privacy != nil
        options.source = source
        options.referenceSystem = reading.referenceSystem
        options.skipsBadRows = reading.skipsBadRows
        options.today = today
        options.databases = .geoPackages
        options.rewords = { UploadWords.overHTTP($0) }
        options.kinds.allowsNew = reading.allowsNewKinds
        options.kinds.remedy = "new_kinds=true"
        if let problem = options.kinds.refusal(ofGiven: reading.kind, inUse: kindsInUse) {
            throw Refusal.parameter("kind", problem)
        }
        options.privacyRemedy = { _ in
            "Call the column privacy if its values are public, family_only and private, give the parameter privacy for the "
                + "whole file, or rename the column if it means something else"
        }
        options.storageRemedy = { _ in
            "remove the column, or call it place_name if it is the place of the stories"
        }
        do throws(ImportProblem) {
            if let encoding = reading.encoding { try options.columns.setEncoding(encoding) }
        } catch {
            throw Refusal.parameter("encoding", error.message)
        }
        try addPlaces(to: &options, search)
        return StoryImporter(options: options)
    }

    /// Lets an importer doubt positions and find places, as the command does.
    private func addPlaces(to options: inout StoryImporter.Options, _ search: PlaceSearch?) throws {
        let places = reading.places
        guard let search else {
            guard !places.isStrict, !places.isGeocoding else {
                let name = places.isStrict ? "strict" : places.geocodes ? "geocode" : "geocode_column"
                throw Refusal.parameter(name, "needs the place names, which this service does not have")
            }
            return
        }
        options.plausibility = PlausibilityCheck(
            outlines: GazetteerOutlines(search.places),
            locator: GazetteerLocator(PlaceSearch(places: search.places)),
            isStrict: places.isStrict
        )
        guard places.isGeocoding else { return }
        options.geocoding = RowGeocoding(
            locator: GazetteerLocator(search),
            rules: PlacingRules(),
            remedy: "give them a position, or locate their stories afterwards"
        )
        guard let column = places.column else { return }
        do throws(ImportProblem) {
            try options.columns.setPlaceText(column)
        } catch {
            throw Refusal.parameter("geocode_column", error.message)
        }
    }
}

/// What an import would do.
package struct UploadTrial: Sendable {
    /// The numbers of stories.
    package let outcome: ImportOutcome
    /// The number of rows with errors.
    package let refusedRows: Int
    /// Whether the whole file would be refused.
    package let isRefused: Bool
    /// The first problems, as a JSON array; `nil` without any.
    package let problems: String?
}

/// How far an import is.
package struct UploadProgress: Hashable, Sendable {
    /// The rows read.
    package let rows: Int
    /// The bytes of the unpacked file that were read.
    package let bytes: Int
    /// All its bytes.
    package let totalBytes: Int
}

/// Imports files that clients send while the service runs.
///
/// A file is checked whole before its first row is stored. Then its rows are stored in short transactions, so that other
/// writes get their turn. If the service ends meanwhile, the import counts as interrupted: sending the same file again
/// completes it, and undoing it removes what was stored.
package final class UploadService: StoreService {
    /// The maximum length of a file in bytes, as it is sent.
    package static let mostBytes = 256 << 20

    package let context: StoreContext
    private let imports: ImportService
    /// How many files clients may send at the same time, and how many of these may be large.
    private let shares = WorkShares(perUser: 1, perAddress: 4, inAll: 24)
    private let largeShares = WorkShares(perUser: 1, perAddress: 3, inAll: 12)
    /// One file of each lane is in memory at a time.
    package let turns = Turnstile<ImportLane>(mostWaiting: 24)
    private let progress = Mutex<[String: UploadProgress]>([:])

    /// Creates the service.
    package init(context: StoreContext, imports: ImportService) {
        self.context = context
        self.imports = imports
    }

    /// Returns how far an import is; `nil` unless it is being stored.
    package func progress(of stored: StoredImport) -> UploadProgress? { progress.withLock { $0[stored.id] } }

    /// An import that a request began, or that an earlier one with the same key began.
    package struct Taken: Sendable {
        /// The record.
        package let stored: StoredImport
        /// Whether an earlier request began it.
        package let isRepeated: Bool
    }

    /// Receives a file by calling `receive`, stores it, and returns the record of its import.
    ///
    /// After ``patience`` it returns although the import goes on. It also goes on if the caller is cancelled once the
    /// file has arrived; ``ImportHistory/cancel(_:progress:)`` ends it.
    ///
    /// - Throws: ``Refusal``; nothing is stored then.
    package func take(
        _ request: UploadRequest,
        address: String?,
        receive: (ImportUpload) async throws -> Void
    ) async throws -> Taken {
        let owner = request.owner
        let importer = try await importer(of: request)
        let share = try shares.take(user: owner, address: address)
        let (upload, lane) = try await file(receive)
        let largeShare = try lane == .large ? largeShares.take(user: owner, address: address) : nil
        let origin = StoredImport.Origin(
            owner: owner,
            source: importer.source(of: request.fileName),
            file: ImportService.lastName(of: request.fileName),
            digest: upload.digest
        )
        let key = request.requestKey.map { ImportService.requestKey($0) }
        if let key, let known = try await store.read({ try $0.storedImport(requestKey: key, of: owner) }) {
            guard known.origin.digest == origin.digest else { throw Refusal.keyReused }
            return Taken(stored: known, isRepeated: true)
        }
        let begun: (number: Int64, id: String)
        do {
            begun = try await imports.begin(origin, choices: request.choices, requestKey: key, at: now())
        } catch let conflict as ImportConflict {
            throw conflict.refusal
        }
        let (number, id) = begun
        // In a task of its own: a sender who goes at this moment must not leave an import that nobody carries out.
        let record = Task { [store] in try await store.read { try $0.storedImport(number) } }
        guard let stored = try await record.value else { throw Refusal.notFound }
        let work = Task(executorPreference: LongWorkExecutor.shared) { [self] in
            defer {
                withExtendedLifetime((share, largeShare)) {}
                imports.running.end(id, for: owner)
                progress.withLock { $0[stored.id] = nil }
            }
            do {
                try await turns.pass(lane, leavesIfCancelled: true) {
                    try await run(stored, of: upload, request, by: importer)
                }
            } catch let error as any RefusalConvertible {
                try? await refuse(stored, because: error.refusal.detail)
            } catch {
                if !Task.isCancelled {
                    // Without the words of the error, which may quote the file.
                    store.logger.error("an import was interrupted", metadata: ["import": "\(stored.id)"])
                }
                try? await store.write { [self] in try $0.interruptImport(number, at: now()) }
            }
        }
        imports.running.onCancel(of: id) { work.cancel() }
        await BoundedWait.wait(for: work, atMost: UploadService.patience)
        return Taken(stored: try await store.read { try $0.storedImport(number) } ?? stored, isRepeated: false)
    }

    /// How long a client waits for its import before it gets an answer all the same.
    private static let patience = Duration.seconds(10)

    /// Receives a file and returns what its import would do; nothing is stored.
    ///
    /// - Throws: ``Refusal``.
    package func tryOut(
        _ request: UploadRequest,
        address: String?,
        receive: (ImportUpload) async throws -> Void
    ) async throws -> UploadTrial {
        let importer = try await importer(of: request)
        let share = try shares.take(user: request.owner, address: address)
        let (upload, lane) = try await file(receive)
        let largeShare = try lane == .large ? largeShares.take(user: request.owner, address: address) : nil
        defer { withExtendedLifetime((share, largeShare)) {} }
        return try await turns.pass(lane, leavesIfCancelled: true) {
            let bytes = try await BackgroundThread.run("import file") { _ in try upload.contents() }
            do {
                let (result, outcome) = try await imports.add(
                    reading: bytes,
                    fileName: request.fileName,
                    by: importer,
                    choices: request.choices,
                    dryRun: true
                )
                return UploadTrial(
                    outcome: outcome,
                    refusedRows: result.badRows,
                    isRefused: result.isRefused,
                    problems: ImportProblemList.json(result.problems)
                )
            } catch let conflict as ImportConflict {
                throw conflict.refusal
            }
        }
    }

    private func importer(of request: UploadRequest) async throws -> StoryImporter {
        // The caller's own kinds alone: what others have must not decide.
        let owner = request.owner
        let kinds = request.reading.allowsNewKinds ? [] : try await store.read { try $0.storyKinds(of: owner) }
        return try request.importer(today: now().day, kindsInUse: kinds, search: imports.maps.placeSearch)
    }

    private func file(
        _ receive: (ImportUpload) async throws -> Void
    ) async throws -> (upload: ImportUpload, lane: ImportLane) {
        var generator = random
        let upload: ImportUpload
        do {
            upload = try ImportUpload(besideDatabase: store.path, name: StoryID(using: &generator).description)
        } catch {
            throw UploadService.noRoom
        }
        do {
            try await receive(upload)
            guard upload.count <= ImportLane.smallBytes else { return (upload, .large) }
            return (
                upload, try await BackgroundThread.run("import size") { _ in ImportLane(of: try upload.contents()) }
            )
        } catch is CocoaError {
            throw UploadService.noRoom
        }
    }

    private static let noRoom = Refusal(
        .unavailable,
        "no-room",
        "The file cannot be kept at the moment. Try again later."
    )

    private func run(
        _ stored: StoredImport,
        of upload: ImportUpload,
        _ request: UploadRequest,
        by importer: StoryImporter
    ) async throws {
        let bytes = try await BackgroundThread.run("import file") { _ in try upload.contents() }
        try await imports.storeInPieces(
            bytes,
            of: stored,
            fileName: request.fileName,
            by: importer,
            choices: request.choices
        ) { [self] step in
            let now = UploadProgress(rows: step.rows, bytes: step.bytes, totalBytes: step.totalBytes)
            progress.withLock { $0[stored.id] = now }
        }
    }

    private func refuse(_ stored: StoredImport, because reason: String) async throws {
        let problem = ImportProblem(file: stored.origin.file, severity: .error, message: reason)
        try await store.write { [self] transaction in
            try transaction.saveImport(
                stored.number,
                state: .refused,
                format: stored.format,
                counts: StoredImport.Counts(),
                problems: ImportProblemList.json([problem]),
                endedAt: now()
            )
        }
    }
}

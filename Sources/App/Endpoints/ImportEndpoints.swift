import Web
import Library
import Formats
import HTTPTypes
import Storage
import Stories

/// The routes by which users import files while the service runs, and list and undo their imports.
struct ImportEndpoints: Sendable {
    let library: StoryLibrary

    var all: [Endpoint] { [send, list, read, undo] }

    private var send: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/imports",
            name: "importFile",
            summary: """
                Imports stories of the caller from a file: CSV, TSV, XLSX, ODS, GeoJSON, KML, KMZ, GPX, GEDCOM or OHMS, plain \
                or gzipped. The file is checked whole before its first story is stored. If that takes longer than ten \
                seconds, the answer is 202, and the import's own address says how far it is. A file that is refused \
                changes nothing: the answer is 422, and the import keeps what is wrong with it. Positions that seem to be \
                wrong get a remark; with strict, they refuse the file. Importing a file again changes nothing.
                """,
            access: .user,
            scope: .storiesWrite,
            cost: .heavy,
            parameters: ImportParameters.all,
            headers: [.idempotencyKey],
            body: .init(
                schema: "ImportFile",
                maxBytes: UploadService.mostBytes,
                isRaw: true,
                isStreamed: true,
                mediaType: MediaType.octets,
                otherTypes: MediaType.imports
            ),
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .either([.named("Import"), .named("ImportTrial")]),
                    description: "The import, which is complete. With dry_run, what would become of the file."
                ),
                .init(
                    status: .accepted,
                    mediaType: MediaType.json,
                    schema: .named("Import"),
                    description: "The import, which goes on."
                ),
            ],
            refusals: [
                .init(
                    status: .conflict,
                    description: "The file is stored under another source, or its import was cancelled or interrupted."
                ),
                .init(
                    status: .unprocessableContent,
                    description:
                        "The file is refused, and nothing of it is stored: errors says why, and import has all remarks."
                ),
                .init(
                    status: .tooManyRequests,
                    description: "An import of the caller is under way, or too many files are being sent."
                ),
                .init(
                    status: .serviceUnavailable,
                    description: "There is no room for the file at the moment."
                ),
            ],
            handler: { call in
                let request = try ImportParameters.request(call)
                if try call[ImportParameters.dryRun] {
                    let trial = try await library.uploads.tryOut(request, address: call.sharedAddress) { upload in
                        try await ImportEndpoints.receive(call, into: upload)
                    }
                    return Answer(body: ImportJSON.trial(trial))
                }
                let taken = try await library.uploads.take(request, address: call.sharedAddress) { upload in
                    try await ImportEndpoints.receive(call, into: upload)
                }
                let stored = taken.stored
                var headers = HTTPFields()
                headers[.location] = "/v1/imports/\(stored.id)"
                if let problem = ImportRefusal.problem(of: taken, record: json(stored), headers: headers) {
                    throw problem
                }
                let answer = Answer(headers: headers, body: json(stored))
                return stored.state == .running ? answer.with(.accepted) : answer
            }
        )
    }

    /// Keeps the body on the disk as it arrives.
    private static func receive(_ call: Call, into upload: ImportUpload) async throws {
        try await call.arriving.forEach { bytes in
            try await LongWork.run { try upload.append(bytes) }
        }
    }

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/imports",
            name: "listImports",
            summary: "Returns the caller's imports, newest first.",
            access: .user,
            scope: .storiesRead,
            cost: .normal,
            parameters: TimedPages.parameters,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("ImportList"),
                    description: "The imports."
                )
            ],
            handler: { call in
                let imports = try await library.importHistory.list(of: try call.user, limit: 10_000)
                let page = try TimedPage(of: imports.sorted(by: ImportEndpoints.isNewer), newestFirst: true, call: call)
                {
                    ($0.times.started, $0.id)
                }
                return Answer(body: page.json("imports") { stored, json in write(stored, to: &json) })
            }
        )
    }

    private static func isNewer(_ a: StoredImport, _ b: StoredImport) -> Bool {
        (-a.times.started.milliseconds, a.id) < (-b.times.started.milliseconds, b.id)
    }

    private var read: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/imports/\(PathPart.storyImport)",
            name: "readImport",
            summary: "Returns an import of the caller: its state, how far it is, and the first problems of its file.",
            access: .user,
            scope: .storiesRead,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("Import"),
                    description: "The import."
                )
            ],
            handler: { call in
                let stored = try await library.importHistory.find(try call[PathPart.storyImport], of: try call.user)
                return Answer(body: json(stored))
            }
        )
    }

    private var undo: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/imports/\(PathPart.storyImport)",
            name: "undoImport",
            summary: """
                Undoes an import of the caller; one that is under way is cancelled first. The stories that it created are \
                deleted, those that it changed are as before, and those that it removed come back. Stories that were edited \
                since, or changed by a later import, stay as they are. A repetition does what is left.
                """,
            access: .user,
            scope: .storiesWrite,
            cost: .heavy,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .named("Import"),
                    description: "The import, with what was done."
                )
            ],
            refusals: [
                .init(
                    status: .conflict,
                    description: "Another import of the caller is under way, or this one is being undone."
                )
            ],
            handler: { call in
                let (id, user) = (try call[PathPart.storyImport], try call.user)
                let stored = try await library.importHistory.find(id, of: user)
                let plan = try await library.importHistory.cancel(stored)
                let now = try await library.importHistory.find(id, of: user)
                return Answer(body: json(now, plan: plan))
            }
        )
    }

    private func json(_ stored: StoredImport, plan: UndoPlan? = nil) -> [UInt8] {
        var json = JSONWriter(capacity: 600)
        write(stored, plan: plan, to: &json)
        return json.bytes
    }

    private func write(_ stored: StoredImport, plan: UndoPlan? = nil, to json: inout JSONWriter) {
        let isLost = stored.state == .running && !library.importHistory.isRunningHere(stored)
        json.beginObject()
        ImportJSON.members(of: stored, state: (isLost ? .interrupted : stored.state).rawValue, to: &json)
        if let progress = library.uploads.progress(of: stored) { ImportJSON.member(progress, to: &json) }
        if let plan { ImportJSON.member(plan, to: &json) }
        json.endObject()
    }
}

/// The schemas of imports.
enum ImportSchemas: Sendable {
    static let all: [(name: String, schema: Schema)] = [
        ("ImportFile", .text(maxBytes: UploadService.mostBytes)), ("Import", stored), ("ImportTrial", trial),
        (
            "ImportList",
            .object([
                .init("imports", .array(.named("Import"), maxItems: 500), required: true),
                .init(
                    "links",
                    .object([.init("next", .nullable(.text(maxBytes: 1_000)), required: true)]),
                    required: true
                ),
            ])
        ),
    ]

    private static let count = Schema.integer(0...Int(Int32.max))
    private static let time = Schema.text(maxBytes: 40, format: "date-time")
    private static let problem = Schema.object([
        .init("row", count, "The line of a table, or the number of a feature."), .init("field", .text(maxBytes: 100)),
        .init("severity", .word(["error", "warning"]), required: true),
        .init("message", .text(maxBytes: 4_000), required: true, "What is wrong and what to do."),
    ])
    private static let problems = Schema.array(problem, maxItems: 100)
    private static let counts: [Schema.Member] = [
        .init("new", count, required: true, "The new stories."),
        .init("changed", count, required: true, "The stories that were there and changed."),
        .init("unchanged", count, required: true, "The rows without a change."),
        .init("refused", count, required: true, "The rows with errors."),
        .init("removed", count, required: true, "The stories that the source no longer has."),
    ]
    private static let stored = Schema.object(
        [
            .init("id", .hexID, required: true), .init("source", .text(maxBytes: 1_000), required: true),
            .init("file", .text(maxBytes: 1_000), required: true),
            .init("digest", .text(maxBytes: 64), required: true, "The SHA-256 of the file."),
            .init("format", .text(maxBytes: 40)),
            .init("state", .word(StoredImport.State.allCases.map(\.rawValue)), required: true),
            .init("started_at", time, required: true), .init("ended_at", time), .init("undone_at", time),
            .init("problems", problems, "The first problems of the file."),
            .init(
                "progress",
                .object([
                    .init("rows", count, required: true), .init("bytes", count, required: true),
                    .init("total_bytes", count, required: true),
                ]),
                "How far it is, while it is running."
            ), .init("undo", undo, "What undoing it did just now."),
        ] + counts
    )
    private static let undo = Schema.object([
        .init("deleted", count, required: true), .init("put_back", count, required: true),
        .init("brought_back", count, required: true), .init("edited_since", count, required: true),
        .init("changed_later", count, required: true), .init("no_longer_stored", count, required: true),
    ])
    private static let trial = Schema.object(
        counts + [
            .init("accepted", .boolean, required: true, "Whether the file would be stored."),
            .init("problems", problems, "The first problems of the file."),
        ]
    )
}

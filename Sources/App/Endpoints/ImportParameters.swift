import HTTPTypes
import Library
import Stories
import Web

/// The parameters of an import, named like the options of the command.
enum ImportParameters: Sendable {
    /// Reads a name, which stands in lists and logs of imports.
    @Sendable private static func line(_ text: String) throws(ParameterMismatch) -> String {
        guard StoryLimits.isLine(text) else {
            throw ParameterMismatch(message: "must be one line, without control characters")
        }
        return text
    }

    static let fileName = QueryParameter(
        "name",
        .text(1...200, explainedBy: line),
        default: "",
        "The name of the file. Its extension can tell the format, and without source it names the import."
    )
    static let source = QueryParameter.optional(
        "source",
        .text(1...StoryLimits.nameLength, explainedBy: line),
        "The name of the source: a row's id in it identifies a story, so that the next import changes it."
    )
    static let kind = QueryParameter.optional(
        "kind",
        .id("the kind of a story, such as interview") { StoryKind($0) },
        "The kind of stories that specify none (default interview)."
    )
    static let privacy = QueryParameter.optional(
        "privacy",
        .word(of: Privacy.self),
        "The privacy of stories that specify none; by default public, unless a column seems to restrict them."
    )
    static let crs = QueryParameter.optional(
        "crs",
        .text(1...100),
        "The reference system of the coordinates, such as EPSG:26918."
    )
    static let encoding = QueryParameter.optional("encoding", .text(1...40), "The encoding; by default recognised.")
    static let skipBadRows = flag("skip_bad_rows", "true: skip rows with errors instead of refusing the file")
    static let replace = flag("replace", "true: remove the stories of the source that the file no longer contains")
    static let confirm = flag("confirm", "true: let replace remove more than half of the source's stories")
    static let newKinds = flag("new_kinds", "true: accept kinds that none of the caller's stories has")
    static let strict = flag("strict", "true: refuse a file whose positions seem to be wrong, not only warn about it")
    static let geocode = flag("geocode", "true: find places for rows without a position, by their words")
    static let geocodeColumn = QueryParameter.optional(
        "geocode_column",
        .text(1...200),
        "Like geocode, from the words in this column; it counts before all others."
    )
    static let dryRun = flag("dry_run", "true: answer what the import would do, and store nothing")

    static let all: ParameterList = [
        fileName, source, kind, privacy, crs, encoding, skipBadRows, replace, confirm, newKinds, strict, geocode,
        geocodeColumn, dryRun,
    ]

    private static func flag(_ name: String, _ description: String) -> QueryParameter<Bool> {
        QueryParameter(name, .flag, default: false, description + " (default false).")
    }

    /// Returns what a call asks for.
    static func request(_ call: Call) throws -> UploadRequest {
        var request = UploadRequest(owner: try call.user)
        let name = try call[fileName]
        request.fileName = name.isEmpty ? "upload" : name
        request.source = try call[source]
        request.requestKey = call.headers[.idempotencyKey]
        if let kind = try call[kind] { request.reading.kind = kind }
        request.reading.privacy = try call[privacy]
        request.reading.referenceSystem = try call[crs]
        request.reading.encoding = try call[encoding]
        request.reading.skipsBadRows = try call[skipBadRows]
        request.reading.allowsNewKinds = try call[newKinds]
        request.reading.places.isStrict = try call[strict]
        request.reading.places.geocodes = try call[geocode]
        request.reading.places.column = try call[geocodeColumn]
        request.choices.replaces = try call[replace]
        request.choices.mayRemoveMost = try call[confirm]
        request.choices.isSourceGiven = request.source != nil
        return request
    }
}

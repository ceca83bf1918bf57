import Geometry
import HTTPTypes
import Library
import Stories
import Web

/// The route that exports what its caller may see for other programs.
struct ExportEndpoints: Sendable {
    let library: StoryLibrary
    let accounts: Accounts
    let address: PublicAddress
    /// Returns the reference system with a code; `nil` for WGS 84 itself.
    private let known: @Sendable (String) throws(ParameterMismatch) -> ExportReference?
    /// Files are made and kept on the disk for few callers at a time.
    private let files = WorkShares(perUser: 2, perAddress: 2, inAll: 2)

    init(
        library: StoryLibrary,
        accounts: Accounts,
        address: PublicAddress,
        known: @escaping @Sendable (String) throws(ParameterMismatch) -> ExportReference?
    ) {
        (self.library, self.accounts, self.address, self.known) = (library, accounts, address, known)
    }

    var all: [Endpoint] { [export] }

    private static let format = QueryParameter(
        "format",
        .word(of: ExportFormat.self),
        default: .geojson,
        """
        The format (default geojson, which has a JSON-LD context). lpf is Linked Places, navplace a IIIF collection; \
        pmtiles and mbtiles are the map with its clusters. gpkg, pmtiles and mbtiles are made whole before they are sent.
        """
    )
    private static let maxZoom = QueryParameter.optional(
        "max_zoom",
        .integer(0...deepestZoom),
        "The deepest zoom of pmtiles and mbtiles (default \(usualZoom))."
    )
    private static let crs = QueryParameter.optional(
        "crs",
        // No other definition: one of PROJ's may name files.
        .text(
            6...11,
            pattern: TextPattern.referenceSystem,
            form: "EPSG: and the number of a system, such as EPSG:26918"
        ) { text in
            let (name, number) = (text.prefix(5), text.dropFirst(5))
            let isCode = name.uppercased() == "EPSG:" && number.allSatisfy { $0.isASCII && $0.isNumber }
            return isCode ? Int(number).map { "EPSG:\($0)" } : nil
        },
        """
        The reference system of geojson, ndjson, csv and gpkg, such as EPSG:26918 (default WGS 84). East or longitude comes \
        first. GeoJSON is defined on WGS 84 (RFC 7946): many programs misplace any other.
        """
    )
    private static let deepestZoom = 14
    private static let usualZoom = 8

    private var export: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/export",
            name: "exportStories",
            summary: """
                Exports the stories that the caller may see and that match the filters, newest first, in a format of other \
                programs; Linked Places has each place once. /v1/me/export has everything stored about the caller.
                """,
            access: .user,
            scope: .storiesRead,
            cost: .heavy,
            parameters: [
                ExportEndpoints.format, BoxParameter.optional, ExportEndpoints.crs, ExportEndpoints.maxZoom,
                StoryFilters.all,
            ],
            success: [
                .init(
                    status: .ok,
                    mediaType: ExportFormat.geojson.mediaType,
                    schema: nil,
                    description: "The export, sent in chunks: without the last one it is not whole.",
                    otherTypes: ExportEndpoints.otherTypes
                )
            ],
            refusals: [
                .init(
                    status: .conflict,
                    description: "Another export of the caller is in progress. Wait for it to finish."
                ),
                .init(
                    status: .tooManyRequests,
                    description: "Too many requests or too many exports. Wait before trying again."
                ),
                .init(
                    status: .serviceUnavailable,
                    description: "There is no room for the file at the moment."
                ),
            ],
            handler: handle
        )
    }

    private static let otherTypes = Set(ExportFormat.allCases.map(\.mediaType))
        .subtracting([ExportFormat.geojson.mediaType]).sorted()

    @Sendable private func handle(_ call: Call) async throws -> Answer {
        let content = try content(call)
        let ticket = try library.rights.exports.begin(
            try call.user,
            address: call.sharedAddress,
            at: library.clock.lasting
        )
        let export = SentExport(
            of: content,
            library: library,
            viewer: call.viewer,
            ticket: ticket,
            current: current(call)
        )
        let ending = content.format.fileExtension
        let headers: HTTPFields = [.contentDisposition: "attachment; filename=\"waymark-stories.\(ending)\""]
        guard !content.format.isStreamed, call.method != .head else {
            return Answer(
                mediaType: content.format.mediaType,
                headers: headers,
                stream: { sink in try await export.write(to: &sink) },
                onStart: { end in ticket.onDrop(end) }
            )
        }
        let share = try files.take(user: try call.user, address: call.sharedAddress)
        let file = try await LongWork.run(for: call.client) { try await export.file() }
        return Answer(
            mediaType: content.format.mediaType,
            headers: headers,
            stream: { sink in
                defer { withExtendedLifetime(share) {} }
                try await export.send(file, to: &sink)
            },
            onStart: { end in ticket.onDrop(end) }
        )
    }

    private func content(_ call: Call) throws -> SentExport.Content {
        let (format, box, zoom) = (
            try call[ExportEndpoints.format], try call[BoxParameter.optional], try call[ExportEndpoints.maxZoom]
        )
        if zoom != nil, !format.isTiles { throw ExportEndpoints.maxZoom.invalid("is for pmtiles and mbtiles") }
        if box != nil, format.isTiles {
            throw BoxParameter.optional.invalid("is not for tiles, which are of the whole map; leave it out")
        }
        var content = SentExport.Content(
            format,
            address: address.url(authority: call.authority, headers: call.headers)
        )
        (content.box, content.search) = (box, try call[StoryFilters.all])
        if let code = try call[ExportEndpoints.crs], try reference(code, for: format) != nil {
            content.reference = { [known] in try known(code) }
        }
        content.deepest = zoom ?? ExportEndpoints.usualZoom
        return content
    }

    private func reference(_ code: String, for format: ExportFormat) throws -> ExportReference? {
        let reference: ExportReference?
        do throws(ParameterMismatch) { reference = try known(code) } catch {
            throw ExportEndpoints.crs.invalid(error.message)
        }
        guard reference == nil || format.takesReferenceSystem else {
            throw ExportEndpoints.crs.invalid("is not for \(format.rawValue), which is always on WGS 84; leave it out")
        }
        return reference
    }

    /// Returns who the caller is by the time it is called: a long export ends with the access to what it shows.
    private func current(_ call: Call) -> @Sendable () async throws -> Viewer {
        { [accounts, credentials = call.credentials, user = call.viewer.user] in
            let principal = try await accounts.principal(credentials, isWriting: false)
            guard principal.viewer.user == user, principal.scopes.contains(.storiesRead) else {
                throw Refusal.unauthenticated("The access with which the export began has ended.")
            }
            return principal.viewer
        }
    }
}

extension ExportFormat {
    /// The ending of a file's name.
    fileprivate var fileExtension: String {
        switch self {
        case .linkedPlaces, .navPlace: "\(rawValue).json"
        default: rawValue
        }
    }

    /// The media type.
    fileprivate var mediaType: String {
        switch self {
        case .geojson: MediaType.geoJSON
        case .csv: "text/csv; charset=utf-8"
        case .ndjson: "application/x-ndjson"
        case .kml: "application/vnd.google-earth.kml+xml"
        case .gpx: "application/gpx+xml"
        case .linkedPlaces, .navPlace: "application/ld+json"
        case .geoPackage: "application/geopackage+sqlite3"
        case .mbtiles: "application/vnd.sqlite3"
        case .pmtiles: "application/vnd.pmtiles"
        }
    }
}

import Web
import Library
import Formats
import HTTPTypes
import Stories

/// The routes for apps that send positions in their own protocols, each answered as its app expects.
///
/// Data that this service does not need is accepted: an app whose request is rejected would repeat it forever.
struct IngestEndpoints: Sendable {
    let library: StoryLibrary
    let address: PublicAddress

    var all: [Endpoint] { [ownTracks, overland, osmAnd(.get), osmAnd(.post), uLogger] }

    /// The maximum length of a batch in bytes; `reportBytes` is that of a single report.
    static let batchBytes = 1 << 20
    private static let reportBytes = 1 << 16

    private static let appUser = QueryParameter.optional(
        "u",
        .text(0...100),
        "The user name of the app. The key determines whose fixes these are."
    )
    private static let appDevice = QueryParameter.optional("d", .text(0...100), "The device name of the app.")

    private static let deviceID = QueryParameter.optional(
        "id",
        .text(0...200),
        "A device key or, with an Authorization header, the name of the device."
    )
    /// The parameters that ``OsmAndMessage`` parses by itself, declared for the OpenAPI document.
    private static let osmAndParameters: ParameterList = [
        deviceID,
        QueryParameter.optional("lat", .number(-90...90), "Latitude in degrees."),
        QueryParameter.optional("lon", .number(-180...180), "Longitude in degrees."),
        QueryParameter.optional(
            "timestamp",
            .text(0...40),
            "The time in seconds or milliseconds since 1970, or as RFC 3339."
        ),
        QueryParameter.optional("speed", .number(0...1e6), "The speed in the unit of speed_unit (default knots)."),
        QueryParameter.optional(
            "speed_unit",
            .word(of: OsmAndMessage.SpeedUnit.self),
            "The unit of speed. OsmAnd itself sends ms."
        ),
        QueryParameter.optional(
            "accuracy",
            .number(0...1e6),
            "The accuracy in metres (68 % confidence); also as acc. Other usual names of each value are read as well."
        ),
    ]

    private var ownTracks: Endpoint {
        Endpoint(
            method: .post,
            path: "/ingest/owntracks",
            name: "ingestOwnTracks",
            summary: """
                Accepts messages of the OwnTracks apps in HTTP mode. The password of Basic authentication is a device \
                key.
                """,
            access: .user,
            scope: .fixesWrite,
            cost: .normal,
            parameters: [IngestEndpoints.appUser, IngestEndpoints.appDevice],
            isLenient: true,
            body: .init(schema: "AppMessage", maxBytes: IngestEndpoints.batchBytes, isRaw: true),
            credential: { _ in nil },
            keyAdvice: IngestEndpoints.advice("the password in OwnTracks (Preferences, Connection, Identification)"),
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .array(.object([], open: true), maxItems: 0),
                    description: "An empty list: nothing for the app to display."
                )
            ],
            refusalTypes: [MediaType.text],
            handler: { call in
                let message = try IngestEndpoints.read(call.bytes, OwnTracksMessage.read)
                let named =
                    try call[IngestEndpoints.appDevice] ?? HTTPField.Name("X-Limit-D").flatMap { call.headers[$0] }
                try await report(message, from: named, call)
                return Answer(body: Array("[]".utf8))
            }
        )
    }

    private var overland: Endpoint {
        Endpoint(
            method: .post,
            path: "/ingest/overland",
            name: "ingestOverland",
            summary: "Accepts batches of the Overland app. Its access token is a device key.",
            access: .user,
            scope: .fixesWrite,
            cost: .normal,
            isLenient: true,
            body: .init(schema: "AppMessage", maxBytes: IngestEndpoints.batchBytes, isRaw: true),
            credential: { query in (query["access_token"] ?? query["token"])?.last },
            keyAdvice: IngestEndpoints.advice("the access token in Overland (Settings, Receiver Endpoint)"),
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .object([.init("result", .constant("ok"), required: true)]),
                    description: "The batch was received."
                )
            ],
            refusalTypes: [MediaType.text],
            handler: { call in
                let message = try IngestEndpoints.read(call.bytes, OverlandMessage.read)
                try await report(message, from: nil, call)
                return Answer(body: Array("{\"result\":\"ok\"}".utf8))
            }
        )
    }

    private func osmAnd(_ method: HTTPRequest.Method) -> Endpoint {
        Endpoint(
            method: method,
            path: "/ingest/osmand",
            name: method == .get ? "ingestOsmAnd" : "postOsmAnd",
            summary: """
                Accepts reports of OsmAnd, Traccar's clients, GPSLogger, PhoneTrack, Colota and Home Assistant. The \
                device identifier is a device key.
                """,
            access: .user,
            scope: .fixesWrite,
            cost: .normal,
            alwaysWrites: true,
            parameters: IngestEndpoints.osmAndParameters,
            isLenient: true,
            body: method == .get
                ? nil
                : .init(
                    schema: "AppMessage",
                    maxBytes: IngestEndpoints.reportBytes,
                    isRaw: true,
                    mediaType: MediaType.form,
                    otherTypes: [MediaType.json, MediaType.octets]
                ),
            credential: IngestEndpoints.device,
            keyAdvice: IngestEndpoints.advice("the device identifier (id in the address) in the app"),
            bodyCredential: method == .get ? nil : IngestEndpoints.device,
            // Without a body, an answer has no media type.
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: nil,
                    description: "The report was received. The answer is empty."
                )
            ],
            refusalTypes: [MediaType.text],
            handler: { call in
                try await report(try message(call), from: nil, call)
                return Answer()
            }
        )
    }

    /// Returns what to check if a key is not valid; `place` is where it stands in the app.
    static func advice(_ place: String) -> String {
        "This service does not know the key of this device. Check \(place): it must be a device key of this service, whole "
            + "and without spaces. If it was revoked, make a new one."
    }

    /// Returns the device identifier in a body, which is JSON or a form.
    @Sendable private static func device(_ body: [UInt8]) -> String? {
        if OsmAndMessage.isJSON(body) { return OsmAndMessage.device(json: body) }
        let form = form(body)
        return (form[deviceID.name] ?? form[otherDeviceID])?.first
    }

    /// Returns the device identifier in a query.
    @Sendable private static func device(_ query: [String: [String]]) -> String? {
        (query[deviceID.name] ?? query[otherDeviceID])?.last
    }

    /// The name of the device identifier in some clients.
    private static let otherDeviceID = "deviceid"

    /// Returns the values of each name in a form; empty for anything that is not a form.
    static func form(_ body: [UInt8]) -> [String: [String]] {
        guard let text = String(validating: body, as: UTF8.self), let query = try? QueryString(text) else { return [:] }
        return (try? query.values.mapValues { try $0.map { try QueryString.decode($0) } }) ?? [:]
    }

    /// Returns the single value of each name; of unused parameters, the first value.
    ///
    /// - Throws: ``Problem`` for a used parameter that is given more than once.
    static func single(_ values: [String: [String]]) throws -> [String: String] {
        let repeated = values.filter { $0.value.count > 1 && OsmAndMessage.names.contains($0.key) }
        if let name = repeated.keys.min() { throw Problem.parameter(name, "is given more than once") }
        return values.compactMapValues(\.first)
    }

    private func message(_ call: Call) throws -> DeviceMessage {
        let now = library.now()
        if OsmAndMessage.isJSON(call.bytes) {
            return try IngestEndpoints.read(call.bytes) { (bytes: [UInt8]) throws(JSONError) -> DeviceMessage in
                try OsmAndMessage.read(json: bytes, now: now)
            }
        }
        var values = try IngestEndpoints.single(IngestEndpoints.form(call.bytes))
        values.merge(try IngestEndpoints.single(call.query.all)) { _, query in query }
        do {
            var message = DeviceMessage()
            if let report = try OsmAndMessage.read(values, now: now) {
                message.reports = [report]
            } else {
                message.ignore(.invalid)
            }
            return message
        } catch .parameter(let name) {
            throw Problem.parameter(name, OsmAndMessage.Problem.parameter(name).message)
        }
    }

    private static func read(
        _ bytes: [UInt8],
        _ read: ([UInt8]) throws(JSONError) -> DeviceMessage
    ) throws -> DeviceMessage {
        do {
            return try read(bytes)
        } catch {
            throw Problem(.badRequest, "bad-json", "The body is not valid JSON: \(error).")
        }
    }

    /// Evaluates the reports of a message in order, separately for each device.
    func report(_ message: DeviceMessage, from named: String?, _ call: Call) async throws {
        try await library.fences.take(message, of: try call.user, device: call.principal.device, named: named)
    }
}

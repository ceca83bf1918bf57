import Library
package import Formats
import HTTPTypes

/// The OpenAPI description of the service, generated from its endpoints, in version 3.1 and 3.0.
package struct OpenAPIDocument: Sendable {
    /// The versions of OpenAPI.
    package enum Version: String, Sendable {
        case v30 = "3.0.3"
        case v31 = "3.1.0"
    }

    /// The maximum length of a header field in bytes; the same limit applies to the whole head.
    static let longestHeader = 16_384

    let endpoints: [Endpoint]
    let webhooks: [Webhook]
    let webhookHeaders: [Webhook.Header]
    let components: [(name: String, schema: Schema)]
    /// The chapters, in their order.
    package let tags: [APITag]
    /// Examples of its schemas.
    package let examples: SchemaExamples
    /// The URL of the service, or `/` for that from which the document came.
    let server: String

    /// Creates the document for `endpoints`, for the messages that the service sends on its own initiative, and for the
    /// schemas they use.
    ///
    /// Examples get their values from `samples`, by the names of members and parameters.
    package init(
        endpoints: [Endpoint],
        webhooks: [Webhook],
        webhookHeaders: [Webhook.Header],
        components: [(name: String, schema: Schema)],
        tags: [APITag],
        samples: [String: JSONValue],
        server: String = "/"
    ) {
        self.endpoints = endpoints
        self.webhooks = webhooks
        self.webhookHeaders = webhookHeaders
        self.components = components
        self.tags = tags
        self.server = server
        let byName = Dictionary(components.map { ($0.name, $0.schema) }) { first, _ in first }
        examples = SchemaExamples(samples: samples, components: byName)
    }

    /// Returns the document in a version.
    package func json(_ version: Version) -> [UInt8] {
        var json = JSONWriter(capacity: 1 << 20)
        json.beginObject()
        json.member("openapi", version.rawValue)
        json.key("info")
        json.beginObject()
        json.member("title", "Waymark")
        json.member("version", Release.version)
        json.member("description", "Stories on a map, place names, and a single notification when a user comes near.")
        json.endObject()
        json.key("servers")
        json.beginArray()
        json.beginObject()
        json.member("url", server)
        json.member("description", "This service.")
        json.endObject()
        json.endArray()
        writeTags(to: &json)
        json.key("paths")
        writePaths(to: &json, as: version)
        // OpenAPI 3.0 knows no messages of the service's own.
        json.key(version == .v31 ? "webhooks" : "x-webhooks")
        writeWebhooks(to: &json, as: version)
        json.key("components")
        writeComponents(to: &json, as: version)
        json.endObject()
        return json.bytes
    }

    private func writeTags(to json: inout JSONWriter) {
        let used = Set(endpoints.compactMap { APITag.of($0.path, among: tags)?.name })
        json.key("tags")
        json.beginArray()
        for tag in tags where used.contains(tag.name) {
            json.beginObject()
            json.member("name", tag.name)
            json.member("description", tag.description)
            json.endObject()
        }
        json.endArray()
    }

    private func writePaths(to json: inout JSONWriter, as version: Version) {
        var paths: [String] = []
        for endpoint in endpoints where !paths.contains(endpoint.path) { paths.append(endpoint.path) }
        json.beginObject()
        for path in paths {
            json.key(path)
            json.beginObject()
            for endpoint in endpoints where endpoint.path == path {
                json.key(endpoint.method.rawValue.lowercased())
                write(endpoint, to: &json, as: version)
            }
            json.endObject()
        }
        json.endObject()
    }

    private func write(_ endpoint: Endpoint, to json: inout JSONWriter, as version: Version) {
        json.beginObject()
        json.member("operationId", endpoint.name)
        if let tag = APITag.of(endpoint.path, among: tags) { json.member("tags", [tag.name]) }
        json.member("summary", endpoint.summary)
        json.key("parameters")
        writeParameters(of: endpoint, to: &json, as: version)
        if let body = endpoint.body {
            json.key("requestBody")
            json.beginObject()
            json.member("required", !body.isRaw && !body.isOptional)
            writeContent(
                body.mediaType,
                schema: .named(body.schema),
                others: body.otherTypes,
                sharesSchema: true,
                to: &json,
                as: version
            )
            json.endObject()
        }
        json.member("x-cost", endpoint.cost.rawValue)
        OpenAPIDocument.writeSecurity(endpoint, to: &json, as: version)
        json.key("responses")
        writeResponses(endpoint, to: &json, as: version)
        json.endObject()
    }

    private func writeParameters(of endpoint: Endpoint, to json: inout JSONWriter, as version: Version) {
        json.beginArray()
        for name in endpoint.pathNames {
            let schema = Schema.text(minBytes: 1, maxBytes: 64, pattern: TextPattern.pathPart)
            writeParameter(name, in: "path", schema: schema, required: true, to: &json, as: version)
        }
        for parameter in endpoint.parameters.declarations {
            writeParameter(
                parameter.name,
                in: "query",
                schema: parameter.documentedSchema,
                required: parameter.isRequired,
                list: parameter.hasValues,
                description: parameter.description,
                to: &json,
                as: version
            )
        }
        for header in endpoint.readHeaders {
            writeParameter(
                header.rawValue,
                in: "header",
                schema: .text(minBytes: 1, maxBytes: header.maxBytes),
                required: false,
                description: header.description,
                to: &json,
                as: version
            )
        }
        if endpoint.caching != .never {
            writeParameter(
                "If-None-Match",
                in: "header",
                schema: .text(minBytes: 1, maxBytes: OpenAPIDocument.longestHeader),
                required: false,
                description: "The ETag of the cached version. If it is still current, the answer is 304.",
                to: &json,
                as: version
            )
        }
        json.endArray()
    }

    func writeParameter(
        _ name: String,
        in place: String,
        schema: Schema,
        required: Bool,
        list: Bool = false,
        description: String? = nil,
        to json: inout JSONWriter,
        as version: Version
    ) {
        json.beginObject()
        json.member("name", name)
        json.member("in", place)
        json.member("required", required)
        if list {
            json.member("style", "form")
            json.member("explode", false)
        }
        json.key("schema")
        schema.write(to: &json, as: version)
        json.key("example")
        json.value(examples.example(of: schema, named: name))
        if let description {
            json.member("description", description)
        }
        json.endObject()
    }

    /// Writes whether a route needs a token, and the required scopes.
    ///
    /// OpenAPI 3.1 allows scopes for every type of security scheme; in 3.0 they stand beside.
    private static func writeSecurity(_ endpoint: Endpoint, to json: inout JSONWriter, as version: Version) {
        json.key("security")
        guard endpoint.access != .link else { return json.raw(Array(#"[{"link":[]}]"#.utf8)) }
        let optional = endpoint.access == .anyone ? "{}," : ""
        let service = endpoint.access == .service ? [Scope.actAs] : []
        let scopes = (service + [endpoint.scope].compactMap(\.self)).map { "\"\($0.rawValue)\"" }
        let list = version == .v31 ? "[\(scopes.joined(separator: ","))]" : "[]"
        // A session of the page never has the scope of a service.
        let page = endpoint.readsCookie && service.isEmpty ? ",{\"page\":\(list)}" : ""
        // A key can also be sent as a password, by programs that know nothing else.
        let basic = endpoint.credential != nil || endpoint.cookie == .yieldsToPassword ? ",{\"basic\":\(list)}" : ""
        json.raw(Array("[\(optional){\"bearer\":\(list)}\(basic)\(page)]".utf8))
        guard version == .v30, !scopes.isEmpty else { return }
        json.key("x-scopes")
        json.raw(Array("[\(scopes.joined(separator: ","))]".utf8))
    }

    private func writeResponses(_ endpoint: Endpoint, to json: inout JSONWriter, as version: Version) {
        json.beginObject()
        for success in endpoint.success {
            json.key(String(success.status.code))
            json.beginObject()
            json.member("description", success.description)
            // For media types other than JSON, OpenAPI 3.1 omits the schema.
            if success.schema != nil || success.mediaType != MediaType.json {
                writeContent(
                    success.mediaType,
                    schema: success.schema,
                    others: success.otherTypes,
                    to: &json,
                    as: version
                )
            }
            json.endObject()
        }
        for refusal in endpoint.refusals {
            json.key(String(refusal.status.code))
            json.beginObject()
            json.member("description", refusal.description)
            json.key("headers")
            json.raw(Array(OpenAPIDocument.retryAfter.utf8))
            writeContent(MediaType.problem, schema: .named("Problem"), to: &json, as: version)
            json.endObject()
        }
        if endpoint.caching != .never {
            json.key("304")
            json.raw(Array(#"{"description":"Not modified: the ETag in If-None-Match is still current."}"#.utf8))
        }
        json.key("default")
        json.beginObject()
        json.member("description", "The problem and how to solve it (RFC 9457).")
        writeProblems(of: endpoint, to: &json, as: version)
        json.endObject()
        json.endObject()
    }

    private static let retryAfter =
        #"{"Retry-After":{"description":"The number of seconds to wait.","schema":{"type":"integer","minimum":1}}}"#

    /// Writes the content of a body: one media type with its schema, and others without one, unless they share it.
    func writeContent(
        _ mediaType: String,
        schema: Schema?,
        others: [String] = [],
        sharesSchema: Bool = false,
        to json: inout JSONWriter,
        as version: Version
    ) {
        json.key("content")
        json.beginObject()
        json.key(mediaType)
        json.beginObject()
        if let schema {
            json.key("schema")
            schema.write(to: &json, as: version)
            if mediaType.hasSuffix("json") {
                json.key("example")
                json.value(examples.example(of: schema))
            }
        }
        json.endObject()
        for other in others {
            json.key(other)
            json.beginObject()
            if sharesSchema, let schema {
                json.key("schema")
                schema.write(to: &json, as: version)
            }
            json.endObject()
        }
        json.endObject()
    }
}

extension ParameterDeclaration {
    /// The schema of all its values together.
    fileprivate var documentedSchema: Schema { isList ? .array(schema) : schema }

    /// Whether several values are separated by commas.
    fileprivate var hasValues: Bool {
        if case .array = documentedSchema { true } else { false }
    }
}

extension Endpoint {
    /// The names of the variable parts of the path; a suffix may follow one, as in `{y}.mvt`.
    package var pathNames: [String] {
        path.split(separator: "/")
            .compactMap { part in
                part.first == "{" ? String(part.dropFirst().prefix { $0 != "}" }) : nil
            }
    }
}

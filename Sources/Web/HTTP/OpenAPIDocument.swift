import Library
package import Formats
import HTTPTypes

/// The OpenAPI 3.1 description of the service, generated from its endpoints.
package enum OpenAPIDocument: Sendable {
    /// The maximum length of a header field in bytes; the same limit applies to the whole head.
    static let longestHeader = 16_384

    /// Returns the document for `endpoints`, for the messages that the service sends on its own initiative, and for the
    /// schemas they use.
    package static func json(
        endpoints: [Endpoint],
        webhooks: [Webhook],
        webhookHeaders: [Webhook.Header],
        components: [(name: String, schema: Schema)]
    ) -> [UInt8] {
        var json = JSONWriter(capacity: 32_768)
        json.beginObject()
        json.member("openapi", "3.1.0")
        json.key("info")
        json.beginObject()
        json.member("title", "Waymark")
        json.member("version", Release.version)
        json.member("description", "Stories on a map, place names, and a single notification when a user comes near.")
        json.endObject()
        json.key("paths")
        writePaths(endpoints, to: &json)
        json.key("webhooks")
        writeWebhooks(webhooks, headers: webhookHeaders, to: &json)
        json.key("components")
        writeComponents(components, to: &json)
        json.endObject()
        return json.bytes
    }

    private static func writePaths(_ endpoints: [Endpoint], to json: inout JSONWriter) {
        var paths: [String] = []
        for endpoint in endpoints where !paths.contains(endpoint.path) { paths.append(endpoint.path) }
        json.beginObject()
        for path in paths {
            json.key(path)
            json.beginObject()
            for endpoint in endpoints where endpoint.path == path {
                json.key(endpoint.method.rawValue.lowercased())
                write(endpoint, to: &json)
            }
            json.endObject()
        }
        json.endObject()
    }

    private static func write(_ endpoint: Endpoint, to json: inout JSONWriter) {
        json.beginObject()
        json.member("operationId", endpoint.name)
        json.member("summary", endpoint.summary)
        json.key("parameters")
        json.beginArray()
        for name in endpoint.pathNames {
            let schema = Schema.text(minBytes: 1, maxBytes: 64, pattern: TextPattern.pathPart)
            writeParameter(name, in: "path", schema: schema, required: true, to: &json)
        }
        for parameter in endpoint.parameters.declarations {
            writeParameter(
                parameter.name,
                in: "query",
                schema: parameter.isList ? .array(parameter.schema) : parameter.schema,
                required: parameter.isRequired,
                list: parameter.isList,
                description: parameter.description,
                to: &json
            )
        }
        for header in endpoint.readHeaders {
            writeParameter(
                header.rawValue,
                in: "header",
                schema: .text(minBytes: 1, maxBytes: header.maxBytes),
                required: false,
                description: header.description,
                to: &json
            )
        }
        if endpoint.caching != .never {
            writeParameter(
                "If-None-Match",
                in: "header",
                schema: .text(minBytes: 1, maxBytes: longestHeader),
                required: false,
                description: "The ETag of the cached version. If it is still current, the answer is 304.",
                to: &json
            )
        }
        json.endArray()
        if let body = endpoint.body {
            json.key("requestBody")
            json.beginObject()
            json.member("required", !body.isRaw && !body.isOptional)
            writeContent(body.mediaType, schema: .named(body.schema), others: body.otherTypes, to: &json)
            json.endObject()
        }
        json.member("x-cost", endpoint.cost.rawValue)
        writeSecurity(endpoint, to: &json)
        json.key("responses")
        writeResponses(endpoint, to: &json)
        json.endObject()
    }

    static func writeParameter(
        _ name: String,
        in place: String,
        schema: Schema,
        required: Bool,
        list: Bool = false,
        description: String? = nil,
        to json: inout JSONWriter
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
        schema.write(to: &json)
        if let description {
            json.member("description", description)
        }
        json.endObject()
    }

    /// Writes whether a route needs a token, and the required scopes.
    ///
    /// OpenAPI 3.1 allows scopes for every type of security scheme.
    private static func writeSecurity(_ endpoint: Endpoint, to json: inout JSONWriter) {
        json.key("security")
        guard endpoint.access != .link else { return json.raw(Array(#"[{"link":[]}]"#.utf8)) }
        let optional = endpoint.access == .anyone ? "{}," : ""
        let service = endpoint.access == .service ? [Scope.actAs] : []
        let scopes = (service + [endpoint.scope].compactMap(\.self)).map { "\"\($0.rawValue)\"" }
        let list = "[\(scopes.joined(separator: ","))]"
        // A session of the page never has the scope of a service.
        let page = endpoint.readsCookie && service.isEmpty ? ",{\"page\":\(list)}" : ""
        json.raw(Array("[\(optional){\"bearer\":\(list)}\(page)]".utf8))
    }

    private static func writeResponses(_ endpoint: Endpoint, to json: inout JSONWriter) {
        json.beginObject()
        for success in endpoint.success {
            json.key(String(success.status.code))
            json.beginObject()
            json.member("description", success.description)
            // For media types other than JSON, OpenAPI 3.1 omits the schema.
            if success.schema != nil || success.mediaType != MediaType.json {
                writeContent(success.mediaType, schema: success.schema, others: success.otherTypes, to: &json)
            }
            json.endObject()
        }
        for refusal in endpoint.refusals {
            json.key(String(refusal.status.code))
            json.beginObject()
            json.member("description", refusal.description)
            json.key("headers")
            json.raw(Array(retryAfter.utf8))
            writeContent(MediaType.problem, schema: .named("Problem"), to: &json)
            json.endObject()
        }
        if endpoint.caching != .never {
            json.key("304")
            json.raw(Array(#"{"description":"Not modified: the ETag in If-None-Match is still current."}"#.utf8))
        }
        json.key("default")
        json.beginObject()
        json.member("description", "The problem and how to solve it (RFC 9457).")
        writeContent(MediaType.problem, schema: .named("Problem"), others: endpoint.refusalTypes, to: &json)
        json.endObject()
        json.endObject()
    }

    private static let retryAfter =
        #"{"Retry-After":{"description":"The number of seconds to wait.","schema":{"type":"integer","minimum":1}}}"#

    /// Writes the content of a body: one media type with its schema, and others without one.
    package static func writeContent(
        _ mediaType: String,
        schema: Schema?,
        others: [String] = [],
        to json: inout JSONWriter
    ) {
        json.key("content")
        json.beginObject()
        json.key(mediaType)
        json.beginObject()
        if let schema {
            json.key("schema")
            schema.write(to: &json)
        }
        json.endObject()
        for other in others {
            json.key(other)
            json.beginObject()
            json.endObject()
        }
        json.endObject()
    }

    private static let security = """
        A JWT or an API key. A caller with the scope act-as names the user it acts for in the header Waymark-User. If \
        that user does not exist yet, the first request that changes data creates the user, as it does for the token \
        of a new user; with the header Waymark-User-Create: false, unknown users are rejected instead. A device key \
        can only send positions.
        """

    private static let holder = "The secret of a share link, which begins with wm_share_. It opens these routes alone."

    private static let cookie = """
        The session of the page, for the page of this service alone; with TLS the name begins with __Host-. Requests \
        other than GET also need the header Waymark-Page: 1.
        """

    private static func writeComponents(_ components: [(name: String, schema: Schema)], to json: inout JSONWriter) {
        json.beginObject()
        json.key("securitySchemes")
        let bearer = #""bearer":{"type":"http","scheme":"bearer","description":"\#(security)"}"#
        let page = #""page":{"type":"apiKey","in":"cookie","name":"waymark_session","description":"\#(cookie)"}"#
        let link = #""link":{"type":"http","scheme":"bearer","description":"\#(holder)"}"#
        json.raw(Array("{\(bearer),\(page),\(link)}".utf8))
        json.key("schemas")
        json.beginObject()
        for component in components {
            json.key(component.name)
            component.schema.write(to: &json)
        }
        json.endObject()
        json.endObject()
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

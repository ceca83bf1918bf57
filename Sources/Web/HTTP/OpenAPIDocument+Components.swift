import Formats
import HTTPTypes
import Library

/// The components of the document: security schemes, schemas and examples of problems.
extension OpenAPIDocument {
    private static let security = """
        A JWT or an API key. A caller with the scope act-as names the user it acts for in the header Waymark-User. If \
        that user does not exist yet, the first request that changes data creates the user, as it does for the token \
        of a new user; with the header Waymark-User-Create: false, unknown users are rejected instead. A device key \
        can only send positions.
        """

    private static let password = "A key as the password, with any name, for programs that cannot send a bearer token."

    private static let holder = "The secret of a share link, which begins with wm_share_. It opens these routes alone."

    private static let cookie = """
        The session of the page, for the page of this service alone; with TLS the name begins with __Host-. Requests \
        other than GET also need the header Waymark-Page: 1.
        """

    func writeComponents(to json: inout JSONWriter, as version: Version) {
        json.beginObject()
        json.key("securitySchemes")
        let bearer = #""bearer":{"type":"http","scheme":"bearer","description":"\#(OpenAPIDocument.security)"}"#
        let page =
            #""page":{"type":"apiKey","in":"cookie","name":"waymark_session","description":"\#(OpenAPIDocument.cookie)"}"#
        let link = #""link":{"type":"http","scheme":"bearer","description":"\#(OpenAPIDocument.holder)"}"#
        let basic = #""basic":{"type":"http","scheme":"basic","description":"\#(OpenAPIDocument.password)"}"#
        json.raw(Array("{\(bearer),\(basic),\(page),\(link)}".utf8))
        json.key("schemas")
        json.beginObject()
        for component in components {
            json.key(component.name)
            component.schema.write(to: &json, as: version)
        }
        json.endObject()
        writeProblemExamples(to: &json)
        json.endObject()
    }

    /// Writes the content of errors, with the problems that a route can answer apart from those of its own rules.
    func writeProblems(of endpoint: Endpoint, to json: inout JSONWriter, as version: Version) {
        json.key("content")
        json.beginObject()
        json.key(MediaType.problem)
        json.beginObject()
        json.key("schema")
        Schema.named("Problem").write(to: &json, as: version)
        json.key("examples")
        json.beginObject()
        for problem in OpenAPIDocument.problems where problem.concerns(endpoint) {
            json.key(problem.problem.code)
            json.beginObject()
            json.member("$ref", "#/components/examples/\(problem.problem.code)")
            json.endObject()
        }
        json.endObject()
        json.endObject()
        for other in endpoint.refusalTypes {
            json.key(other)
            json.beginObject()
            json.endObject()
        }
        json.endObject()
    }

    private func writeProblemExamples(to json: inout JSONWriter) {
        json.key("examples")
        json.beginObject()
        for example in OpenAPIDocument.problems {
            json.key(example.problem.code)
            json.beginObject()
            json.member("summary", example.problem.detail)
            json.key("value")
            json.raw(example.problem.json)
            json.endObject()
        }
        json.endObject()
    }

    /// A problem that many routes can answer, and which of them can.
    private struct ProblemExample: Sendable {
        let problem: Problem
        let concerns: @Sendable (Endpoint) -> Bool
    }

    private static let problems: [ProblemExample] = [
        ProblemExample(problem: .parameter("limit", "must be a whole number between 1 and 1000")) {
            !$0.parameters.declarations.isEmpty
        },
        ProblemExample(problem: .body([FieldProblem(field: "title", message: "is missing")])) {
            $0.body?.isRaw == false
        },
        ProblemExample(problem: .unauthorized("This request needs a token. Send 'Authorization: Bearer TOKEN'.")) {
            $0.access != .anyone || $0.caching != .shared
        },
        ProblemExample(problem: .missingScope(.storiesRead)) { $0.scope != nil },
        ProblemExample(problem: .notFound) { !$0.pathNames.isEmpty },
        ProblemExample(problem: .changed("story", current: "\"6f1d5bb7a84e21c9d0337f42\"")) {
            $0.headers.contains(.ifMatch)
        },
        ProblemExample(problem: .tooLarge(8_192)) { $0.body != nil },
        ProblemExample(problem: .packedBody) { $0.body?.readsGzip == false },
        ProblemExample(problem: .tooManyRequests(seconds: 1)) { $0.cost != .free },
        ProblemExample(problem: .writingStopped) { $0.isWriting },
        ProblemExample(problem: .readOnly) { $0.isWriting },
    ]
}

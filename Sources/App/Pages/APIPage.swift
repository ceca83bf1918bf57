import Formats
import HTTPTypes
import Library
import Web

/// The description of the API as a page: a chapter for each tag, with a request by curl for every route.
///
/// It is for programmers, so it is in English alone, and it needs no script.
struct APIPage {
    let endpoints: [Endpoint]
    let description: OpenAPIDocument
    /// The URL of the service; empty if the operator named none.
    let url: String

    /// The content security policy: the styles of this service, and nothing else.
    static let contentPolicy =
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    /// The whole page.
    var bytes: [UInt8] {
        let site = PageSite(url: url, mediaOrigins: [])
        return PageFrame.document(title: "API", site: site, isIndexed: true, hasScript: false, head: { _ in }) { html in
            html.element("main", [.text("id", "story"), .text("class", "story-sheet")]) { html in
                html.element("h1", text: "The API of Waymark \(Release.version)")
                html.element("p") { html in
                    html.text("The same for programs: ")
                    html.element("a", [.href(WebAddress("/openapi.json"))], text: "OpenAPI 3.1")
                    html.text(" and ")
                    html.element("a", [.href(WebAddress("/openapi-3.0.json"))], text: "OpenAPI 3.0")
                    html.text(
                        ". In the examples, HOST is the address of this service and TOKEN a token or key. Errors are "
                            + "application/problem+json (RFC 9457), with what is wrong and what to do."
                    )
                }
                writeContents(to: &html)
                for (number, tag) in description.tags.enumerated() { write(tag, number: number, to: &html) }
            }
        }
    }

    private func writeContents(to html: inout HTMLWriter) {
        html.element("nav", [.text("aria-label", "Chapters")]) { html in
            html.element("ul") { html in
                for (number, tag) in description.tags.enumerated() {
                    html.element("li") { html in
                        html.element("a", [.href(WebAddress("/docs#chapter-\(number)"))], text: tag.name)
                        html.text(": \(tag.description)")
                    }
                    html.markup("\n")
                }
            }
        }
    }

    private func write(_ tag: APITag, number: Int, to html: inout HTMLWriter) {
        html.element("section", [.text("aria-labelledby", "chapter-\(number)")]) { html in
            html.element("h2", [.text("id", "chapter-\(number)")], text: tag.name)
            html.element("p", text: tag.description)
            for endpoint in endpoints where APITag.of(endpoint.path, among: description.tags)?.name == tag.name {
                html.markup("\n")
                html.element("article", [.text("id", endpoint.name)]) { html in write(endpoint, to: &html) }
            }
        }
    }

    private func write(_ endpoint: Endpoint, to html: inout HTMLWriter) {
        html.element("h3") { html in
            html.element("code", text: "\(endpoint.method.rawValue) \(endpoint.path)")
        }
        html.element("p", text: endpoint.summary)
        html.element("p", text: APIPage.access(of: endpoint))
        writeParameters(of: endpoint, to: &html)
        html.element("pre") { html in html.element("code", text: curl(endpoint)) }
        html.element("ul") { html in
            for success in endpoint.success {
                html.element("li") { html in
                    html.element("code", text: String(success.status.code))
                    html.text(" \(success.description) ")
                    let hasBody = success.schema != nil || success.mediaType != MediaType.json
                    if hasBody { html.text("(\(([success.mediaType] + success.otherTypes).joined(separator: ", ")))") }
                }
            }
            for refusal in endpoint.refusals {
                html.element("li") { html in
                    html.element("code", text: String(refusal.status.code))
                    html.text(" \(refusal.description)")
                }
            }
        }
        writeAnswer(of: endpoint, to: &html)
    }

    private func writeAnswer(of endpoint: Endpoint, to html: inout HTMLWriter) {
        guard let answer = endpoint.success.first, let schema = answer.schema, answer.mediaType.contains("json") else {
            return
        }
        html.element("details") { html in
            html.element("summary", text: "An answer")
            html.element("pre") { html in html.element("code", text: json(schema)) }
        }
    }

    private static func access(of endpoint: Endpoint) -> String {
        let scope = endpoint.scope.map { " with the scope \($0.rawValue)" } ?? ""
        return switch endpoint.access {
        case .anyone: endpoint.scope == nil ? "For everybody." : "For everybody; a token is for a user\(scope)."
        case .user: "For users, with a token\(scope)."
        case .service: "For an app's backend, with a key\(scope)."
        case .operators: "For operators, with a token or key\(scope)."
        case .link: "For the holder of a share link, with its secret as the token."
        }
    }

    private func writeParameters(of endpoint: Endpoint, to html: inout HTMLWriter) {
        let declared = endpoint.parameters.declarations
        guard !declared.isEmpty else { return }
        html.element("details") { html in
            html.element("summary", text: declared.count == 1 ? "1 parameter" : "\(declared.count) parameters")
            html.element("dl", [.text("class", "story-facts")]) { html in
                for parameter in declared {
                    html.element("div") { html in
                        html.element("dt") { html in html.element("code", text: parameter.name) }
                        html.element("dd", text: (parameter.isRequired ? "Required. " : "") + parameter.description)
                    }
                }
            }
        }
    }

    /// Returns a request by curl.
    private func curl(_ endpoint: Endpoint) -> String {
        var path = endpoint.path
        for name in endpoint.pathNames { path = path.replacing("{\(name)}", with: name.uppercased()) }
        let query = endpoint.parameters.declarations.filter(\.isRequired)
            .map { parameter in
                let value = description.examples.example(of: parameter.schema, named: parameter.name)
                return "\(parameter.name)=\(APIPage.text(value).replacing(" ", with: "%20"))"
            }
        let address =
            (url.isEmpty ? "https://HOST" : url) + path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        var words = ["curl"]
        if endpoint.method != .get { words.append("-X \(endpoint.method.rawValue)") }
        if endpoint.access != .anyone { words.append("-H 'Authorization: Bearer TOKEN'") }
        if let body = endpoint.body {
            words.append("-H 'Content-Type: \(body.mediaType)'")
            let isJSON = body.mediaType == MediaType.json
            words.append(
                isJSON ? "-d '\(json(.named(body.schema)).replacing("'", with: "'\\''"))'" : "--data-binary @FILE"
            )
        }
        return (words + ["'\(address)'"]).joined(separator: " ")
    }

    private func json(_ schema: Schema) -> String {
        var json = JSONWriter(capacity: 500)
        json.value(description.examples.example(of: schema))
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private static func text(_ value: JSONValue) -> String {
        if let text = value.string { return text }
        if let whole = value.integer { return String(whole) }
        if let number = value.number { return String(number) }
        if let items = value.array { return items.map(text).joined(separator: ",") }
        return value.bool.map { $0 ? "true" : "false" } ?? ""
    }
}

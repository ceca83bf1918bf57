import Formats
import HTTPTypes

/// An operation of the OpenAPI document.
struct TwinOperation: Sendable {
    /// A parameter of the query.
    struct Parameter: Sendable {
        let name: String
        let schema: JSONValue
        let isRequired: Bool
        let isList: Bool
    }

    let method: HTTPRequest.Method
    let path: String
    /// The names of the varying parts of the path.
    let pathNames: [String]
    let query: [Parameter]
    /// The header fields it reads.
    let headers: [String]
    let body: JSONValue?
    /// Whether it answers without a token too.
    let isOpen: Bool
    /// The scopes it needs.
    let scopes: [String]

    /// Its name in reports and tables.
    var name: String { "\(method.rawValue) \(path)" }

    /// Whether it changes what is one's own, rather than how one sees what is others'.
    var isOwnersChange: Bool {
        method != .get && !["/hide", "/report", "/favourite", "/viewed"].contains { path.hasSuffix($0) }
    }

    /// Every operation of a document, in the order of their paths.
    static func all(in document: JSONValue) throws -> [TwinOperation] {
        var operations: [TwinOperation] = []
        for (path, methods) in (document["paths"]?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            for (method, operation) in (methods.object ?? [:]).sorted(by: { $0.key < $1.key }) {
                operations.append(try TwinOperation(method: method, path: path, operation))
            }
        }
        guard !operations.isEmpty else { throw TwinFault("The document has no operations.") }
        return operations
    }

    private init(method: String, path: String, _ operation: JSONValue) throws {
        guard let method = HTTPRequest.Method(method.uppercased()) else { throw TwinFault("\(method) is no method") }
        self.method = method
        self.path = path
        let parameters = operation["parameters"]?.array ?? []
        func names(in place: String) -> [String] {
            parameters.filter { $0["in"]?.string == place }.compactMap { $0["name"]?.string }
        }
        pathNames = names(in: "path")
        headers = names(in: "header")
        query = parameters.filter { $0["in"]?.string == "query" }
            .map { parameter in
                let schema = parameter["schema"] ?? .null
                let isList = schema["type"]?.string == "array"
                return Parameter(
                    name: parameter["name"]?.string ?? "",
                    schema: isList ? schema["items"] ?? .null : schema,
                    isRequired: parameter["required"]?.bool == true,
                    isList: isList
                )
            }
        let content = operation["requestBody"]?["content"]?.object ?? [:]
        body = content.sorted { $0.key < $1.key }.first?.value["schema"]
        let security = operation["security"]?.array ?? []
        isOpen = security.isEmpty || security.contains { $0.object?.isEmpty == true }
        scopes = security.compactMap { $0["bearer"]?.array }.flatMap { $0.compactMap(\.string) }
    }
}

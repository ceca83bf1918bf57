import HTTPTypes

/// Which methods the addresses of the service answer: for 405, whatever the method (RFC 9110 §15.5.6).
struct AllowedMethods: Sendable {
    private struct Entry: Sendable {
        let segments: [Substring]
        let list: String
    }

    private let entries: [Entry]

    /// Collects the methods of paths, each with `{name}` for a part that varies.
    init(_ routes: [(path: String, method: HTTPRequest.Method)]) {
        entries = Dictionary(grouping: routes, by: \.path)
            .map { path, routes in
                Entry(segments: path.split(separator: "/"), list: AllowedMethods.list(routes.map(\.method)))
            }
            // What is spelt out goes before what varies.
            .sorted { a, b in
                let (left, right) = (a.segments.map(AllowedMethods.order), b.segments.map(AllowedMethods.order))
                return left.lexicographicallyPrecedes(right)
            }
    }

    /// The methods that a path answers, for `Allow`; `nil` when it is none of the service's.
    func list(for path: String) -> String? {
        let parts = path.split(separator: "/")
        return entries.first { entry in
            entry.segments.count == parts.count
                && zip(entry.segments, parts).allSatisfy { AllowedMethods.matches($0, $1) }
        }?
        .list
    }

    /// Methods as `Allow` lists them, with those that the service adds.
    static func list(_ methods: [HTTPRequest.Method]) -> String {
        let all = methods + (methods.contains(.get) ? [.head] : []) + [.options]
        return Set(all.map(\.rawValue)).sorted().joined(separator: ", ")
    }

    private static func order(_ segment: Substring) -> String { segment.contains("{") ? "1" : "0" + segment }

    /// Whether a part of a path fits a segment such as `stories`, `{id}` or `{y}.mvt`.
    private static func matches(_ segment: Substring, _ part: Substring) -> Bool {
        guard let open = segment.firstIndex(of: "{"), let close = segment.firstIndex(of: "}") else {
            return segment == part
        }
        let (prefix, suffix) = (segment[..<open], segment[segment.index(after: close)...])
        return part.count > prefix.count + suffix.count && part.hasPrefix(prefix) && part.hasSuffix(suffix)
    }
}

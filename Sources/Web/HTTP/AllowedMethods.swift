package import HTTPTypes

/// The methods that each path of the service supports, for answering other methods with 405 (RFC 9110 §15.5.6).
package struct AllowedMethods: Sendable {
    private struct Entry: Sendable {
        let segments: [Substring]
        let list: String
    }

    private let entries: [Entry]

    /// Collects the methods of paths in which `{name}` marks a variable part.
    package init(_ routes: [(path: String, method: HTTPRequest.Method)]) {
        entries = Dictionary(grouping: routes, by: \.path)
            .map { path, routes in
                Entry(segments: path.split(separator: "/"), list: AllowedMethods.list(routes.map(\.method)))
            }
            // Literal segments take precedence over variable ones.
            .sorted { a, b in
                let (left, right) = (a.segments.map(AllowedMethods.order), b.segments.map(AllowedMethods.order))
                return left.lexicographicallyPrecedes(right)
            }
    }

    /// Returns the `Allow` value for a path, or `nil` if the service has no such path.
    package func list(for path: String) -> String? {
        let parts = path.split(separator: "/")
        return entries.first { entry in
            entry.segments.count == parts.count
                && zip(entry.segments, parts).allSatisfy { AllowedMethods.matches($0, $1) }
        }?
        .list
    }

    /// Returns the `Allow` value for a route's methods, including HEAD and OPTIONS, which the service adds.
    package static func list(_ methods: [HTTPRequest.Method]) -> String {
        let all = methods + (methods.contains(.get) ? [.head] : []) + [.options]
        return Set(all.map(\.rawValue)).sorted().joined(separator: ", ")
    }

    private static func order(_ segment: Substring) -> String { segment.contains("{") ? "1" : "0" + segment }

    /// Returns whether a part of a path matches a segment such as `stories`, `{id}` or `{y}.mvt`.
    private static func matches(_ segment: Substring, _ part: Substring) -> Bool {
        guard let open = segment.firstIndex(of: "{"), let close = segment.firstIndex(of: "}") else {
            return segment == part
        }
        let (prefix, suffix) = (segment[..<open], segment[segment.index(after: close)...])
        return part.count > prefix.count + suffix.count && part.hasPrefix(prefix) && part.hasSuffix(suffix)
    }
}

package import Library
import HTTPTypes

extension VersionNames {
    /// Returns version names that are strong ETags of a subject's encoded bytes; they are matched against values of
    /// `If-Match`.
    package static func entityTags(of bytes: @escaping @Sendable (Subject) -> [UInt8]) -> VersionNames {
        VersionNames(
            name: { EntityTag.strong(bytes($0)) },
            fits: { EntityTag.matches($0, $1, weakly: false) }
        )
    }
}

extension Call {
    /// Returns the client's `If-Match` (RFC 9110 §13.1.1) as a precondition, or `nil` without that header.
    package func precondition<Subject>(_ names: VersionNames<Subject>) -> Precondition<Subject>? {
        headers[.ifMatch].map { Precondition(demand: $0, names: names) }
    }
}

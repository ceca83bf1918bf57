/// A pattern of LIKE: `%` stands for any characters, `_` for one, and a backslash takes the next one literally.
package struct LikePattern: Hashable, Sendable {
    private enum Part: Hashable, Sendable {
        case scalar(Unicode.Scalar)
        case one
        case any
    }

    private let parts: [Part]

    /// Creates a pattern from its text.
    package init(_ text: String) {
        var parts: [Part] = []
        var isLiteral = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case _ where isLiteral:
                parts.append(.scalar(scalar))
                isLiteral = false
            case "\\": isLiteral = true
            // Several in a row mean the same as one.
            case "%": if parts.last != .any { parts.append(.any) }
            case "_": parts.append(.one)
            default: parts.append(.scalar(scalar))
            }
        }
        if isLiteral { parts.append(.scalar("\\")) }
        self.parts = parts
    }

    /// Returns whether the whole text matches; `nil` if that takes more than `steps`, from which the work is taken.
    ///
    /// Only the last `%` is ever tried again, so the work is at most the product of both lengths.
    func matches(_ text: [Unicode.Scalar], steps: inout Int) -> Bool? {
        var (at, part) = (0, 0)
        var retry: (at: Int, part: Int)?
        while at < text.count {
            steps -= 1
            guard steps >= 0 else { return nil }
            if part < parts.count, parts[part] == .any {
                part += 1
                retry = (at, part)
            } else if part < parts.count, parts[part] == .one || parts[part] == .scalar(text[at]) {
                at += 1
                part += 1
            } else if let last = retry {
                retry = (last.at + 1, last.part)
                (at, part) = (last.at + 1, last.part)
            } else {
                return false
            }
        }
        return parts[part...].allSatisfy { $0 == .any }
    }
}

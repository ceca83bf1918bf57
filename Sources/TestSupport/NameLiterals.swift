public import Stories

/// Allows tests to write names as literals; an invalid name stops the process immediately.
extension DisplayName: ExpressibleByStringLiteral {
    /// Creates a name from a literal, which must be valid.
    public init(stringLiteral text: String) {
        guard let name = DisplayName(text, maxBytes: StoryLimits.nameLength) else {
            preconditionFailure("\"\(text)\" \(DisplayName.rule())")
        }
        self = name
    }
}

public import Stories

/// Lets tests write names as literals; one that is no name ends the test at once.
extension DisplayName: ExpressibleByStringLiteral {
    /// Creates the name of a literal.
    public init(stringLiteral text: String) {
        guard let name = DisplayName(text, maxBytes: StoryLimits.nameLength) else {
            preconditionFailure("\"\(text)\" \(DisplayName.rule())")
        }
        self = name
    }
}

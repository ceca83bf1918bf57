/// A problem with one field of an input.
package struct FieldProblem: Hashable, Sendable {
    /// The path of the field, levels separated by dots; empty for the input itself.
    package let field: String
    /// The problem and the expected form, worded to follow the field's name in a sentence.
    package let message: String

    /// Creates a value from its parts.
    package init(field: String, message: String) {
        self.field = field
        self.message = message
    }
}

extension [FieldProblem] {
    /// Returns these problems, followed by the `others` whose field neither has a problem here nor is part of a field
    /// that has one.
    package func adding(_ others: [FieldProblem]) -> [FieldProblem] {
        self
            + others.filter { other in
                !contains { problem in
                    problem.field.isEmpty || other.field == problem.field
                        || other.field.hasPrefix(problem.field + ".") || other.field.hasPrefix(problem.field + "[")
                }
            }
    }
}

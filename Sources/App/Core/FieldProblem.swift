/// Says what is wrong with one field of an input.
struct FieldProblem: Hashable, Sendable {
    /// The field, dots between levels; empty for the input itself.
    let field: String
    /// The fault and the expected form, to follow the field's name in a sentence.
    let message: String
}

extension [FieldProblem] {
    /// These problems, and those of `others` about fields that none of these covers.
    func adding(_ others: [FieldProblem]) -> [FieldProblem] {
        self
            + others.filter { other in
                !contains { problem in
                    problem.field.isEmpty || other.field == problem.field
                        || other.field.hasPrefix(problem.field + ".") || other.field.hasPrefix(problem.field + "[")
                }
            }
    }
}

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
    /// Returns these problems and the `others` whose field neither has a problem here nor is part of a field that has
    /// one; those of one part of the input stand together.
    package func adding(_ others: [FieldProblem]) -> [FieldProblem] {
        let all =
            self
            + others.filter { other in
                !contains { problem in
                    problem.field.isEmpty || other.field == problem.field
                        || other.field.hasPrefix(problem.field + ".") || other.field.hasPrefix(problem.field + "[")
                }
            }
        return all.grouped
    }

    /// The problems by the parts of the input, in the order in which these first occur, and in a list by its entries.
    ///
    /// The schema and the rules each report a part of the problems; a reader looks for those of one place together.
    private var grouped: [FieldProblem] {
        var order: [Substring: Int] = [:]
        let keys = map { problem -> (part: Int, entry: Int) in
            let name = problem.field.prefix { $0 != "." && $0 != "[" }
            let part = order[name, default: order.count]
            order[name] = part
            let rest = problem.field.dropFirst(name.count)
            let entry = rest.first == "[" ? Int(rest.dropFirst().prefix { $0 != "]" }) : nil
            return (part, entry ?? 0)
        }
        // The offset keeps the order of those that are equal otherwise.
        return indices.sorted { (keys[$0].part, keys[$0].entry, $0) < (keys[$1].part, keys[$1].entry, $1) }
            .map { self[$0] }
    }
}

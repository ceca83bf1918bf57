import Library
import Formats
package import Stories

extension Call {
    /// Reads a display name from a field of the body, applying `normalized` before the name is checked.
    ///
    /// - Throws: ``Problem`` that names the field and the violated rule.
    package func displayName(
        _ field: String,
        maxBytes: Int = StoryLimits.nameLength,
        normalized: (String) -> String = { $0 }
    ) throws -> DisplayName {
        do {
            return try DisplayName(normalized(body?[field]?.string ?? ""), in: field, maxBytes: maxBytes)
        } catch {
            throw Problem.body([FieldProblem(error)])
        }
    }
}

extension FieldProblem {
    /// Creates the problem for a field that contained a rejected display name.
    package init(_ refusal: DisplayName.Refusal) { self.init(field: refusal.field, message: refusal.message) }
}

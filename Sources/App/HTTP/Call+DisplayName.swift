import Library
import Formats
import Stories

extension Call {
    /// Reads the name in a field of the body, after `normalized` has put right what it can.
    ///
    /// - Throws: ``Problem`` with the field and the rule of names.
    func displayName(
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
    /// Names the field that a name was refused in.
    init(_ refusal: DisplayName.Refusal) { self.init(field: refusal.field, message: refusal.message) }
}

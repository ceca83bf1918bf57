import Formats
import Stories

/// What a client sent to have a story made, with everything that can be prepared before the transaction.
package struct StoryDraft: Sendable {
    let id: StoryID
    let owner: UserID
    let body: JSONValue
    let clientID: String?
    let location: StoryLocation?
    /// What is wrong with the body by its shape, and with its location.
    let problems: [FieldProblem]
    let createdAt: Timestamp
    /// The digest of `body`.
    let digest: [UInt8]
}

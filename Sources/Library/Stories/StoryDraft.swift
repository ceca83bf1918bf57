import Formats
import Stories

/// A client's request to create a story, with everything that can be prepared before the transaction.
package struct StoryDraft: Sendable {
    let id: StoryID
    let owner: UserID
    let body: JSONValue
    let clientID: String?
    let location: StoryLocation?
    /// The problems of the body's shape and of its location.
    let problems: [FieldProblem]
    let createdAt: Timestamp
    /// The digest of `body`.
    let digest: [UInt8]
}

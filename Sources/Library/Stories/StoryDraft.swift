import Formats
import Stories

/// A client's request to create a story, with everything that can be prepared before the transaction.
package struct StoryDraft: Sendable {
    let id: StoryID
    let owner: UserID
    let body: JSONValue
    let clientID: String?
    let place: Place
    /// The problems of the body's shape, of its location and of its places.
    let problems: [FieldProblem]
    let createdAt: Timestamp
    /// The digest of `body`.
    let digest: [UInt8]

    /// Where the story happened.
    struct Place: Sendable {
        var location: StoryLocation?
        /// The places besides the location; `nil` if the body says nothing of them.
        var further: [StoryPlace]?
    }
}

import Crypto
import Formats
import Notifications
import Stories

/// The keys and digests by which a repeated request to create a story is recognized.
///
/// For a deleted story only keyed values are kept, so that the content of the request cannot be found by guessing.
package struct CreationKeys: Sendable {
    private let secret: [UInt8]

    init(secret: [UInt8]) { self.secret = secret }

    /// Returns the digest of a request's body.
    static func digest(of body: JSONValue) -> [UInt8] {
        var json = JSONWriter()
        json.value(body)
        return Array(SHA256.hash(data: json.bytes))
    }

    /// Returns the key of the request that created a deleted story, from the digest of the request's body.
    func creation(_ digest: [UInt8]) -> String {
        KeyedID.make(secret: secret, message: Array("creation|".utf8) + digest).description
    }

    /// Returns the key of the id that the client had given a deleted story.
    func client(_ clientID: String, of owner: UserID) -> String {
        KeyedID.make(secret: secret, message: Array("client|\(owner.rawValue)|\(clientID)".utf8)).description
    }
}

import Crypto
import Formats
import Notifications
import Stories

/// What is kept of a client's request to make a story, so that a repetition of it is known as one.
///
/// When the story is deleted, keyed values alone are kept: nobody finds the words of the request by trying.
package struct CreationKeys: Sendable {
    private let secret: [UInt8]

    init(secret: [UInt8]) { self.secret = secret }

    /// The digest of a request's body.
    static func digest(of body: JSONValue) -> [UInt8] {
        var json = JSONWriter()
        json.value(body)
        return Array(SHA256.hash(data: json.bytes))
    }

    /// The key of a request whose story is deleted, by the digest of its body.
    func creation(_ digest: [UInt8]) -> String {
        KeyedID.make(secret: secret, message: Array("creation|".utf8) + digest).description
    }

    /// The key of a client's own id of a story that is deleted.
    func client(_ clientID: String, of owner: UserID) -> String {
        KeyedID.make(secret: secret, message: Array("client|\(owner.rawValue)|\(clientID)".utf8)).description
    }
}

public import Library
import Crypto
import Formats
import Storage
import Stories

extension ErasureReceipt {
    /// Returns the signed JSON of the receipt: HMAC-SHA256 with the installation's key over the object without
    /// `signature`.
    public func json(key: [UInt8]) -> [UInt8] {
        let signed = json(signature: nil)
        let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: key))
        return json(
            signature: code.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
        )
    }

    private func json(signature: String?) -> [UInt8] {
        var json = JSONWriter(capacity: 1_000)
        json.beginObject()
        json.member("receipt_id", id.description)
        json.member("what", kind.rawValue)
        json.member("at", RFC3339.format(at))
        json.key("counts")
        json.beginObject()
        for (name, count) in counts { json.member(name, count) }
        json.endObject()
        json.member("overwritten", isOverwritten)
        json.member("note", note)
        if let signature { json.member("signature", signature) }
        json.endObject()
        return json.bytes
    }

    private var note: String {
        switch kind {
        case .account:
            "Everything of the account is deleted, for everybody, and an older backup put back deletes it again."
        case .locationData:
            "What was derived from where you were is deleted and notifications are off. Turned on again, they can tell "
                + "of stories you were told of before: what was told is not remembered any more."
        case .consent: "You are not told of nearby stories any more."
        case .key, .signIn, .signOut, .storyDeleted, .storyPurged, .retention, .takenBack, .counted: ""
        }
    }
}

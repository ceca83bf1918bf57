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
            "All data of the account was deleted for everyone. If an older backup is restored, it is deleted again."
        case .locationData:
            "Everything derived from your positions has been deleted, and notifications are off. If you turn them on "
                + "again, you may be notified of the same stories again, because the record of them has been deleted."
        case .consent: "You are no longer notified of nearby stories."
        case .key, .signIn, .signOut, .storyDeleted, .storyPurged, .retention, .takenBack, .counted, .begun,
            .storyReach, .placeReach, .accountHold, .membership, .invitation, .hide, .channel, .silence:
            ""
        }
    }
}

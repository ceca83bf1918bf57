import Library
import Formats
import Passkeys
import Storage
import Stories

/// Writes passkeys and the questions to devices.
enum PasskeyJSON: Sendable {
    /// Returns one passkey of its owner.
    static func one(_ passkey: StoredPasskey, at party: RelyingParty?) -> [UInt8] {
        var json = JSONWriter(capacity: 300)
        write(passkey, at: party, to: &json)
        return json.bytes
    }

    /// Returns a user's passkeys; `party` is the service as devices know it, `nil` where browsers allow no passkeys.
    static func list(_ passkeys: [StoredPasskey], at party: RelyingParty?) -> [UInt8] {
        var json = JSONWriter(capacity: 300 * (passkeys.count + 1))
        json.beginObject()
        json.key("passkeys")
        json.beginArray()
        for passkey in passkeys { write(passkey, at: party, to: &json) }
        json.endArray()
        json.member("origin", party?.origin)
        json.endObject()
        return json.bytes
    }

    /// Returns the question that signs in.
    static func question(_ question: PasskeyService.Question, at party: RelyingParty) -> [UInt8] {
        var json = JSONWriter(capacity: 600)
        json.beginObject()
        writeMembers(of: question, at: party, to: &json)
        json.endObject()
        return json.bytes
    }

    /// Returns the question for a new passkey.
    static func newQuestion(_ asked: PasskeyService.NewQuestion, at party: RelyingParty) -> [UInt8] {
        var json = JSONWriter(capacity: 2_000)
        json.beginObject()
        writeMembers(of: asked.question, at: party, to: &json)
        json.member("rp_name", "Waymark")
        json.member("user_handle", Base64.encodeURL(asked.handle))
        json.member("user_name", asked.user.id.rawValue)
        json.member("user_display_name", asked.user.name)
        json.key("algorithms")
        json.beginArray()
        for algorithm in PasskeyKey.Algorithm.allCases { json.value(algorithm.rawValue) }
        json.endArray()
        json.member("exclude", asked.known.map { Base64.encodeURL($0) })
        json.endObject()
        return json.bytes
    }

    private static func writeMembers(
        of question: PasskeyService.Question,
        at party: RelyingParty,
        to json: inout JSONWriter
    ) {
        json.member("challenge", Base64.encodeURL(question.challenge))
        json.member("ticket", question.ticket)
        json.member("rp_id", party.id)
        json.member("origin", party.origin)
        json.member("timeout_ms", ChallengeTicket.seconds * 1_000)
    }

    private static func write(_ passkey: StoredPasskey, at party: RelyingParty?, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", passkey.id.description)
        json.member("name", passkey.name)
        json.member("created_at", RFC3339.format(passkey.createdAt))
        json.key("last_used_at")
        json.value(passkey.usedAt.map { RFC3339.format($0) })
        json.member("synced", passkey.isSynced)
        json.member("works_here", passkey.party == party?.id)
        json.endObject()
    }
}

public import Library
public import Formats
public import Storage

/// Writes tokens and keys.
public enum AccountJSON: Sendable {
    /// Returns a token pair as the answer of `POST /v1/tokens/refresh` (RFC 6749 §5.1).
    public static func pair(_ pair: Accounts.Pair) -> [UInt8] {
        var json = JSONWriter(capacity: 800)
        json.beginObject()
        json.member("access_token", pair.access)
        json.member("token_type", "Bearer")
        json.member("expires_in", pair.accessSeconds)
        json.member("refresh_token", pair.refresh)
        json.member("refresh_expires_in", pair.refreshSeconds)
        json.endObject()
        return json.bytes
    }

    /// Writes a key; its text is only included when it has just been created.
    public static func write(_ key: StoredKey, text: String? = nil, to json: inout JSONWriter) {
        json.beginObject()
        writeMembers(of: key, text: text, to: &json)
        json.endObject()
    }

    /// Writes a key as members of the open object.
    static func writeMembers(of key: StoredKey, text: String?, to json: inout JSONWriter) {
        json.member("id", key.id)
        if let text { json.member("key", text) }
        json.member("kind", key.kind.rawValue)
        json.member("name", key.name)
        json.member("device", key.device)
        json.member("scopes", Scope.set(key.scopes).sorted().map(\.rawValue))
        json.member("created_at", RFC3339.format(key.createdAt))
        json.member("expires_at", key.expiresAt.map { RFC3339.format($0) })
        json.member("last_used_at", key.usedAt.map { RFC3339.format($0) })
    }
}

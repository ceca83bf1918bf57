import Formats
public import Stories

extension ChannelTarget {
    /// The fields as the owner may see them again: no key, and of addresses and tokens only what tells them apart.
    ///
    /// A webhook with a signing key also shows `public_key`, by which its signatures are checked.
    public var publicFields: [String: String] {
        var shown: [String: String] = [:]
        switch settings {
        case .webhook(let webhook):
            shown["url"] = ChannelTarget.masked(webhook.address)
            shown["rotated_at"] = webhook.rotatedAt.map(RFC3339.format)
            shown["public_key"] = webhook.keys.lazy.compactMap(\.publicText).first
        case .webPush(let push): shown["endpoint"] = ChannelTarget.masked(push.endpoint)
        case .ntfy(let ntfy):
            shown["url"] = ntfy.server.root
            shown["topic"] = ChannelTarget.masked(ntfy.topic)
        case .gotify(let gotify): shown["url"] = gotify.server.root
        case .apprise(let apprise):
            shown["url"] = apprise.server.root
            shown["tag"] = apprise.tag
        case .email(let email): shown["address"] = email.address
        case .apns(let apns):
            shown["token"] = ChannelTarget.masked(apns.token)
            shown["topic"] = apns.topic
            shown["environment"] = apns.isSandbox ? "sandbox" : "production"
        case .fcm(let fcm): shown["token"] = ChannelTarget.masked(fcm.token)
        }
        return shown
    }

    /// The webhook with new keys of the sorts it has.
    ///
    /// For a day the old ones sign as well. Other kinds stay as they are.
    ///
    /// - Parameters:
    ///   - now: when the keys change.
    ///   - generator: makes the keys, so it must be fit for secrets.
    /// - Returns: the channel to be stored.
    /// - Throws: ``ChannelTargetError`` never in practice: what was valid stays so.
    public func rotated(
        at now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) throws(ChannelTargetError) -> ChannelTarget {
        guard case .webhook = settings else { return self }
        var new = fields
        if let secret = fields["secret"] {
            new["previous_secret"] = secret
            new["secret"] = WebhookKey.newSecret(using: &generator).text
        }
        if let key = fields["signing_key"] {
            new["previous_signing_key"] = key
            new["signing_key"] = WebhookKey.newSigningKey(using: &generator).text
        }
        new["rotated_at"] = RFC3339.format(now)
        return try ChannelTarget(kind: kind, fields: new)
    }

    /// The origin, and the last characters of what follows: addresses of webhooks are often secrets themselves.
    private static func masked(_ address: HTTPAddress) -> String {
        address.rest.isEmpty || address.rest == "/" ? address.origin + "/" : address.origin + "/" + masked(address.rest)
    }

    /// The last four characters of a long text, of a short one nothing.
    private static func masked(_ text: String) -> String { "…" + (text.count >= 16 ? String(text.suffix(4)) : "") }
}

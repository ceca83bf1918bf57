import Formats
public import Stories

extension ChannelTarget {
    /// The fields as shown to the owner: no keys, and only the distinguishing parts of URLs and tokens.
    ///
    /// A webhook with a signing key also shows `public_key`, with which its signatures are verified.
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
        case .mqtt(let broker): shown["topic"] = ChannelTarget.masked(broker.topic)
        }
        return shown
    }

    /// Returns the webhook with its keys replaced by new ones of the same types.
    ///
    /// The old keys keep signing for a day. Other kinds of channel are unchanged.
    ///
    /// - Parameters:
    ///   - now: the time of the change.
    ///   - generator: generates the keys; it must be cryptographically secure.
    /// - Returns: the channel to store.
    /// - Throws: ``ChannelTargetError``, though never in practice: a valid target stays valid.
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

    /// Returns the origin and the last characters of the rest: webhook URLs are often secrets themselves.
    private static func masked(_ address: HTTPAddress) -> String {
        address.rest.isEmpty || address.rest == "/" ? address.origin + "/" : address.origin + "/" + masked(address.rest)
    }

    /// Returns the last four characters of a long text, none of a short one.
    private static func masked(_ text: String) -> String { "…" + (text.count >= 16 ? String(text.suffix(4)) : "") }
}

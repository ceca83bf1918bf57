/// A way of delivering a notification to a person or one of their programs.
public enum ChannelKind: String, CaseIterable, Hashable, Sendable {
    /// A POST to the owner's endpoint, signed according to Standard Webhooks.
    case webhook
    /// A browser push subscription (RFC 8030); also used for UnifiedPush.
    case webPush = "web_push"
    /// A topic of an ntfy server.
    case ntfy
    /// An application on a Gotify server.
    case gotify
    /// A key on an Apprise API server.
    case apprise
    /// E-mail.
    case email
    /// An Apple device, using the operator's key.
    case apns
    /// A device with Google services, using the operator's account.
    case fcm
    /// A topic at the operator's broker (MQTT), such as for Home Assistant.
    case mqtt

    /// Whether an expired notification is dropped on this channel.
    ///
    /// A late webhook message or e-mail is still useful; an alert on a phone after the walk is not.
    public var isExpiring: Bool {
        switch self {
        case .webhook, .email: false
        case .webPush, .ntfy, .gotify, .apprise, .apns, .fcm, .mqtt: true
        }
    }

    /// Whether receivers recognise a message that they have had before, by its id, and drop or replace it.
    ///
    /// Webhooks compare `webhook-id`, ntfy replaces a message of the same sequence, and push services one of the same
    /// topic or id. Gotify and Apprise show every message that they are sent, and what listens to a broker acts on each.
    public var dropsRepeats: Bool {
        switch self {
        case .gotify, .apprise, .mqtt: false
        case .webhook, .webPush, .ntfy, .email, .apns, .fcm: true
        }
    }

    /// Whether a message can be taken back from where it was shown.
    public var takesBack: Bool { self == .ntfy }

    /// Whether the channel needs the operator's credentials; see ``ChannelCredentials``.
    public var needsCredentials: Bool {
        switch self {
        case .webPush, .email, .apns, .fcm, .mqtt: true
        case .webhook, .ntfy, .gotify, .apprise: false
        }
    }

    /// Whether its messages say to which trace they belong.
    ///
    /// Only a receiver that a person or an app runs can do something with it. Push services, mail servers and servers
    /// of third parties would only learn which messages belong together.
    public var carriesTrace: Bool {
        switch self {
        case .webhook: true
        case .webPush, .ntfy, .gotify, .apprise, .email, .apns, .fcm, .mqtt: false
        }
    }
}

/// What happens after an attempt that may have succeeded, at a receiver that cannot drop a repeat.
public enum RepeatChoice: String, CaseIterable, Hashable, Sendable {
    /// The message is not sent again: nobody is notified twice, and a few may miss one.
    case atMostOnce = "at-most-once"
    /// The message is sent again: nobody misses one, and a few may be notified twice.
    case atLeastOnce = "at-least-once"
}

/// All settings of `waymark serve` in the order of the documentation, by subject.
///
/// This is the one table: the file, the environment and the documentation follow it, and a check holds the options of the
/// command line to it.
public enum SettingTable: Sendable {
    /// Settings of one subject.
    public struct Group: Sendable {
        /// The subject.
        public let title: String
        /// The settings.
        public let settings: [Setting]
    }

    /// All subjects.
    public static let groups: [Group] = [
        Group(title: "Listening", settings: listening),
        Group(title: "TLS", settings: encryption),
        Group(title: "Pages and links", settings: pages),
        Group(title: "Limits", settings: limits),
        Group(title: "Database and backups", settings: storing),
        Group(title: "Tokens of another issuer", settings: issuer),
        Group(title: "Signing in with a provider", settings: provider),
        Group(title: "Sending messages", settings: sending),
        Group(title: "A broker of messages (MQTT)", settings: broker),
        Group(title: "Watching", settings: watching),
    ]

    /// All settings.
    public static let all: [Setting] = groups.flatMap(\.settings)

    /// Options of `waymark serve` that are given for one start alone, so that they are no settings.
    public static let optionsOnly: Set<String> = [
        "after-old-copy", "config", "demo", "dev", "help", "quiet", "version",
    ]

    /// Returns the setting with a name.
    public static func setting(_ name: String) -> Setting? { all.first { $0.name == name } }

    private static let listening: [Setting] = [
        Setting("host", .text, standard: "127.0.0.1", "The address to listen on."),
        Setting("port", .integer(0...65_535), standard: "8080", "The port; 0 takes any free one."),
        Setting(
            "trusted-proxy",
            .flag,
            standard: "no",
            "A proxy on this network terminates TLS, adds X-Forwarded-For and has exclusive access to the port."
        ),
        Setting(
            "public-url",
            .text,
            standard: "scheme, host and port",
            address: true,
            "The public URL of the service, for links."
        ),
        Setting(
            "stop-within",
            .duration,
            standard: "30s",
            "How long requests under way may last when the service is stopped."
        ),
    ]

    private static let encryption: [Setting] = [
        Setting(
            "tls-certificate",
            .file,
            reloadable: true,
            "A file with the certificate of the service and those that vouch for it (PEM)."
        ),
        Setting("tls-key", .secretFile, reloadable: true, "A file with the private key of that certificate (PEM)."),
        Setting(
            "hsts",
            .flag,
            standard: "yes, with a certificate",
            inverse: true,
            "With a certificate: browsers ask for this host by TLS alone, for a year. With no they forget it again."
        ),
    ]

    private static let pages: [Setting] = [
        Setting("allow-origin", .list, address: true, "Origins whose pages may send tokens of their users."),
        Setting(
            "media-origin",
            .list,
            address: true,
            "Servers from which the page may load pictures, recordings and videos."
        ),
        Setting(
            "allow-embedding",
            .list,
            address: true,
            "Sites whose pages may show the map of public stories in a frame."
        ),
        Setting("link-scheme", .list, "Schemes of apps that are allowed in the links of notifications."),
        Setting(
            "invitations-make-accounts",
            .flag,
            standard: "yes, unless jwks is given",
            inverse: true,
            "Let the link of an invitation into a family make an account."
        ),
    ]

    private static let limits: [Setting] = [
        Setting(
            "rate-limit",
            .number(1...1e9, orZero: true),
            standard: "500",
            "Units per second for each user, or each address without a token; 0 means no limit. A list costs 5 units."
        ),
        Setting(
            "rate-burst",
            .number(50...1e12, orZero: false),
            standard: "20 times rate-limit",
            "The maximum number of units used at once."
        ),
        Setting(
            "connections-per-address",
            .integer(1...100_000),
            standard: "3000",
            "The maximum number of concurrent connections from one address; not applied with trusted-proxy."
        ),
    ]

    private static let storing: [Setting] = [
        Setting("database", .text, standard: "waymark.db", "The database file."),
        Setting(
            "retention-days",
            .integer(0...100_000),
            standard: "2557",
            "How many days deleted stories are retained, encrypted; 0 keeps none."
        ),
        Setting("warn-below", .size, standard: "1GB", "Warn if the database's disk has less free space."),
        Setting(
            "refuse-below",
            .size,
            standard: "200MB",
            "Store nothing new if the disk has less free space; withdrawals, deletions, revocations and erasures still work."
        ),
        Setting("backup-to", .text, "A folder in which the service makes backups by itself."),
        Setting("backup-every", .text, standard: "24h", "The time between two backups, such as 90m, 24h or 7d."),
        Setting("backup-keep", .integer(1...10_000), standard: "7", "The number of backups that are kept."),
        Setting("backup-passphrase-file", .secretFile, "A file with the passphrase that seals these backups."),
    ]

    private static let issuer: [Setting] = [
        Setting("jwks", .file, "A file with the public keys of an issuer whose tokens are accepted."),
        Setting("issuer", .text, address: true, "The required iss claim of those tokens."),
        Setting("audience", .text, "The required aud claim of those tokens."),
        Setting("trust-scopes", .flag, standard: "no", "Also accept act-as and admin:ops from that issuer."),
    ]

    private static let provider: [Setting] = [
        Setting(
            "oidc-issuer",
            .text,
            address: true,
            "The URL of an OpenID Connect provider, exactly as it names itself."
        ),
        Setting("oidc-client-id", .text, "The id of this service at that provider."),
        Setting("oidc-client-secret-file", .secretFile, "A file with the secret of this service at that provider."),
        Setting("oidc-name", .text, standard: "its host", "The provider's name in the page."),
        Setting("oidc-join", .flag, standard: "no", "Make an account for everybody whom the provider knows."),
    ]

    private static let sending: [Setting] = [
        Setting("allow-http", .flag, standard: "no", "Also allow http URLs for channels."),
        Setting("allow-range", .list, "Ranges of private addresses allowed for channels, such as 192.168.0.0/16."),
        Setting(
            "allow-port",
            .integers(1...65_535),
            "Ports allowed for channels in addition to 443, 8443 and 2197."
        ),
        Setting(
            "uncertain-delivery",
            .word(["at-most-once", "at-least-once"]),
            standard: "at-most-once",
            "What happens after an attempt that may have succeeded, where the receiver cannot drop a repeat."
        ),
        Setting("smtp", .text, address: true, "The mail server, such as smtp://mail.example.org:587."),
        Setting("smtp-user", .text, "The user name for the mail server."),
        Setting("smtp-password-file", .secretFile, "A file with the password for the mail server."),
        Setting("mail-from", .text, "The sender's address for e-mails."),
        Setting("certificates", .file, "A file of certificates (PEM) to trust instead of the system's."),
        Setting(
            "vapid-subject",
            .text,
            address: true,
            "The contact for push services: a mailto: or https: URL; turns Web Push on."
        ),
        Setting("apns-key", .secretFile, "The .p8 file of Apple's push service."),
        Setting("apns-key-id", .text, "The id of that key, ten characters."),
        Setting("apns-team", .text, "The team of that key, ten characters."),
        Setting("fcm-account", .secretFile, "The JSON file of the service account for Firebase Cloud Messaging."),
    ]

    private static let broker: [Setting] = [
        Setting(
            "mqtt",
            .text,
            address: true,
            "The broker from which positions are taken and through which notifications leave, such as "
                + "mqtts://broker.example.org:8883; mqtt:// only on this machine or at a private IP address."
        ),
        Setting("mqtt-user", .text, "The name with which the service signs in at the broker."),
        Setting("mqtt-password-file", .secretFile, "A file with the password for the broker."),
        Setting("mqtt-ca", .file, "A file of certificates (PEM) to trust for the broker instead of the system's."),
        Setting("mqtt-prefix", .text, standard: "waymark", "The beginning of all topics of this service."),
        Setting(
            "mqtt-discovery-prefix",
            .text,
            "The prefix under which Home Assistant looks for entities, usually homeassistant; shows it the channels."
        ),
    ]

    /// The levels of the log.
    public static let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

    private static let watching: [Setting] = [
        Setting(
            "log",
            .word(levels),
            standard: "info",
            reloadable: true,
            "The least level that is written to the log."
        ),
        Setting("log-format", .word(["text", "json"]), standard: "text", "How the log is written."),
        Setting(
            "metrics-port",
            .integer(1...65_535),
            "A port on this machine's own address at which Prometheus reads /metrics without a token."
        ),
        Setting(
            "otlp-endpoint",
            .text,
            address: true,
            "The address of a collector, such as http://127.0.0.1:4318, that gets the spans of requests and deliveries."
        ),
        Setting(
            "trace-host",
            .list,
            address: true,
            "Hosts whose webhooks are those of your own app and learn its backend's traces."
        ),
    ]
}

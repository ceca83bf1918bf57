import Crypto
import CryptoExtras
import Formats

/// What the operator has set up: keys and addresses that channels need beside the owner's own fields.
///
/// Their descriptions say nothing of what they hold.
public struct ChannelCredentials: Sendable, CustomStringConvertible {
    /// The key that browsers' push services know the server by.
    public var vapid: VAPIDKey?
    /// The key of the operator's Apple account.
    public var apns: APNsKey?
    /// The operator's Google account.
    public var fcm: FCMAccount?
    /// Whom e-mails come from.
    public var sender: MailSender?

    /// Creates credentials; what is missing leaves its channel unusable.
    public init(vapid: VAPIDKey? = nil, apns: APNsKey? = nil, fcm: FCMAccount? = nil, sender: MailSender? = nil) {
        self.vapid = vapid
        self.apns = apns
        self.fcm = fcm
        self.sender = sender
    }

    /// Whether a channel of that kind can be used.
    public func allow(_ kind: ChannelKind) -> Bool {
        switch kind {
        case .webPush: vapid != nil
        case .email: sender != nil
        case .apns: apns != nil
        case .fcm: fcm != nil
        case .webhook, .ntfy, .gotify, .apprise: true
        }
    }

    /// The kinds that can be used.
    public var description: String {
        "credentials for " + ChannelKind.allCases.filter(allow).map(\.rawValue).joined(separator: ", ")
    }
}

/// The key pair of Voluntary Application Server Identification (RFC 8292).
public struct VAPIDKey: Sendable, CustomStringConvertible {
    let key: P256.Signing.PrivateKey
    /// Whom a push service can reach: `mailto:` and an address, or an `https` address.
    public let subject: String

    /// Reads a key pair.
    ///
    /// - Parameters:
    ///   - privateKey: the 32 bytes of the private key in base64url.
    ///   - subject: whom a push service can reach.
    /// - Throws: ``ChannelCredentialsError`` naming what is wrong.
    public init(privateKey: String, subject: String) throws {
        guard let bytes = Base64.decode(privateKey), bytes.count == 32,
            let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes)
        else { throw ChannelCredentialsError(field: "vapid_private_key", message: "must be 32 bytes in base64url") }
        self.key = key
        self.subject = try VAPIDKey.checked(subject: subject)
    }

    /// Makes a key pair; the generator must be fit for secrets.
    ///
    /// - Throws: ``ChannelCredentialsError`` for a subject that is none.
    public init(subject: String, using generator: inout some RandomNumberGenerator) throws {
        self.subject = try VAPIDKey.checked(subject: subject)
        // All but some 2^-32 of the 256-bit numbers are private keys.
        key = (try? P256.Signing.PrivateKey(rawRepresentation: generator.bytes(32))) ?? P256.Signing.PrivateKey()
    }

    /// The private key in base64url, for storage.
    public var privateKey: String { Base64.encodeURL(Array(key.rawRepresentation)) }

    /// The public key in base64url, as a browser wants it when it subscribes (`applicationServerKey`).
    public var publicKey: String { Base64.encodeURL(Array(key.publicKey.x963Representation)) }

    /// That it is a key, nothing else.
    public var description: String { "VAPID key" }

    private static func checked(subject: String) throws -> String {
        let isMail = subject.hasPrefix("mailto:") && MailAddress.isValid(String(subject.dropFirst(7)))
        guard isMail || HTTPAddress(subject)?.scheme == "https" else {
            let message = "must be mailto: and an e-mail address, or an https address"
            throw ChannelCredentialsError(field: "vapid_subject", message: message)
        }
        return subject
    }
}

/// The key by which APNs knows the operator.
public struct APNsKey: Sendable, CustomStringConvertible {
    let key: P256.Signing.PrivateKey
    let teamID: String
    let keyID: String

    /// Reads a key.
    ///
    /// - Parameters:
    ///   - teamID: the ten characters of the team.
    ///   - keyID: the ten characters of the key.
    ///   - p8: the text of the `.p8` file.
    /// - Throws: ``ChannelCredentialsError`` naming what is wrong.
    public init(teamID: String, keyID: String, p8: String) throws {
        for (field, text) in [("apns_team_id", teamID), ("apns_key_id", keyID)] {
            let isID = text.utf8.count == 10 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            guard isID else { throw ChannelCredentialsError(field: field, message: "must be ten letters and digits") }
        }
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: p8) else {
            throw ChannelCredentialsError(field: "apns_key", message: "must be the content of the .p8 file (P-256)")
        }
        self.key = key
        self.teamID = teamID
        self.keyID = keyID
    }

    /// That it is a key, nothing else.
    public var description: String { "APNs key" }
}

/// The Google account by which FCM knows the operator.
public struct FCMAccount: Sendable, CustomStringConvertible {
    let key: _RSA.Signing.PrivateKey
    /// The private key's text, from which the groups on the wire are derived.
    let seed: [UInt8]
    let project: String
    let clientEmail: String
    let tokenAddress: String

    /// Where Google hands out access tokens.
    public static let defaultTokenAddress = "https://oauth2.googleapis.com/token"

    /// Reads an account.
    ///
    /// - Parameters:
    ///   - project: the id of the Firebase project.
    ///   - clientEmail: the service account's address.
    ///   - privateKey: its RSA key in PEM.
    ///   - tokenAddress: where access tokens are handed out.
    /// - Throws: ``ChannelCredentialsError`` naming what is wrong.
    public init(
        project: String,
        clientEmail: String,
        privateKey: String,
        tokenAddress: String = FCMAccount.defaultTokenAddress
    ) throws {
        let isProject =
            (1...64).contains(project.utf8.count)
            && project.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        guard isProject else {
            throw ChannelCredentialsError(field: "project_id", message: "must be the id of the Firebase project")
        }
        guard MailAddress.isValid(clientEmail) else {
            throw ChannelCredentialsError(
                field: "client_email",
                message: "must be the service account's e-mail address"
            )
        }
        guard HTTPAddress(tokenAddress)?.scheme == "https" else {
            throw ChannelCredentialsError(field: "token_uri", message: "must be an https address")
        }
        guard let key = try? _RSA.Signing.PrivateKey(pemRepresentation: privateKey) else {
            throw ChannelCredentialsError(field: "private_key", message: "must be an RSA key in PEM, 2048 bits or more")
        }
        self.key = key
        self.seed = Array(privateKey.utf8)
        self.project = project
        self.clientEmail = clientEmail
        self.tokenAddress = tokenAddress
    }

    /// Reads the JSON file that Google's console gives for a service account.
    ///
    /// - Throws: ``ChannelCredentialsError`` naming the member that is wrong.
    public init(file: [UInt8]) throws {
        guard let json = try? JSONValue(parsing: file), json.object != nil else {
            throw ChannelCredentialsError(field: "fcm_account", message: "must be the JSON file of a service account")
        }
        try self.init(
            project: json["project_id"]?.string ?? "",
            clientEmail: json["client_email"]?.string ?? "",
            privateKey: json["private_key"]?.string ?? "",
            tokenAddress: json["token_uri"]?.string ?? FCMAccount.defaultTokenAddress
        )
    }

    /// That it is an account, nothing else.
    public var description: String { "FCM account" }
}

/// Whom e-mails come from.
public struct MailSender: Hashable, Sendable {
    /// The address.
    public let address: String
    /// The name shown beside it; may be empty.
    public let name: String

    /// Creates a sender.
    ///
    /// - Throws: ``ChannelCredentialsError`` for an address that is none, or a name over 100 characters.
    public init(address: String, name: String = "") throws {
        guard MailAddress.isValid(address) else {
            throw ChannelCredentialsError(field: "mail_from", message: "must be an e-mail address in ASCII")
        }
        guard name.count <= 100 else {
            throw ChannelCredentialsError(field: "mail_name", message: "must be at most 100 characters")
        }
        self.address = address
        self.name = name
    }
}

/// What is wrong with the operator's credentials; never their content.
public struct ChannelCredentialsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What they are called.
    public let field: String
    /// What is expected.
    public let message: String

    /// Field and message.
    public var description: String { "\(field): \(message)" }
}

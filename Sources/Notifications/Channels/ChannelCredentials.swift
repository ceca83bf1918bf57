import Crypto
import CryptoExtras
import Formats
public import Stories

/// The operator's keys and addresses that channels need in addition to the owner's fields.
///
/// The descriptions of the credentials reveal no secrets.
public struct ChannelCredentials: Sendable, CustomStringConvertible {
    /// The key that identifies the server to browsers' push services.
    public var vapid: VAPIDKey?
    /// The keys that did so before, the oldest first.
    public var formerVAPID: [FormerVAPIDKey] = []
    /// The key of the operator's Apple account.
    public var apns: APNsKey?
    /// The operator's Google account.
    public var fcm: FCMAccount?
    /// The sender of e-mails.
    public var sender: MailSender?
    /// The beginning of the topics at the operator's broker; `nil` without one.
    public var brokerPrefix: String?

    /// Creates credentials; channels without their credentials are unavailable.
    public init(vapid: VAPIDKey? = nil, apns: APNsKey? = nil, fcm: FCMAccount? = nil, sender: MailSender? = nil) {
        self.vapid = vapid
        self.apns = apns
        self.fcm = fcm
        self.sender = sender
    }

    /// Returns the key for a subscription: push services take only the one that was current when the browser subscribed.
    ///
    /// `subscribedAt` is `nil` for a subscription that is being tried out. A former key whose time has ended is not used.
    public func vapid(subscribedAt: Timestamp?, at now: Timestamp) -> VAPIDKey? {
        guard let vapid, let subscribedAt,
            let former = formerVAPID.filter({ subscribedAt < $0.replacedAt }).min(by: { $0.replacedAt < $1.replacedAt })
        else { return vapid }
        return now < former.until ? former.key : vapid
    }

    /// Returns whether a channel of the given kind can be used.
    public func allow(_ kind: ChannelKind) -> Bool {
        switch kind {
        case .webPush: vapid != nil
        case .email: sender != nil
        case .apns: apns != nil
        case .fcm: fcm != nil
        case .mqtt: brokerPrefix != nil
        case .webhook, .ntfy, .gotify, .apprise: true
        }
    }

    /// The kinds that can be used, without the keys.
    public var description: String {
        "credentials for " + ChannelKind.allCases.filter(allow).map(\.rawValue).joined(separator: ", ")
    }
}

/// The key pair of Voluntary Application Server Identification (RFC 8292).
public struct VAPIDKey: Sendable, CustomStringConvertible {
    let key: P256.Signing.PrivateKey
    /// The contact for push services: a `mailto:` or `https` URL.
    public let subject: String

    /// Parses a key pair.
    ///
    /// - Parameters:
    ///   - privateKey: the 32 bytes of the private key in base64url.
    ///   - subject: the contact for push services.
    /// - Throws: ``ChannelCredentialsError`` naming the invalid field.
    public init(privateKey: String, subject: String) throws {
        guard let bytes = Base64.decode(privateKey), bytes.count == 32,
            let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes)
        else { throw ChannelCredentialsError(field: "vapid_private_key", message: "must be 32 bytes in base64url") }
        self.key = key
        self.subject = try VAPIDKey.checked(subject: subject)
    }

    /// Generates a key pair; the generator must be cryptographically secure.
    ///
    /// - Throws: ``ChannelCredentialsError`` if the subject is invalid.
    public init(subject: String, using generator: inout some RandomNumberGenerator) throws {
        self.subject = try VAPIDKey.checked(subject: subject)
        // About one in 2^32 random 256-bit numbers is not a valid private key; the Crypto library then generates the
        // key itself.
        key = (try? P256.Signing.PrivateKey(rawRepresentation: generator.bytes(32))) ?? P256.Signing.PrivateKey()
    }

    /// The private key in base64url, for storage.
    public var privateKey: String { Base64.encodeURL(Array(key.rawRepresentation)) }

    /// The public key in base64url, as browsers expect it when subscribing (`applicationServerKey`).
    public var publicKey: String { Base64.encodeURL(Array(key.publicKey.x963Representation)) }

    /// The kind of key only.
    public var description: String { "VAPID key" }

    private static func checked(subject: String) throws -> String {
        let isMail = subject.hasPrefix("mailto:") && MailAddress.isValid(String(subject.dropFirst(7)))
        guard isMail || HTTPAddress(subject)?.scheme == "https" else {
            let message = "must be mailto: followed by an e-mail address, or an https address"
            throw ChannelCredentialsError(field: "vapid_subject", message: message)
        }
        return subject
    }
}

/// A key pair that was replaced, and still serves the browsers that subscribed before.
public struct FormerVAPIDKey: Sendable {
    let key: VAPIDKey
    let replacedAt: Timestamp
    let until: Timestamp

    /// Creates a former key: it serves subscriptions from before `replacedAt`, until `until`.
    public init(key: VAPIDKey, replacedAt: Timestamp, until: Timestamp) {
        self.key = key
        self.replacedAt = replacedAt
        self.until = until
    }
}

/// The key that identifies the operator to APNs.
public struct APNsKey: Sendable, CustomStringConvertible {
    let key: P256.Signing.PrivateKey
    let teamID: String
    let keyID: String

    /// Parses a key.
    ///
    /// - Parameters:
    ///   - teamID: the id of the team, ten letters and digits.
    ///   - keyID: the id of the key, ten letters and digits.
    ///   - p8: the text of the `.p8` file.
    /// - Throws: ``ChannelCredentialsError`` naming the invalid field.
    public init(teamID: String, keyID: String, p8: String) throws {
        if let first = APNsKey.objections(teamID: teamID, keyID: keyID).first { throw first }
        key = try APNsKey.key(p8: p8)
        self.teamID = teamID
        self.keyID = keyID
    }

    /// Returns everything that is wrong with a key; without the text of its file, only what is wrong with the ids.
    public static func objections(teamID: String, keyID: String, p8: String? = nil) -> [ChannelCredentialsError] {
        var found: [ChannelCredentialsError] = []
        for (field, text) in [("apns_team", teamID), ("apns_key_id", keyID)] {
            let isID = text.utf8.count == 10 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            if !isID { found.append(ChannelCredentialsError(field: field, message: "must be ten letters and digits")) }
        }
        do throws(ChannelCredentialsError) {
            if let p8 { _ = try key(p8: p8) }
        } catch {
            found.append(error)
        }
        return found
    }

    private static func key(p8: String) throws(ChannelCredentialsError) -> P256.Signing.PrivateKey {
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: p8) else {
            throw ChannelCredentialsError(field: "apns_key", message: "must be the content of the .p8 file (P-256)")
        }
        return key
    }

    /// The kind of key only.
    public var description: String { "APNs key" }
}

/// The Google account that identifies the operator to FCM.
public struct FCMAccount: Sendable, CustomStringConvertible {
    let key: _RSA.Signing.PrivateKey
    /// The private key's text, from which the opaque group names are derived.
    let seed: [UInt8]
    let project: String
    let clientEmail: String
    let tokenAddress: String

    /// The default endpoint for Google access tokens.
    public static let defaultTokenAddress = "https://oauth2.googleapis.com/token"

    /// Parses an account.
    ///
    /// - Parameters:
    ///   - project: the id of the Firebase project.
    ///   - clientEmail: the service account's address.
    ///   - privateKey: its RSA key in PEM.
    ///   - tokenAddress: the endpoint for access tokens.
    /// - Throws: ``ChannelCredentialsError`` naming the invalid field.
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

    /// Parses the JSON file that Google's console provides for a service account.
    ///
    /// - Throws: ``ChannelCredentialsError`` naming the invalid member.
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

    /// The kind of account only.
    public var description: String { "FCM account" }
}

/// The sender of e-mails.
public struct MailSender: Hashable, Sendable {
    /// The address.
    public let address: String
    /// The display name; may be empty.
    public let name: String

    /// Creates a sender.
    ///
    /// - Throws: ``ChannelCredentialsError`` if the address is invalid or the name exceeds 100 characters.
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

/// An error in the operator's credentials, without their content.
public struct ChannelCredentialsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The invalid field.
    public let field: String
    /// The expected value.
    public let message: String

    /// The field and the message.
    public var description: String { "\(field): \(message)" }
}

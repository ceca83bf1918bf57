import Library
import App
import ArgumentParser
import Formats
import Foundation
import Notifications
import Storage
import Web

/// The egress policy of the service, and the operator's keys.
struct SendingOptions: ParsableArguments {
    @Flag(help: "Also allow http URLs for channels; for endpoints in your own network.")
    var allowHttp = false
    @Option(
        name: .customLong("allow-range"),
        help: "A range of private addresses allowed for channels, such as 192.168.0.0/16; may be repeated."
    )
    var ranges: [String] = []
    @Option(
        name: .customLong("allow-port"),
        help: "A port allowed for channels in addition to 443, 8443 and 2197; may be repeated."
    )
    var ports: [Int] = []
    @Option(
        help: """
            What happens after an attempt that may have succeeded, where the receiver cannot drop a repeat (Gotify, \
            Apprise, MQTT): at-most-once notifies nobody twice, at-least-once lets nobody miss a notification.
            """
    )
    var uncertainDelivery = UncertainDelivery.atMostOnce
    @Option(help: "The mail server: smtp://host:587 (STARTTLS), smtps://host:465, or smtp+plain://localhost:25.")
    var smtp: String?
    @Option(help: "The user name for the mail server.")
    var smtpUser: String?
    @Option(help: "A file with the password for the mail server.")
    var smtpPasswordFile: String?
    @Option(help: "The sender's address for e-mails.")
    var mailFrom: String?
    @Option(help: "A file of certificates (PEM) to trust instead of the system's, for your own endpoints.")
    var certificates: String?
    @Option(help: "The contact for push services: a mailto: or https: URL; turns Web Push on.")
    var vapidSubject: String?
    @Option(help: "The .p8 file of Apple's push service; with --apns-key-id and --apns-team.")
    var apnsKey: String?
    @Option(help: "The id of that key, ten characters.")
    var apnsKeyId: String?
    @Option(help: "The team of that key, ten characters.")
    var apnsTeam: String?
    @Option(help: "The JSON file of the service account for Firebase Cloud Messaging.")
    var fcmAccount: String?

    /// Creates the sender that these options describe.
    ///
    /// With `showsRefusals` it reports addresses that it may not dial as such; only an operator may see that.
    func sender(showsRefusals: Bool = false) throws -> OutboundSender {
        try checkCertificates()
        var options = OutboundSender.Options()
        options.showsRefusals = showsRefusals
        options.allowsHTTP = allowHttp
        options.ranges = ranges
        options.ports = Set(ports)
        options.mailServer = smtp
        options.certificates = certificates
        if smtp != nil, mailFrom == nil {
            throw CommandFailure.usage("--smtp needs --mail-from, the sender's address for e-mails.")
        }
        if let smtpUser {
            guard let smtpPasswordFile else {
                throw CommandFailure.usage("--smtp-user needs --smtp-password-file, a file with that user's password.")
            }
            let password = try SendingOptions.text(of: smtpPasswordFile, "--smtp-password-file")
            options.mailLogin = (smtpUser, password.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        do {
            return try OutboundSender(options)
        } catch let refusal as OutboundSender.Refusal {
            throw CommandFailure.usage(refusal.description)
        }
    }

    /// The rules that can be checked without the database.
    var rules: [() throws -> Void] {
        [{ _ = try sender() }, checkTogether, checkContact, checkCredentials] + keyRules
    }

    /// A rule for each thing that is wrong with the key for Apple's push service, so that one does not hide another.
    private var keyRules: [() throws -> Void] {
        guard let apnsKey, let apnsKeyId, let apnsTeam else { return [] }
        let text = try? SendingOptions.text(of: apnsKey, "--apns-key")
        var rules: [() throws -> Void] = []
        for objection in APNsKey.objections(teamID: apnsTeam, keyID: apnsKeyId, p8: text) {
            rules.append { throw SendingOptions.failure(objection) }
        }
        return rules
    }

    /// Rejects options that do nothing without another: somebody who gives them expects something of them.
    private func checkTogether() throws {
        let lonely: [(isGiven: Bool, option: String, other: String, isOtherGiven: Bool)] = [
            (apnsKeyId != nil, "--apns-key-id", "--apns-key", apnsKey != nil),
            (apnsTeam != nil, "--apns-team", "--apns-key", apnsKey != nil),
            (smtpUser != nil, "--smtp-user", "--smtp", smtp != nil),
        ]
        for option in lonely where option.isGiven && !option.isOtherGiven {
            throw CommandFailure.usage("\(option.option) needs \(option.other).")
        }
    }

    private func checkCertificates() throws {
        guard let certificates else { return }
        guard TLSCertificates.hasCertificate(certificates) else {
            throw CommandFailure.usage(
                "--certificates: \(certificates) contains no certificate in PEM. Give a file with lines such as "
                    + "-----BEGIN CERTIFICATE-----."
            )
        }
    }

    private func checkContact() throws {
        do {
            // Any valid key will do: what is checked is the contact.
            let key = Base64.encodeURL([UInt8](repeating: 1, count: 32))
            _ = try vapidSubject.map { try VAPIDKey(privateKey: key, subject: $0) }
        } catch let error as ChannelCredentialsError {
            throw SendingOptions.failure(error)
        }
    }

    private func checkCredentials() throws {
        var others = self
        others.vapidSubject = nil
        _ = try others.credentials { throw CommandFailure.failed("The keys of a database are not needed.") }
    }

    private static func failure(_ error: ChannelCredentialsError) -> CommandFailure {
        .usage("--\(error.field.replacingOccurrences(of: "_", with: "-")): \(error.message).")
    }

    /// Returns the operator's keys; those for Web Push are stored with the database.
    func credentials(_ keys: () throws -> StoreKeys) throws -> ChannelCredentials {
        do {
            var credentials = ChannelCredentials()
            if let vapidSubject {
                let keys = try keys()
                func pair(_ key: [UInt8]) throws -> VAPIDKey {
                    try VAPIDKey(privateKey: Base64.encodeURL(key.prefix(32)), subject: vapidSubject)
                }
                credentials.vapid = try pair(keys[.vapid])
                credentials.formerVAPID = try keys.formers(.vapid)
                    .map { FormerVAPIDKey(key: try pair($0.key), replacedAt: $0.replacedAt, until: $0.until) }
            }
            if let apnsKey {
                guard let apnsKeyId, let apnsTeam else {
                    throw CommandFailure.usage("--apns-key needs --apns-key-id and --apns-team.")
                }
                let text = try SendingOptions.text(of: apnsKey, "--apns-key")
                credentials.apns = try APNsKey(teamID: apnsTeam, keyID: apnsKeyId, p8: text)
            }
            if let fcmAccount {
                credentials.fcm = try FCMAccount(
                    file: Array(try SendingOptions.text(of: fcmAccount, "--fcm-account").utf8)
                )
            }
            if let mailFrom, smtp != nil { credentials.sender = try MailSender(address: mailFrom, name: "Waymark") }
            return credentials
        } catch let error as ChannelCredentialsError {
            throw SendingOptions.failure(error)
        }
    }

    /// Reads a file that an option names.
    static func text(of path: String, _ option: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path), data.count <= 65_536,
            let text = String(data: data, encoding: .utf8)
        else {
            throw CommandFailure.usage(
                "\(option): \(path) cannot be read as text of at most 64 KB; check the path and its permissions."
            )
        }
        return text
    }
}

/// What happens after an attempt that may have succeeded, as an option.
enum UncertainDelivery: String, ExpressibleByArgument, CaseIterable {
    case atMostOnce = "at-most-once"
    case atLeastOnce = "at-least-once"

    var choice: RepeatChoice {
        switch self {
        case .atMostOnce: .atMostOnce
        case .atLeastOnce: .atLeastOnce
        }
    }
}

import App
import ArgumentParser
import Foundation
import OpenID
import Settings
import Stories

/// The OpenID Connect provider of `serve`.
struct ProviderOptions: ParsableArguments {
    @Option(
        name: .customLong("oidc-issuer"),
        help:
            "The URL of an OpenID Connect provider with which people may sign in to the page, exactly as it names itself."
    )
    var issuer: String?
    @Option(name: .customLong("oidc-client-id"), help: "The id of this service at that provider.")
    var clientID: String?
    @Option(
        name: .customLong("oidc-client-secret-file"),
        help: "A file with the secret of this service at that provider; without it, this is a public client."
    )
    var secretFile: String?
    @Option(
        name: .customLong("oidc-name"),
        help: "The provider's name in the page, such as \"Our church\"; by default its host."
    )
    var name: String?
    @Flag(
        name: .customLong("oidc-join"),
        help: "Make an account for everybody whom the provider knows; by default, people need a link or an invitation."
    )
    var joins = false

    /// Returns what these options say; `nil` without a provider.
    ///
    /// - Throws: ``CommandFailure`` if they are inconsistent or wrong.
    func settings(certificates: String?) throws -> ProviderSettings? {
        guard let issuer, let clientID else {
            guard issuer == nil, clientID == nil, secretFile == nil, name == nil, !joins else {
                throw CommandFailure.usage("The options --oidc-… need both --oidc-issuer and --oidc-client-id.")
            }
            return nil
        }
        let url = try ProviderOptions.issuer(issuer)
        guard (1...1_000).contains(clientID.utf8.count), clientID.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw CommandFailure.usage("--oidc-client-id must be 1 to 1000 printable ASCII characters.")
        }
        let most = ProviderSettings.nameBytes
        guard let shown = DisplayName(name ?? String(url.host.prefix(most)), maxBytes: most) else {
            throw CommandFailure.usage("--oidc-name \(DisplayName.rule(maxBytes: most)).")
        }
        let secret = try secretFile.map { file in
            let text = try SendingOptions.text(of: file, "--oidc-client-secret-file")
                .trimmingCharacters(in: .whitespacesAndNewlines)
            guard (1...2_000).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw CommandFailure.usage(
                    "--oidc-client-secret-file: \(file) must contain one line of 1 to 2000 printable ASCII characters."
                )
            }
            return text
        }
        var settings = ProviderSettings(issuer: url, clientID: clientID, secret: secret, name: shown.text)
        settings.joins = joins
        settings.certificates = certificates
        return settings
    }

    /// Parses the URL of an issuer.
    static func issuer(_ text: String) throws -> ProviderURL {
        let shown = excerpt(Setting.shownAddress(text))
        let authority = text.firstRange(of: "://")
            .map { scheme in
                text[scheme.upperBound...].prefix { !"/?#".contains($0) }
            }
        guard authority?.contains("@") != true else {
            throw CommandFailure.usage(
                "--oidc-issuer: \(shown) has a user name before its host, which OpenID Connect forbids in an issuer. Give the "
                    + "address alone, and the secret of this service with --oidc-client-secret-file."
            )
        }
        guard let url = ProviderURL(text), !text.contains("?") else {
            throw CommandFailure.usage(
                "--oidc-issuer: \(shown) is not a URL such as https://login.example.org, without ? and #; http:// "
                    + "only for this machine."
            )
        }
        return url
    }
}

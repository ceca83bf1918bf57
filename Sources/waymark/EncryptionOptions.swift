import ArgumentParser
import Web

/// The certificate of the service.
struct EncryptionOptions: ParsableArguments {
    @Option(
        name: .customLong("tls-certificate"),
        help: "A file with the certificate of the service and those that vouch for it (PEM); with --tls-key."
    )
    var certificate: String?
    @Option(name: .customLong("tls-key"), help: "A file with the private key of that certificate (PEM).")
    var key: String?
    @Flag(
        name: .customLong("hsts"),
        inversion: .prefixedNo,
        help: """
            With a certificate, have browsers ask for this host by TLS alone, for a year; by default yes. --no-hsts has \
            them forget it.
            """
    )
    var strictTransport: Bool?

    /// What answers say to browsers about TLS; nothing without a certificate: then this program does not speak it.
    func rules() throws -> BrowserRules {
        guard try files() != nil else { return BrowserRules() }
        return BrowserRules(encryption: strictTransport ?? true ? .year : .forget)
    }

    /// The files; `nil` without TLS.
    ///
    /// - Throws: ``CommandFailure`` if only one is given.
    func files() throws -> TLSCertificates.Files? {
        guard let certificate, let key else {
            guard certificate == nil, key == nil else {
                throw CommandFailure.usage("--tls-certificate and --tls-key must be given together.")
            }
            guard strictTransport != true else {
                throw CommandFailure.usage(
                    "--hsts needs --tls-certificate: without TLS of its own, the service leaves this to the proxy."
                )
            }
            return nil
        }
        return TLSCertificates.Files(certificate: certificate, key: key)
    }

    /// Loads the certificate; `nil` without TLS.
    ///
    /// - Throws: ``CommandFailure`` if its files cannot be used.
    func certificates() throws -> TLSCertificates? {
        guard let files = try files() else { return nil }
        do {
            return try TLSCertificates(files)
        } catch {
            throw CommandFailure.usage("--\(error.description)")
        }
    }
}

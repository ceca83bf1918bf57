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

    /// The files; `nil` without TLS.
    ///
    /// - Throws: ``CommandFailure`` if only one is given.
    func files() throws -> TLSCertificates.Files? {
        guard let certificate, let key else {
            guard certificate == nil, key == nil else {
                throw CommandFailure.usage("--tls-certificate and --tls-key must be given together.")
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

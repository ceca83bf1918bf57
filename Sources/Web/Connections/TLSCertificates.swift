import Formats
import Foundation
package import Library
public import Logging
import NIOCore
import NIOSSL
public import Stories
import Synchronization

/// The certificate with which the service speaks TLS, as its files say at present.
///
/// If new files are wrong, the certificate in use stays and operators are warned.
public final class TLSCertificates: Sendable {
    /// The files of a certificate.
    public struct Files: Hashable, Sendable {
        /// The path of the certificate and those that vouch for it (PEM).
        public let certificate: String
        /// The path of its private key (PEM).
        public let key: String

        /// Creates a value from its parts.
        public init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// Why files cannot be used.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        /// What is wrong, and what to do.
        public let description: String
    }

    /// A certificate in use.
    private struct Loaded: Sendable {
        let context: NIOSSLContext
        let expiry: Timestamp
        /// The contents of both files, to notice changes; a digest would do, but they are small.
        let contents: [Data]
    }

    private struct State: Sendable {
        var files: Files
        var loaded: Loaded
        /// The contents that were refused last, and why.
        var refused: (contents: [Data], why: Refusal)?
    }

    /// How long before its end operators are warned, in milliseconds: fourteen days.
    private static let warning: Int64 = 14 * 86_400_000
    /// The maximum size of a file in bytes.
    private static let mostBytes = 1_048_576

    private let state: Mutex<State>

    /// Reads the files.
    ///
    /// - Throws: ``Refusal`` if they cannot be used.
    public init(_ files: Files) throws(Refusal) {
        state = Mutex(State(files: files, loaded: try TLSCertificates.load(try TLSCertificates.contents(of: files))))
    }

    /// What new connections use.
    var context: NIOSSLContext { state.withLock { $0.loaded.context } }

    /// When the certificate in use ends.
    package var expiry: Timestamp { state.withLock { $0.loaded.expiry } }

    /// Reads the files again if they changed, from other paths if some are given; says in the log what came of it.
    public func reload(from given: Files? = nil, at now: Timestamp, logger: Logger) {
        let files = given ?? state.withLock { $0.files }
        var contents: [Data] = []
        do throws(Refusal) {
            contents = try TLSCertificates.contents(of: files)
            guard isNew(contents, of: files) else { return }
            let loaded = try TLSCertificates.load(contents)
            guard loaded.expiry > now || expiry <= now else {
                throw Refusal(description: "tls-certificate: the certificate has ended. Renew it.")
            }
            state.withLock { $0 = State(files: files, loaded: loaded) }
            logger.info(
                "new connections use the new certificate",
                metadata: ["until": "\(RFC3339.format(loaded.expiry))"]
            )
        } catch {
            refuse(contents, error, logger)
        }
    }

    /// Returns whether contents are neither in use nor refused already.
    private func isNew(_ contents: [Data], of files: Files) -> Bool {
        state.withLock { state in
            guard state.loaded.contents != contents else {
                (state.files, state.refused) = (files, nil)
                return false
            }
            return state.refused?.contents != contents
        }
    }

    private func refuse(_ contents: [Data], _ why: Refusal, _ logger: Logger) {
        let isNew = state.withLock { state in
            defer { state.refused = (contents, why) }
            return state.refused?.why != why
        }
        guard isNew else { return }
        logger.warning("the certificate in use stays, because the new one was refused", metadata: ["why": "\(why)"])
    }

    /// What operators should look at.
    package func warnings(at now: Timestamp) -> [ReadinessWarning] {
        let state = state.withLock { $0 }
        var warnings: [ReadinessWarning] = []
        if let why = state.refused?.why {
            let detail = "The files of the certificate changed and were refused, so the old one stays in use: \(why)"
            warnings.append(ReadinessWarning(code: "tls-certificate-refused", detail: detail))
        }
        let left = state.loaded.expiry.milliseconds - now.milliseconds
        if left < TLSCertificates.warning {
            let when = left <= 0 ? "has ended" : "ends in \((left + 86_399_999) / 86_400_000) days"
            let detail = "The certificate of the service \(when). Renew it; the new files are noticed within a minute."
            warnings.append(ReadinessWarning(code: "tls-certificate-expires", detail: detail))
        }
        return warnings
    }

    private static func contents(of files: Files) throws(Refusal) -> [Data] {
        var contents: [Data] = []
        for (path, option) in [(files.certificate, "tls-certificate"), (files.key, "tls-key")] {
            guard let data = FileManager.default.contents(atPath: path), data.count <= mostBytes else {
                throw Refusal(description: "\(option): \(path) cannot be read. Check its path and its permissions.")
            }
            contents.append(data)
        }
        return contents
    }

    /// The cipher suites of TLS 1.2; the client's order decides among them.
    ///
    /// Those that RFC 9325, section 4.2, recommends, with forward secrecy and authenticated encryption, and ChaCha20 for
    /// phones without AES in hardware (RFC 7905). NIOSSL's default list also has RSA key exchange and CBC. The suites of
    /// TLS 1.3 are all of this kind.
    private static let suites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    ]

    /// Returns whether a file has at least one certificate in PEM.
    public static func hasCertificate(_ path: String) -> Bool {
        guard let data = FileManager.default.contents(atPath: path) else { return false }
        return ((try? NIOSSLCertificate.fromPEMBytes(Array(data))) ?? []).isEmpty == false
    }

    private static func load(_ contents: [Data]) throws(Refusal) -> Loaded {
        let chain: [NIOSSLCertificate]
        let key: NIOSSLPrivateKey
        do { chain = try NIOSSLCertificate.fromPEMBytes(Array(contents[0])) } catch { chain = [] }
        guard let leaf = chain.first else {
            throw Refusal(description: "tls-certificate: the file contains no certificate in PEM.")
        }
        do { key = try NIOSSLPrivateKey(bytes: Array(contents[1]), format: .pem) } catch {
            throw Refusal(description: "tls-key: the file contains no private key in PEM without a passphrase.")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = suites
        configuration.applicationProtocols = ["http/1.1"]
        configuration.shutdownTimeout = .seconds(2)
        let context: NIOSSLContext
        do { context = try NIOSSLContext(configuration: configuration) } catch {
            throw Refusal(description: "tls-key: the key does not belong to the certificate, or is of an unknown kind.")
        }
        let expiry = Timestamp(milliseconds: Int64(leaf.notValidAfter) * 1_000)
        return Loaded(context: context, expiry: expiry, contents: contents)
    }
}

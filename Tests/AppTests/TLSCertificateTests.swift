import Foundation
import Library
import Logging
import Stories
import TestSupport
import Testing
import Web

/// The certificate of the service: loaded, renewed and refused.
@Suite("TLS certificates")
struct TLSCertificateTests {
    private let folder: TemporaryFolder
    private let logger: Logger

    init() throws {
        folder = try TemporaryFolder()
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        self.logger = logger
    }

    /// Makes a certificate that signs itself, by openssl.
    private func make(_ name: String, days: Int) throws -> TLSCertificates.Files {
        let files = TLSCertificates.Files(certificate: folder.path(name + ".pem"), key: folder.path(name + ".key"))
        let arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
            "/CN=localhost", "-days", "\(days)", "-keyout", files.key, "-out", files.certificate,
        ]
        try #require(try ProgramRun("openssl", arguments, showsErrors: false).status == 0)
        return files
    }

    private func replace(_ files: TLSCertificates.Files, by other: TLSCertificates.Files) throws {
        for (old, new) in [(files.certificate, other.certificate), (files.key, other.key)] {
            try Data(contentsOf: URL(filePath: new)).write(to: URL(filePath: old))
        }
    }

    private var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }

    @Test(
        "A renewed certificate is taken over; one that is wrong is refused, warned of, and forgotten when it is right"
    )
    func renewal() throws {
        let (first, second, other) = (try make("a", days: 60), try make("b", days: 90), try make("c", days: 90))
        let certificates = try TLSCertificates(first)
        let expiry = certificates.expiry
        #expect(certificates.warnings(at: now).isEmpty)
        // The key of another certificate.
        try replace(first, by: TLSCertificates.Files(certificate: second.certificate, key: other.key))
        certificates.reload(at: now, logger: logger)
        #expect(certificates.expiry == expiry)
        #expect(certificates.warnings(at: now).map(\.code) == ["tls-certificate-refused"])
        try FileManager.default.removeItem(atPath: first.key)
        certificates.reload(at: now, logger: logger)
        #expect(certificates.expiry == expiry)
        try replace(first, by: second)
        certificates.reload(at: now, logger: logger)
        #expect(certificates.expiry.milliseconds > expiry.milliseconds)
        #expect(certificates.warnings(at: now).isEmpty)
    }

    @Test("Operators are warned fourteen days before the end, and after it; an ended one replaces no other")
    func expiry() throws {
        let certificates = try TLSCertificates(make("a", days: 60))
        let end = certificates.expiry
        func codes(_ days: Int64) -> [String] {
            certificates.warnings(at: end.advanced(byMilliseconds: -days * 86_400_000)).map(\.code)
        }
        #expect(codes(15).isEmpty)
        #expect(codes(13) == ["tls-certificate-expires"])
        #expect(codes(-1) == ["tls-certificate-expires"])
        let ended = try make("b", days: 1)
        let later = now.advanced(byMilliseconds: 2 * 86_400_000)
        certificates.reload(from: ended, at: later, logger: logger)
        #expect(certificates.expiry == end)
        #expect(certificates.warnings(at: later).map(\.code) == ["tls-certificate-refused"])
    }

    @Test("Files that cannot be used are refused with the option and what to do")
    func refusals() throws {
        let (files, other) = (try make("a", days: 10), try make("b", days: 10))
        let wrong: [(TLSCertificates.Files, String)] = [
            (.init(certificate: "/nowhere.pem", key: files.key), "tls-certificate: /nowhere.pem cannot be read"),
            (.init(certificate: files.key, key: files.key), "tls-certificate: the file contains no certificate"),
            (
                .init(certificate: files.certificate, key: files.certificate),
                "tls-key: the file contains no private key"
            ),
            (.init(certificate: files.certificate, key: other.key), "tls-key: the key does not belong"),
        ]
        for (files, words) in wrong {
            #expect {
                _ = try TLSCertificates(files)
            } throws: { error in
                "\(error)".hasPrefix(words)
            }
        }
    }
}

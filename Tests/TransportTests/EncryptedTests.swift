import Foundation
import Testing
import Transport

/// Against servers that others wrote, with certificates: scripts/check_channels.py starts them and runs this.
@Suite(
    "Encrypted connections",
    .enabled(
        if: ProcessInfo.processInfo.environment["WAYMARK_TLS_CERTIFICATES"] != nil,
        "scripts/check_channels.py runs it"
    )
)
struct EncryptedTests {
    private let environment = ProcessInfo.processInfo.environment

    private func port(_ name: String) throws -> Int { try #require(environment[name].flatMap { Int($0) }) }

    private func options(trusting: Bool = true) throws -> OutboundOptions {
        var options = try DialTests.open(allowing: ["127.0.0.0/8", "::1"])
        options.allowsHTTP = false
        if trusting { options.certificates = environment["WAYMARK_TLS_CERTIFICATES"] }
        return options
    }

    @Test("DLV-03 HTTP/2 is used if offered, with many requests on one connection")
    func http2() async throws {
        let transport = try OutboundTransport(options: try options())
        let request = OutboundRequest(
            url: "https://localhost:\(try port("WAYMARK_HTTP2_PORT"))/3/device/ab",
            headers: [.init("apns-topic", "org.example")],
            body: Array("{}".utf8)
        )
        let responses = try await withThrowingTaskGroup(of: OutboundResponse.self) { group in
            for _ in 0..<40 { group.addTask { try await transport.send(request) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(responses.allSatisfy { $0.status == 200 && $0.version == 2 && $0.isComplete })
        // The server answers with the number of the connection, and echoes method, path and field.
        let bodies = Set(responses.map { String(decoding: $0.body, as: UTF8.self) })
        #expect(bodies == ["1 POST /3/device/ab org.example {}"])
        await transport.shutdown()
    }

    @Test("DLV-03 An untrusted certificate, or one for another name, is rejected")
    func certificates() async throws {
        let port = try port("WAYMARK_HTTP2_PORT")
        let stranger = try OutboundTransport(options: try options(trusting: false))
        await #expect(throws: OutboundError.insecure) {
            try await stranger.send(OutboundRequest(url: "https://localhost:\(port)/"))
        }
        let transport = try OutboundTransport(options: try options())
        await #expect(throws: OutboundError.insecure) {
            try await transport.send(OutboundRequest(url: "https://127.0.0.1:\(port)/"))
        }
        await stranger.shutdown()
        await transport.shutdown()
    }

    @Test("DLV-03 An e-mail is sent over STARTTLS or TLS, signed in", arguments: [MailServer.Security.startTLS, .tls])
    func mail(security: MailServer.Security) async throws {
        let port = try port(security == .tls ? "WAYMARK_SMTPS_PORT" : "WAYMARK_SMTP_PORT")
        func send(password: String, trusting: Bool = true) async throws -> OutboundResponse {
            var options = try options(trusting: trusting)
            let login = MailServer.Login(user: "waymark", password: password)
            options.mailServer = try MailServer(host: "localhost", port: port, security: security, login: login)
            let transport = try OutboundTransport(options: options)
            let letter = Array("Subject: t\r\n\r\n.hello\r\n".utf8)
            let mail = OutboundMail(from: "waymark@example.org", to: "ana@example.org", bytes: letter)
            defer { Task { await transport.shutdown() } }
            return try await transport.send(mail)
        }
        let response = try await send(password: "correct")
        // The server ends its reply with what it read.
        #expect(response.status == 250 && String(decoding: response.body, as: UTF8.self).hasSuffix("waymark .hello"))
        #expect(try await send(password: "wrong").status == 535)
        await #expect(throws: OutboundError.insecure) { try await send(password: "correct", trusting: false) }
    }
}

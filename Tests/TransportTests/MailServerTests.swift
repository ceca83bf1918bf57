import Foundation
import Synchronization
import Testing
import Transport

/// A mail server that writes down what it is told.
final class PostOffice: Sendable {
    private let told = Mutex<[String]>([])
    private let letters = Mutex<[String]>([])

    var commands: [String] { told.withLock { $0 } }
    var mail: [String] { letters.withLock { $0 } }

    /// Serves one connection; `replies` says what certain commands are answered with.
    func serve(_ connection: LocalServer.Connection, replies: [String: String] = [:], extensions: [String] = []) {
        connection.write("220 mail.example.org ESMTP\r\n")
        while let line = connection.readLine() {
            told.withLock { $0.append(line) }
            let verb = String(line.prefix { $0 != " " && $0 != ":" }).uppercased()
            if let reply = replies[verb] {
                connection.write(reply + "\r\n")
                continue
            }
            switch verb {
            case "EHLO":
                let lines = ["mail.example.org"] + extensions
                for line in lines.dropLast() { connection.write("250-\(line)\r\n") }
                connection.write("250 \(lines.last ?? "")\r\n")
            case "DATA":
                connection.write("354 go on\r\n")
                var text = ""
                while let line = connection.readLine(), line != "." {
                    text += (line.hasPrefix(".") ? String(line.dropFirst()) : line) + "\r\n"
                }
                letters.withLock { $0.append(text) }
                connection.write("250 2.0.0 queued\r\n")
            case "QUIT":
                connection.write("221 bye\r\n")
                return
            case "AUTH": connection.write("235 2.7.0 welcome\r\n")
            default: connection.write("250 2.1.0 ok\r\n")
            }
        }
    }
}

@Suite("E-mail by SMTP")
struct MailServerTests {
    private let letter = "Subject: Hello\r\n\r\n.a line with a dot\r\n.\r\n..\r\nend\r\n"

    private func send(
        _ office: PostOffice,
        replies: [String: String] = [:],
        extensions: [String] = [],
        security: MailServer.Security = .none,
        login: MailServer.Login? = nil
    ) async throws -> Result<OutboundResponse, any Error> {
        let server = try LocalServer { office.serve($0, replies: replies, extensions: extensions) }
        defer { server.stop() }
        // Nothing private is allowed: the operator's own mail server may stand here all the same.
        var options = OutboundOptions()
        options.timeout = .seconds(60)
        options.mailServer = try MailServer(host: "localhost", port: server.port, security: security, login: login)
        let transport = try OutboundTransport(options: options)
        defer { Task { await transport.shutdown() } }
        let mail = OutboundMail(from: "waymark@stories.example.org", to: "ana@example.org", bytes: Array(letter.utf8))
        do { return .success(try await transport.send(mail)) } catch { return .failure(error) }
    }

    @Test("DLV-03 An e-mail arrives unchanged, with its sender and recipient, without this machine's name")
    func delivery() async throws {
        let office = PostOffice()
        let response = try await send(office).get()
        #expect(response.status == 250 && String(decoding: response.body, as: UTF8.self) == "250 2.0.0 queued")
        #expect(office.mail == [letter])
        let commands = office.commands
        #expect(
            commands.prefix(4) == [
                "EHLO stories.example.org", "MAIL FROM:<waymark@stories.example.org>", "RCPT TO:<ana@example.org>",
                "DATA",
            ]
        )
    }

    @Test(
        "DLV-06 A mail server's rejection is returned as its answer",
        arguments: [
            ("RCPT", "550 5.1.1 no such user", 550), ("RCPT", "450 4.2.1 try later", 450), ("MAIL", "553 no", 553),
            ("DATA", "451 4.3.0 later", 451),
        ]
    )
    func refusals(verb: String, reply: String, status: Int) async throws {
        let office = PostOffice()
        let response = try await send(office, replies: [verb: reply]).get()
        #expect(response.status == status && String(decoding: response.body, as: UTF8.self) == reply)
        #expect(office.mail.isEmpty)
    }

    @Test(
        "DLV-03 Without the required encryption nothing is sent",
        arguments: [MailServer.Security.startTLS, .tls]
    )
    func encryption(security: MailServer.Security) async throws {
        let office = PostOffice()
        let result = try await send(office, security: security, login: .init(user: "u", password: "p"))
        let error = #expect(throws: OutboundError.self) { try result.get() }
        #expect(error == .insecure || security == .tls && error == .timedOut)
        #expect(!office.commands.contains { $0.hasPrefix("MAIL") || $0.hasPrefix("AUTH") })
    }

    @Test("DLV-03 A login is never sent unencrypted, and addresses contain nothing else")
    func soundness() async throws {
        #expect(throws: OutboundError.insecure) {
            try MailServer(host: "localhost", port: 25, security: .none, login: .init(user: "u", password: "p"))
        }
        #expect(throws: OutboundError.badContent) {
            try MailServer(host: "a", port: 25, security: .tls, login: .init(user: "u", password: "p\r\n"))
        }
        for host in ["", "a b", "user@host", "host/x", "host:25", "h\u{0}", "127.1"] {
            #expect(throws: OutboundError.badURL(.host)) { try MailServer(host: host, port: 25, security: .tls) }
        }
        var options = OutboundOptions()
        options.mailServer = try MailServer(host: "localhost", port: 9, security: .none)
        let transport = try OutboundTransport(options: options)
        for address in [
            "", "ana", "ana@example.org>", "ana@example.org\r\nRCPT TO:<eve@x>", "<ana@example.org>", "a b@c",
        ] {
            for mail in [
                OutboundMail(from: address, to: "a@example.org", bytes: []),
                OutboundMail(from: "a@example.org", to: address, bytes: []),
            ] {
                await #expect(throws: OutboundError.badContent) { try await transport.send(mail) }
            }
        }
        await transport.shutdown()
        let none = try OutboundTransport()
        await #expect(throws: OutboundError.noMailServer) {
            try await none.send(OutboundMail(from: "a@example.org", to: "b@example.org", bytes: []))
        }
        await none.shutdown()
    }
}

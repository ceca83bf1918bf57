public import Library
import Foundation
public import Notifications
package import Transport

/// Sends HTTP requests and e-mails with libcurl, according to the operator's egress policy.
public final class OutboundSender: ChannelSender {
    /// The egress policy, and the operator's mail server.
    public struct Options: Sendable {
        /// Whether channels may have `http` URLs.
        public var allowsHTTP = false
        /// Ranges of private addresses that are allowed, such as `192.168.0.0/16`.
        public var ranges: [String] = []
        /// Ports that are allowed in addition to the usual ones.
        public var ports: Set<Int> = []
        /// The mail server, such as `smtp://mail.example.org:587`; `smtps` is encrypted from the first byte, `smtp`
        /// after STARTTLS, `smtp+plain` not at all.
        public var mailServer: String?
        /// The credentials for the mail server.
        public var mailLogin: (user: String, password: String)?
        /// A file of certificates to trust instead of the system's.
        public var certificates: String?
        /// Whether an address that may not be dialled is reported as such; only the operator may learn that.
        public var showsRefusals = false

        /// Creates options that allow only public addresses, by HTTPS.
        public init() {}
    }

    /// An invalid option.
    public struct Refusal: Error, Sendable, CustomStringConvertible {
        /// The option and the expected value.
        public let description: String
    }

    private let transport: OutboundTransport
    private let showsRefusals: Bool

    /// Creates a sender.
    ///
    /// - Throws: ``Refusal`` naming the invalid option.
    public convenience init(_ options: Options) throws { try self.init(options) { _ in } }

    /// Creates a sender with adjusted limits, for tests.
    package init(_ options: Options, adjusting: (inout OutboundOptions) -> Void) throws {
        showsRefusals = options.showsRefusals
        var outbound = OutboundOptions()
        outbound.allowsHTTP = options.allowsHTTP
        outbound.certificates = options.certificates
        outbound.allowedRanges = try options.ranges.map { text in
            guard let range = AddressRange(text) else {
                throw Refusal(description: "--allow-range: \(text) is not a range such as 192.168.0.0/16.")
            }
            return range
        }
        for port in options.ports.sorted() where !(1...65_535).contains(port) {
            throw Refusal(description: "--allow-port: \(port) is not a port between 1 and 65535.")
        }
        outbound.allowedPorts?.formUnion(options.ports)
        if let server = options.mailServer {
            outbound.mailServer = try OutboundSender.server(server, login: options.mailLogin)
        }
        adjusting(&outbound)
        do {
            transport = try OutboundTransport(options: outbound)
        } catch {
            throw Refusal(description: "Outgoing connections could not be set up: \(error).")
        }
    }

    private static func server(_ text: String, login: (user: String, password: String)?) throws -> MailServer {
        let kinds: [String: (MailServer.Security, Int)] = [
            "smtps": (.tls, 465), "smtp": (.startTLS, 587), "smtp+plain": (.none, 25),
        ]
        guard let url = URLComponents(string: text), let scheme = url.scheme, let (security, port) = kinds[scheme],
            let host = url.host, url.user == nil, url.path.isEmpty || url.path == "/", url.query == nil,
            let server = try? MailServer(
                host: host,
                port: url.port ?? port,
                security: security,
                login: login.map { .init(user: $0.user, password: $0.password) }
            )
        else {
            throw Refusal(
                description:
                    "--smtp: must be an address such as smtp://mail.example.org:587 or smtps://…, without a name "
                    + "or password in it; a password is never sent in the clear."
            )
        }
        return server
    }

    /// Where the operator's mail server is; `nil` without one.
    package var mailServer: (host: String, port: Int, isEncrypted: Bool)? {
        transport.options.mailServer.map { ($0.host, $0.port, $0.security == .tls) }
    }

    /// Makes one attempt to send a message.
    public func send(_ message: OutgoingMessage) async throws -> ChannelAnswer {
        do {
            let response: OutboundResponse
            switch message {
            case .http(let http):
                response = try await transport.send(
                    OutboundRequest(
                        method: http.method,
                        url: http.url,
                        headers: http.headers.map { .init($0.name, $0.value) },
                        body: http.body,
                        isRepeatable: http.isRepeatable
                    )
                )
            case .mail(let mail):
                response = try await transport.send(OutboundMail(from: mail.from, to: mail.to, bytes: mail.bytes))
            case .publication:
                throw SendingError(.credentials, "no broker is configured", mayHaveArrived: false)
            }
            return ChannelAnswer(
                status: response.status,
                retryAfter: response.headers["retry-after"],
                body: response.body
            )
        } catch OutboundError.shutDown {
            // The service is stopping; the endpoint did not fail.
            throw CancellationError()
        } catch OutboundError.busy {
            throw SendingDelay()
        } catch let error as OutboundError {
            throw SendingError(
                problem(error),
                error.description,
                mayHaveArrived: OutboundSender.mayHaveArrived(error)
            )
        }
    }

    /// Returns the reason why a URL is always rejected, or `nil`.
    public func refusal(of url: String) -> String? {
        do throws(OutboundError) {
            _ = try transport.options.check(url)
            return nil
        } catch {
            switch error {
            case .badURL(.scheme): return "must be an https address"
            case .badURL(.port): return "has a port that this service may not connect to; its operator can allow it"
            case .badURL(.userInfo): return "must not contain a user name"
            case .refusedAddress: return "is in a network that this service may not connect to"
            default: return "is not an address that this service can connect to"
            }
        }
    }

    /// Ends all transfers.
    public func close() async { await transport.shutdown() }

    /// Returns whether the other side may have had the whole message.
    private static func mayHaveArrived(_ error: OutboundError) -> Bool {
        switch error {
        case .timedOut, .closedEarly, .badAnswer, .answerTooLarge, .shutDown, .failed: true
        case .badURL, .badContent, .refusedAddress, .couldNotResolve, .couldNotConnect, .insecure, .busy, .noMailServer:
            false
        }
    }

    private func problem(_ error: OutboundError) -> DeliveryProblem {
        switch error {
        case .badURL: .refusedAddress
        case .badContent: .badMessage
        case .timedOut: .timedOut
        case .insecure: .insecure
        case .badAnswer, .answerTooLarge: .badAnswer
        case .noMailServer: .credentials
        // Reported like a name that does not resolve, so that nobody learns which names exist in the operator's own
        // network.
        case .refusedAddress: showsRefusals ? .refusedAddress : .unreachable
        case .couldNotResolve, .couldNotConnect, .closedEarly, .busy, .shutDown, .failed: .unreachable
        }
    }
}

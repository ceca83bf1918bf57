import Foundation
public import Notifications
package import Transport

/// The one door out, as the operator set it up: libcurl for HTTP and e-mail.
public final class Door: ChannelSender {
    /// What the operator allows and provides.
    public struct Options: Sendable {
        /// Whether channels may lead to `http` addresses.
        public var allowsHTTP = false
        /// Ranges of private addresses that may be dialled, such as `192.168.0.0/16`.
        public var ranges: [String] = []
        /// Ports that may be dialled besides the usual ones.
        public var ports: Set<Int> = []
        /// The mail server, such as `smtp://mail.example.org:587`; `smtps` is encrypted from the first byte, `smtp`
        /// after STARTTLS, `smtp+plain` not at all.
        public var mailServer: String?
        /// Who signs in there, with which password.
        public var mailLogin: (user: String, password: String)?
        /// A file of certificates that are trusted instead of the system's.
        public var certificates: String?

        /// Creates the options of a door that leads to public addresses alone, by HTTPS.
        public init() {}
    }

    /// Why a door could not be opened.
    public struct Refusal: Error, Sendable, CustomStringConvertible {
        /// Which option is wrong, and what is expected.
        public let description: String
    }

    private let transport: OutboundTransport

    /// Opens the door.
    ///
    /// - Throws: ``Refusal`` naming the option that is wrong.
    public convenience init(_ options: Options) throws { try self.init(options) { _ in } }

    /// Opens the door with other bounds than the usual ones, for tests.
    package init(_ options: Options, adjusting: (inout OutboundOptions) -> Void) throws {
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
            throw Refusal(description: "--allow-port: \(port) is not a port.")
        }
        outbound.allowedPorts?.formUnion(options.ports)
        if let server = options.mailServer { outbound.mailServer = try Door.server(server, login: options.mailLogin) }
        adjusting(&outbound)
        do {
            transport = try OutboundTransport(options: outbound)
        } catch {
            throw Refusal(description: "The door out cannot be opened: \(error).")
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

    /// Sends one attempt.
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
                        body: http.body
                    )
                )
            case .mail(let mail):
                response = try await transport.send(OutboundMail(from: mail.from, to: mail.to, bytes: mail.bytes))
            }
            return ChannelAnswer(
                status: response.status,
                retryAfter: response.headers["retry-after"],
                body: response.body
            )
        } catch OutboundError.shutDown {
            // The service ends; whose endpoint it was has nothing to do with it.
            throw CancellationError()
        } catch OutboundError.busy {
            throw SendingDelay()
        } catch let error as OutboundError {
            throw SendingError(Door.problem(error), error.description)
        }
    }

    /// Why an address is never dialled.
    public func refusal(of url: String) -> String? {
        do throws(OutboundError) {
            _ = try transport.options.check(url)
            return nil
        } catch {
            switch error {
            case .badURL(.scheme): return "must be an https address here"
            case .badURL(.port): return "has a port that this service does not go to; its operator can allow it"
            case .badURL(.userInfo): return "must have no user name in it"
            case .refusedAddress: return "is an address in a network that this service does not go to"
            default: return "is not an address that this service can go to"
            }
        }
    }

    /// Ends all transfers.
    public func close() async { await transport.shutdown() }

    private static func problem(_ error: OutboundError) -> DeliveryProblem {
        switch error {
        case .badURL: .refusedAddress
        case .badContent: .badMessage
        case .timedOut: .timedOut
        case .insecure: .insecure
        case .badAnswer, .answerTooLarge: .badAnswer
        case .noMailServer: .credentials
        // Whether a name leads into the operator's own network or nowhere is nobody's business: both are out of reach.
        case .refusedAddress: .unreachable
        case .couldNotResolve, .couldNotConnect, .closedEarly, .busy, .shutDown, .failed: .unreachable
        }
    }
}

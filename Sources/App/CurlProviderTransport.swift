import OpenID
import Transport

/// Makes requests to the provider with libcurl.
///
/// The operator chose the issuer, so its host may have a private address, as a mail server may: with `https`, where its
/// certificate says who answers, or on this machine. Other hosts that the provider names must have public addresses, so
/// that nobody is led into the operator's network by a document. Redirects are not followed.
final class CurlProviderTransport: ProviderTransport {
    /// The maximum time from dialling to the end of an answer.
    private static let timeout = Duration.seconds(10)
    /// The networks in which an issuer may be whose certificate says who answers.
    private static let privateRanges = ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]
    private static let loopbackRanges = ["127.0.0.0/8", "::1"]
    /// The maximum size of an answer's body in bytes; what reads it has limits of its own.
    private static let mostBytes = 262_144

    private let near: OutboundTransport
    private let far: OutboundTransport
    private let issuerHost: String

    /// Creates the transport.
    ///
    /// - Throws: `OutboundError` if libcurl cannot be started.
    init(_ settings: ProviderSettings) throws {
        let issuer = settings.issuer
        var options = OutboundOptions()
        options.timeout = CurlProviderTransport.timeout
        options.mostPerHost = 8
        options.mostAtOnce = 32
        options.mostWaiting = 200
        options.longestWait = .seconds(5)
        options.mostAnswerBytes = CurlProviderTransport.mostBytes
        options.certificates = settings.certificates
        far = try OutboundTransport(options: options)
        options.allowedPorts = nil
        options.allowsHTTP = !issuer.isEncrypted
        options.allowedRanges = CurlProviderTransport.ranges(isEncrypted: issuer.isEncrypted)
            .compactMap {
                AddressRange($0)
            }
        near = try OutboundTransport(options: options)
        issuerHost = issuer.host
    }

    /// Returns the networks in which an issuer may be besides the public ones.
    static func ranges(isEncrypted: Bool) -> [String] { loopbackRanges + (isEncrypted ? privateRanges : []) }

    func send(_ request: ProviderRequest) async throws -> ProviderAnswer {
        var headers = [OutboundRequest.Field("Accept", "application/json")]
        if let authorization = request.authorization { headers.append(.init("Authorization", authorization)) }
        if request.form != nil { headers.append(.init("Content-Type", "application/x-www-form-urlencoded")) }
        do {
            let response = try await transport(for: request.url)
                .send(
                    OutboundRequest(
                        method: request.form == nil ? "GET" : "POST",
                        url: request.url,
                        headers: headers,
                        body: Array((request.form ?? "").utf8)
                    )
                )
            guard response.isComplete else { throw ProviderOutage("the answer is too long or was cut off") }
            return ProviderAnswer(status: response.status, body: response.body)
        } catch let error as OutboundError {
            throw ProviderOutage(error.description)
        }
    }

    private func transport(for url: String) -> OutboundTransport {
        ProviderURL(url)?.host == issuerHost ? near : far
    }
}

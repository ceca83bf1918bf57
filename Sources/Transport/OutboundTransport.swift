import CCurl

/// The only egress: all outbound HTTP and SMTP traffic goes through it.
///
/// A dedicated thread performs all transfers. The IP address of every connection is checked when dialled, so that no
/// name, redirect, proxy or spelling can lead to a forbidden address. It follows no redirects, reads neither proxies
/// nor secrets from the environment, and keeps no cookies.
public final class OutboundTransport: Sendable {
    /// The policy for connections.
    public let options: OutboundOptions
    private let mailbox: Mailbox

    /// Starts the transport.
    ///
    /// - Throws: ``OutboundError/failed(_:)`` if libcurl or the thread cannot be started.
    public init(options: OutboundOptions = OutboundOptions()) throws(OutboundError) {
        guard OutboundTransport.isReady, let multi = curl_multi_init() else {
            throw .failed(Int(CURLE_FAILED_INIT.rawValue))
        }
        self.options = options
        mailbox = Mailbox(multi: multi, most: options.mostWaiting)
        let loop = TransferLoop(multi: multi, mailbox: mailbox, options: options)
        // From here on, only the new thread uses the loop.
        let context = Unmanaged.passRetained(loop).toOpaque()
        let body: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
            guard let context else { return }
            Unmanaged<TransferLoop>.fromOpaque(context).takeRetainedValue().run()
        }
        guard wm_thread_start(body, context) == 0 else {
            Unmanaged<TransferLoop>.fromOpaque(context).release()
            mailbox.retire()
            curl_multi_cleanup(multi)
            throw .failed(Int(CURLE_FAILED_INIT.rawValue))
        }
    }

    deinit { mailbox.close() }

    /// The number of unanswered calls.
    public var open: Int { mailbox.open }

    /// Sends a request over HTTP and waits for the answer; a redirect is an ordinary answer.
    ///
    /// - Throws: ``OutboundError``, or `CancellationError` if the task is cancelled: the transfer then stops or never
    ///   starts, though data already sent cannot be recalled.
    public func send(_ request: OutboundRequest) async throws -> OutboundResponse {
        guard request.isSound, request.body.count <= options.mostBodyBytes else { throw OutboundError.badContent }
        return try await send(.http(request, try options.check(request.url)))
    }

    /// Sends an e-mail and waits for the mail server's reply.
    ///
    /// - Returns: the server's reply, positive or negative.
    /// - Throws: ``OutboundError``, or `CancellationError` if the task is cancelled.
    public func send(_ mail: OutboundMail) async throws -> OutboundResponse {
        guard let server = options.mailServer else { throw OutboundError.noMailServer }
        guard mail.isSound, mail.bytes.count <= options.mostBodyBytes else { throw OutboundError.badContent }
        return try await send(.mail(mail, server))
    }

    /// Stops all transfers and shuts down; waiting calls fail with ``OutboundError/shutDown``.
    public func shutdown() async {
        mailbox.close()
        await mailbox.waitForEnd()
    }

    private func send(_ job: Job) async throws -> OutboundResponse {
        let ticket = Ticket(job)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                ticket.wait(continuation)
                mailbox.submit(ticket)
            }
        } onCancel: {
            mailbox.cancel(ticket)
        }
    }

    /// Whether libcurl is available; initialised once per process.
    static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}

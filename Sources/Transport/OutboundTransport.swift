import CCurl

/// The one door out: everything that leaves for another machine by HTTP or SMTP goes through it.
///
/// One thread of its own does all transfers; the address of every connection is judged where it is dialled, so that no
/// name, redirect, proxy or spelling leads anywhere else. It follows no redirects, reads neither proxies nor secrets from
/// the environment, and keeps no cookies.
public final class OutboundTransport: Sendable {
    /// What may leave.
    public let options: OutboundOptions
    private let mailbox: Mailbox

    /// Opens the door.
    ///
    /// - Throws: ``OutboundError/failed(_:)`` when libcurl or the thread cannot be started.
    public init(options: OutboundOptions = OutboundOptions()) throws(OutboundError) {
        guard OutboundTransport.isReady, let multi = curl_multi_init() else {
            throw .failed(Int(CURLE_FAILED_INIT.rawValue))
        }
        self.options = options
        mailbox = Mailbox(multi: multi, most: options.mostWaiting)
        let loop = TransferLoop(multi: multi, mailbox: mailbox, options: options)
        // The thread is the only one that ever touches the loop again.
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

    /// Calls that have no answer yet.
    public var open: Int { mailbox.open }

    /// Sends by HTTP and waits for the answer; a redirect is an answer like any other.
    ///
    /// - Throws: ``OutboundError``, or `CancellationError` when the task is cancelled: then the transfer has ended or never
    ///   begins, though what was already on its way cannot be called back.
    public func send(_ request: OutboundRequest) async throws -> OutboundResponse {
        guard request.isSound, request.body.count <= options.mostBodyBytes else { throw OutboundError.badContent }
        return try await send(.http(request, try options.check(request.url)))
    }

    /// Sends an e-mail and waits for the mail server's word.
    ///
    /// - Returns: a reply of the server's, good or bad.
    /// - Throws: ``OutboundError``, or `CancellationError` when the task is cancelled.
    public func send(_ mail: OutboundMail) async throws -> OutboundResponse {
        guard let server = options.mailServer else { throw OutboundError.noMailServer }
        guard mail.isSound, mail.bytes.count <= options.mostBodyBytes else { throw OutboundError.badContent }
        return try await send(.mail(mail, server))
    }

    /// Ends all transfers and shuts the door; calls that wait are answered with ``OutboundError/shutDown``.
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

    /// Whether libcurl is there; asked once for the whole program.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}

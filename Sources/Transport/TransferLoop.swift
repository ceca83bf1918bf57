import CCurl

/// Performs all transfers on a dedicated thread.
final class TransferLoop {
    /// The transfers to one host.
    private struct Host {
        var running = 0
        let most: Int
        var waiting = WaitingLine<Ticket>()
        /// Whether it is in the queue of hosts that may start a transfer.
        var isReady = false
    }

    private let multi: UnsafeMutableRawPointer
    private let mailbox: Mailbox
    private let options: OutboundOptions
    private var hosts: [String: Host] = [:]
    /// The hosts with waiting calls and free capacity, each once; they start one transfer each in turn.
    private var ready = WaitingLine<String>()
    private var running: [ObjectIdentifier: Transfer] = [:]
    /// The time of the next check for overdue calls.
    private var nextLook = ContinuousClock.now

    init(multi: UnsafeMutableRawPointer, mailbox: Mailbox, options: OutboundOptions) {
        self.multi = multi
        self.mailbox = mailbox
        self.options = options
        // Requests share HTTP/2 connections where possible; few idle connections are kept.
        wm_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        wm_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 64)
    }

    /// Runs until the mailbox is closed, then fails the calls that still wait.
    func run() {
        while true {
            let post = mailbox.take()
            for ticket in post.started { enqueue(ticket) }
            for ticket in post.cancelled { cancel(ticket) }
            if post.isClosing { break }
            refuseOverdue()
            startWaiting()
            var count: Int32 = 0
            curl_multi_perform(multi, &count)
            if finishCompleted() { continue }
            // Woken by the mailbox, by the network, or by libcurl's own timeouts.
            curl_multi_poll(multi, nil, 0, running.isEmpty ? 60_000 : 1_000, nil)
        }
        shutDown()
    }

    private func enqueue(_ ticket: Ticket) {
        guard !ticket.isCancelled else { return answer(ticket, .failure(CancellationError())) }
        let key = ticket.job.host
        hosts[key, default: Host(most: options.bound(of: ticket.job))].waiting.append(ticket)
        makeReady(key)
    }

    /// Queues a host if it has waiting calls and free capacity.
    private func makeReady(_ key: String) {
        guard var host = hosts[key] else { return }
        if host.waiting.isEmpty {
            if host.running == 0, !host.isReady { hosts[key] = nil }
            return
        }
        guard !host.isReady, host.running < host.most else { return }
        host.isReady = true
        hosts[key] = host
        ready.append(key)
    }

    /// Fails the calls that have waited longer than ``OutboundOptions/longestWait`` with ``OutboundError/busy``.
    private func refuseOverdue() {
        let now = ContinuousClock.now
        guard now >= nextLook else { return }
        nextLook = now + min(.seconds(1), options.longestWait / 4)
        for key in Array(hosts.keys) {
            while let ticket = hosts[key]?.waiting.first, now - ticket.madeAt >= options.longestWait {
                _ = hosts[key]?.waiting.popFirst()
                answer(ticket, .failure(OutboundError.busy))
            }
        }
    }

    private func startWaiting() {
        while running.count < max(1, options.mostAtOnce), let key = ready.popFirst() {
            hosts[key]?.isReady = false
            if let ticket = hosts[key]?.waiting.popFirst() { start(ticket, key: key) }
            makeReady(key)
        }
    }

    private func start(_ ticket: Ticket, key: String) {
        guard !ticket.isCancelled else { return answer(ticket, .failure(CancellationError())) }
        guard let transfer = Transfer(ticket: ticket, options: options) else {
            return answer(ticket, .failure(OutboundError.failed(Int(CURLE_FAILED_INIT.rawValue))))
        }
        let code = curl_multi_add_handle(multi, transfer.easy)
        guard code == CURLM_OK else { return answer(ticket, .failure(OutboundError.failed(Int(code.rawValue)))) }
        running[ObjectIdentifier(ticket)] = transfer
        hosts[key]?.running += 1
    }

    /// Completes finished transfers; returns whether there were any.
    private func finishCompleted() -> Bool {
        var found = false
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            // Read before the handle is removed, because the message becomes invalid with it.
            let code = message.pointee.data.result
            guard let context = wm_easy_get_context(easy) else { continue }
            let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
            found = true
            end(transfer, transfer.outcome(code))
        }
        return found
    }

    private func cancel(_ ticket: Ticket) {
        if let transfer = running[ObjectIdentifier(ticket)] {
            return end(transfer, .failure(CancellationError()))
        }
        let key = ticket.job.host
        // Removed and reinserted, so that mutating the queue does not copy it.
        guard var host = hosts.removeValue(forKey: key) else { return }
        let removed = host.waiting.remove { $0 === ticket }
        hosts[key] = host
        for ticket in removed { answer(ticket, .failure(CancellationError())) }
        makeReady(key)
    }

    private func end(_ transfer: Transfer, _ result: Result<OutboundResponse, any Error>) {
        curl_multi_remove_handle(multi, transfer.easy)
        running[ObjectIdentifier(transfer.ticket)] = nil
        let key = transfer.ticket.job.host
        hosts[key]?.running -= 1
        answer(transfer.ticket, result)
        makeReady(key)
    }

    private func answer(_ ticket: Ticket, _ result: Result<OutboundResponse, any Error>) {
        mailbox.noteAnswer()
        ticket.finish(result)
    }

    private func shutDown() {
        for transfer in Array(running.values) { end(transfer, .failure(OutboundError.shutDown)) }
        for key in Array(hosts.keys) {
            while let ticket = hosts[key]?.waiting.popFirst() { answer(ticket, .failure(OutboundError.shutDown)) }
        }
        mailbox.retire()
        curl_multi_cleanup(multi)
        mailbox.end()
    }
}

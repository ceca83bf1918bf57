import CMosquitto
import Foundation

/// Drives libmosquitto on the thread of a session.
///
/// Its callbacks come on this thread, from within `mosquitto_loop_read`. The library queues the acknowledgement of a message
/// before it calls back and writes it afterwards, on this thread too; so a callback that returns late delays it, and one
/// that shuts the socket prevents it.
final class BrokerLoop {
    private let options: BrokerOptions
    private let role: BrokerRole
    private let pace: BrokerPace
    private let post: BrokerPost
    private let outbox: BrokerOutbox
    private var messages: AsyncStream<BrokerMessage>.Continuation?
    private var states: AsyncStream<BrokerState>.Continuation?
    private var client: OpaquePointer?
    private var connection = Connection()

    /// What is known of the present connection.
    private struct Connection {
        /// The number of subscriptions that are not confirmed yet.
        var unconfirmed = 0
        /// When messages could come.
        var readySince: ContinuousClock.Instant?
        /// Why it ended, or must end.
        var trouble: BrokerTrouble?
        /// What was published and is not confirmed yet, by the number that libmosquitto gave it.
        var published: [Int32: PublishTicket] = [:]
    }

    /// The seconds between two signs of life.
    private static let keepAlive: Int32 = 30
    /// A connection that lasted so long was a good one.
    private static let goodTime = Duration.seconds(5)
    /// The answer to a subscription that the broker does not allow.
    private static let refusedSubscription: Int32 = 0x80
    /// Whether libmosquitto is set up, which it must be once.
    private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    init(_ options: BrokerOptions, role: BrokerRole, pace: BrokerPace, post: BrokerPost, outbox: BrokerOutbox) {
        (self.options, self.role, self.pace, self.post, self.outbox) = (options, role, pace, post, outbox)
    }

    /// Connects again and again until the session is stopped.
    func run(
        messages: AsyncStream<BrokerMessage>.Continuation,
        states: AsyncStream<BrokerState>.Continuation
    ) {
        (self.messages, self.states) = (messages, states)
        BrokerLoop.ignoreBrokenPipes()
        var failures = 0
        while post.isRunning {
            let trouble = connect()
            guard post.isRunning else { break }
            let lasted = connection.readySince.map { ContinuousClock.now - $0 } ?? .zero
            failures = lasted >= BrokerLoop.goodTime && trouble != .handedBack ? 1 : failures + 1
            states.yield(.away(trouble))
            post.pause(pace.pause(after: failures))
        }
        messages.finish()
        states.finish()
        post.end()
    }

    /// Keeps a write to a broker that has gone from ending the program.
    private static func ignoreBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Makes a connection and stays until it ends; returns why it did.
    private func connect() -> BrokerTrouble {
        connection = Connection()
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard BrokerLoop.isReady, let client = mosquitto_new(role.clientID, !role.isLasting, context) else {
            return .failed(Int(MOSQ_ERR_NOMEM.rawValue))
        }
        // A new client each time, so that nothing of the former connection is sent by itself.
        defer {
            self.client = nil
            mosquitto_destroy(client)
            outbox.close()
            for ticket in connection.published.values { ticket.finish(.failure(PublishingFailure.unconfirmed)) }
        }
        self.client = client
        setCallbacks(client)
        var code = configure(client)
        guard code == MOSQ_ERR_SUCCESS.rawValue else { return BrokerTrouble(code: code) }
        let deadline = ContinuousClock.now + pace.connecting
        code = mosquitto_connect(client, options.address.host, Int32(options.address.port), BrokerLoop.keepAlive)
        while code == MOSQ_ERR_SUCCESS.rawValue, connection.trouble == nil, post.isRunning {
            publish(to: client)
            code = turn(client, atMost: role.isLasting ? 250 : 50)
            if connection.readySince == nil, ContinuousClock.now > deadline { connection.trouble = .timedOut }
        }
        if !post.isRunning { sayGoodbye(client) }
        return connection.trouble ?? BrokerTrouble(code: code)
    }

    /// Ends a connection in order; the session at the broker stays.
    private func sayGoodbye(_ client: OpaquePointer) {
        guard connection.trouble == nil, mosquitto_disconnect(client) == MOSQ_ERR_SUCCESS.rawValue else { return }
        for _ in 0..<5 where turn(client, atMost: 50) != MOSQ_ERR_SUCCESS.rawValue { return }
    }

    /// Waits for the socket, at most for some milliseconds, then reads and writes what is there.
    ///
    /// `mosquitto_loop` does the same by `select`, which cannot watch a socket beyond the 1,024th open file.
    private func turn(_ client: OpaquePointer, atMost milliseconds: Int32) -> Int32 {
        let socket = mosquitto_socket(client)
        guard socket >= 0 else { return MOSQ_ERR_NO_CONN.rawValue }
        let events = mosquitto_want_write(client) ? POLLIN | POLLOUT : POLLIN
        var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
        guard poll(&entry, 1, milliseconds) >= 0 || errno == EINTR else { return MOSQ_ERR_ERRNO.rawValue }
        var code = MOSQ_ERR_SUCCESS.rawValue
        // With TLS also without an event: what is decrypted already makes none.
        if entry.revents & ~Int16(POLLOUT) != 0 || options.address.isEncrypted { code = mosquitto_loop_read(client, 1) }
        guard code == MOSQ_ERR_SUCCESS.rawValue else { return code }
        if mosquitto_want_write(client) { code = mosquitto_loop_write(client, 1) }
        guard code == MOSQ_ERR_SUCCESS.rawValue else { return code }
        return mosquitto_loop_misc(client)
    }

    private func configure(_ client: OpaquePointer) -> Int32 {
        // What is queued is then written by the loop alone, never from within a callback.
        var codes = [mosquitto_threaded_set(client, true)]
        codes.append(mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V311))
        if let login = options.login { codes.append(mosquitto_username_pw_set(client, login.user, login.password)) }
        if options.address.isEncrypted {
            // In either case the name in the certificate must be that of the address.
            codes.append(
                options.certificates.map { mosquitto_tls_set(client, $0, nil, nil, nil, nil) }
                    ?? mosquitto_int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1)
            )
        }
        return codes.first { $0 != MOSQ_ERR_SUCCESS.rawValue } ?? MOSQ_ERR_SUCCESS.rawValue
    }

    private func setCallbacks(_ client: OpaquePointer) {
        mosquitto_connect_callback_set(client) { _, context, code in BrokerLoop.from(context)?.connected(code) }
        mosquitto_subscribe_callback_set(client) { _, context, _, count, granted in
            BrokerLoop.from(context)?
                .subscribed(Array(UnsafeBufferPointer(start: granted, count: max(0, Int(count)))))
        }
        mosquitto_publish_callback_set(client) { _, context, number in BrokerLoop.from(context)?.confirmed(number) }
        mosquitto_message_callback_set(client) { _, context, message in
            guard let message = message?.pointee else { return }
            BrokerLoop.from(context)?.receive(message)
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> BrokerLoop? {
        context.map { Unmanaged<BrokerLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    private func connected(_ code: Int32) {
        guard code == 0, let client else {
            connection.trouble = code == 3 ? .unreachable : .notAdmitted
            return
        }
        connection.unconfirmed = role.filters.count
        if role.filters.isEmpty { becomeReady() }
        for filter in role.filters {
            let code = mosquitto_subscribe(client, nil, filter, 1)
            if code != MOSQ_ERR_SUCCESS.rawValue { connection.trouble = BrokerTrouble(code: code) }
        }
    }

    private func subscribed(_ granted: [Int32]) {
        if granted.contains(BrokerLoop.refusedSubscription) { connection.trouble = .notSubscribed }
        connection.unconfirmed -= 1
        guard connection.unconfirmed == 0, connection.trouble == nil else { return }
        becomeReady()
    }

    private func becomeReady() {
        connection.readySince = .now
        outbox.open()
        states?.yield(.connected)
    }

    /// Publishes what waits; gives the connection up if the broker does not confirm.
    private func publish(to client: OpaquePointer) {
        guard connection.readySince != nil else { return }
        for ticket in outbox.take() where !ticket.isFinished {
            var number: Int32 = 0
            let count = Int32(clamping: ticket.payload.count)
            let code = mosquitto_publish(client, &number, ticket.topic, count, ticket.payload, 1, ticket.isRetained)
            guard code == MOSQ_ERR_SUCCESS.rawValue else {
                ticket.finish(.failure(PublishingFailure.refused))
                continue
            }
            connection.published[number] = ticket
        }
        let latest = ContinuousClock.now - pace.settling
        if connection.published.values.contains(where: { $0.madeAt < latest }) { connection.trouble = .timedOut }
    }

    private func confirmed(_ number: Int32) { connection.published.removeValue(forKey: number)?.finish(.success(())) }

    /// Hands a message over and waits until it is settled.
    private func receive(_ message: mosquitto_message) {
        // What comes after a message that was handed back comes again too, in the right order.
        guard connection.trouble == nil, post.isRunning else { return handBack(message) }
        guard let bytes = message.topic else { return }
        let length = strnlen(bytes, BrokerMessage.mostTopicBytes + 1)
        // No topic of ours is so long; it is acknowledged, or it would come for ever.
        guard length <= BrokerMessage.mostTopicBytes, let topic = String(validatingCString: bytes) else { return }
        let item = BrokerMessage(topic: topic, payload: BrokerLoop.content(of: message))
        let isWaitedFor =
            switch messages?.yield(item) {
            case .some(.enqueued): true
            default: false
            }
        guard isWaitedFor, item.wait(atMost: pace.settling, while: { post.isRunning }) == .taken else {
            return handBack(message)
        }
    }

    private static func content(of message: mosquitto_message) -> [UInt8]? {
        let count = Int(message.payloadlen)
        guard (0...BrokerMessage.mostBytes).contains(count) else { return nil }
        guard count > 0, let bytes = message.payload else { return [] }
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// Prevents the acknowledgement of a message; one of quality 0 has none, and is lost.
    private func handBack(_ message: mosquitto_message) {
        guard message.qos > 0, let client else { return }
        connection.trouble = connection.trouble ?? .handedBack
        let socket = mosquitto_socket(client)
        if socket >= 0 { _ = shutdown(socket, Int32(SHUT_RDWR)) }
    }
}

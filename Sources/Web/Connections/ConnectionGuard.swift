import Library
import HTTPTypes
package import NIOCore
package import NIOHTTP1

/// Guards one connection: limits connections per address and the arrival time of requests, and rejects invalid
/// requests.
///
/// It sits directly after the decoder. It answers a rejected request with a message and ends the connection.
package final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart
    package typealias OutboundIn = HTTPServerResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    /// A body that is arriving.
    private struct Body {
        let start: NIODeadline
        var bytes = 0
    }

    private let limits: ConnectionLimits
    private let counts: ConnectionCounts
    /// The client's address under which the connection is counted; `nil` while it is not counted.
    private var address: String?
    private let countsAddresses: Bool
    private var timer: Scheduled<Void>?
    private var body: Body?
    private var bodyBytes = 0
    /// The number of requests without a complete answer, and whether part of the first answer is written.
    private var unanswered = 0
    private var isAnswering = false
    /// Whether the client waits for 100 Continue before sending the body of the last request.
    private var waitsForLeave = false
    private var isHead = false
    private var endsAfterAnswers = false
    /// Whether the client speaks HTTP/1.0, where the end of the connection ends the answer.
    private var isOld = false
    /// The pace at which the client reads answers of known length; set while one may be waiting for the client.
    private var pace: AnswerPace?
    private var answerTimer: Scheduled<Void>?
    private var isMeasured = false
    /// Whether reading and writing have ended.
    private var hasEnded = false

    package init(limits: ConnectionLimits, counts: ConnectionCounts, countsAddresses: Bool) {
        self.limits = limits
        self.counts = counts
        self.countsAddresses = countsAddresses
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        // Thousands of connections must not hold 64 KB each just because they once sent that much.
        let allocator = AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2_048, maximum: 16_384)
        try? context.channel.syncOptions?.setOption(.recvAllocator, value: allocator)
        if context.channel.isActive { begin(context) }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        answerTimer?.cancel()
    }

    package func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard timer == nil, !hasEnded else { return }
        if countsAddresses, let name = ClientAddress.name(of: context.remoteAddress, headers: [:], trustsProxy: false) {
            guard counts.open(from: name) else { return refuse(HeadRules.tooManyConnections, context, lingers: false) }
            address = name
        }
        schedule(limits.head, context) { [self] in refuse(HeadRules.tooSlow, $0) }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        answerTimer?.cancel()
        if let address { counts.close(from: address) }
        address = nil
        counts.noteEnd(bodyBytes: bodyBytes)
        context.fireChannelInactive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasEnded, !endsAfterAnswers else {
            // It reads on after the last answer, so that the client finds it: closing with unread bytes resets.
            guard case .end = unwrapInboundIn(data), body != nil else { return }
            body = nil
            if hasEnded { schedule(.seconds(1), context) { $0.close(promise: nil) } }
            return
        }
        switch unwrapInboundIn(data) {
        case .head(let head):
            timer?.cancel()
            isHead = head.method == .HEAD
            isOld = isOld || head.version == .http1_0
            if let problem = HeadRules.refusal(of: head) { return refuse(problem, context) }
            unanswered += 1
            waitsForLeave = HeadRules.waitsForLeave(head)
            body = Body(start: .now())
            watchBody(context)
        case .body(let buffer):
            body?.bytes += buffer.readableBytes
            bodyBytes += buffer.readableBytes
        case .end:
            timer?.cancel()
            body = nil
            waitsForLeave = false
        }
        context.fireChannelRead(data)
    }

    private func watchBody(_ context: ChannelHandlerContext) {
        schedule(min(limits.bodyGrace, limits.body), context) { [self] context in
            guard let body else { return }
            // A client that was not told to continue cannot make progress.
            guard waitsForLeave || !limits.isTooSlow(bytes: body.bytes, after: .now() - body.start) else {
                // Its request may have its answer already; a second one would be taken for that of the next request.
                return unanswered > 0 ? refuse(HeadRules.tooSlow, context) : end(context)
            }
            watchBody(context)
        }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !hasEnded else { return }
        guard let parserError = error as? HTTPParserError, let problem = HeadRules.problem(for: parserError),
            unanswered == 0
        else {
            endsAfterAnswers = endsAfterAnswers || error is HTTPParserError && unanswered > 0
            return context.fireErrorCaught(error)
        }
        refuse(problem, context)
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !hasEnded else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.code >= 200:
            isAnswering = true
            // An answer without a length is an export or a stream.
            isMeasured = head.headers.contains(name: "Content-Length")
            // Nothing is gained by waiting for the rest of a body that is too large.
            let isTooLarge = head.status.code == 413 && unanswered == 1
            guard waitsForLeave || isOld || isTooLarge else { return context.write(data, promise: promise) }
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            // The client may or may not send its body, so it is unknown where the next request would start.
            endsAfterAnswers = endsAfterAnswers || waitsForLeave || isTooLarge
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body(.byteBuffer(let buffer)) where isMeasured:
            watchAnswer(adding: buffer.readableBytes, context)
            context.write(data, promise: promise)
        case .head, .body:
            context.write(data, promise: promise)
        case .end:
            isAnswering = false
            unanswered -= 1
            guard endsAfterAnswers || isOld, unanswered <= 0 else { return context.write(data, promise: promise) }
            context.writeAndFlush(data, promise: promise)
            // Many clients read the answer only once they have sent all of the body.
            end(context, within: body == nil || waitsForLeave ? .seconds(1) : limits.bodyGrace)
        }
    }

    package func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?)
    {
        guard event is BodyDemand.Event else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        if waitsForLeave, !isAnswering, unanswered == 1 {
            waitsForLeave = false
            body = Body(start: .now())
            let leave = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(leave)), promise: nil)
        }
        promise?.succeed()
    }

    /// Answers with a message, unless another answer is in progress, and ends the connection.
    private func refuse(_ problem: Problem, _ context: ChannelHandlerContext, lingers: Bool = true) {
        guard !hasEnded else { return }
        guard !isAnswering, unanswered <= (body == nil ? 0 : 1) else {
            // A message within another answer would be taken for part of it.
            guard body == nil else { return context.close(promise: nil) }
            endsAfterAnswers = true
            return
        }
        let bytes = problem.json
        var headers = HTTPHeaders([
            ("Content-Type", MediaType.problem), ("Content-Length", String(bytes.count)),
            ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
            ("Content-Security-Policy", BrowserRules.contentPolicy), ("Connection", "close"),
        ])
        for field in problem.headers { headers.add(name: field.name.rawName, value: field.value) }
        let status = HTTPResponseStatus(statusCode: problem.status.code, reasonPhrase: problem.status.reasonPhrase)
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !isHead { context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        guard lingers else {
            hasEnded = true
            return context.close(promise: nil)
        }
        end(context)
    }

    /// Ends the connection after pending writes, at once for the client that reads, at the latest after `time` for the
    /// one that goes on sending: closing it with unread bytes could lose the answer.
    private func end(_ context: ChannelHandlerContext, within time: TimeAmount = .seconds(1)) {
        hasEnded = true
        timer?.cancel()
        context.close(mode: .output, promise: nil)
        schedule(time, context) { $0.close(promise: nil) }
    }

    /// Checks whether the client keeps reading, while bytes of an answer wait for it.
    private func watchAnswer(adding bytes: Int, _ context: ChannelHandlerContext) {
        if pace == nil { pace = AnswerPace(start: .now()) }
        pace?.add(bytes)
        guard answerTimer == nil else { return }
        answerTimer = context.eventLoop.assumeIsolated()
            .scheduleTask(in: limits.answerIdle) { [self] in
                answerTimer = nil
                let waiting = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)).flatMap(\.self) ?? 0
                switch pace?.look(waiting: waiting, at: .now(), limits: limits) ?? .done {
                case .done: pace = nil
                case .goesOn: watchAnswer(adding: 0, context)
                case .givenUp:
                    hasEnded = true
                    timer?.cancel()
                    context.close(promise: nil)
                }
            }
    }

    private func schedule(
        _ delay: TimeAmount,
        _ context: ChannelHandlerContext,
        _ body: @escaping (ChannelHandlerContext) -> Void
    ) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: delay) { body(context) }
    }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}

/// Installs a ``ConnectionGuard`` directly after the decoder of a connection.
package final class ConnectionSetUp: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = NIOAny

    private let connectionGuard: ConnectionGuard

    package init(_ connectionGuard: ConnectionGuard) { self.connectionGuard = connectionGuard }

    package func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(connectionGuard, position: .after(decoder))
        } catch {
            // A connection without its guard is not served.
            context.close(promise: nil)
        }
    }
}

@available(*, unavailable)
extension ConnectionSetUp: Sendable {}

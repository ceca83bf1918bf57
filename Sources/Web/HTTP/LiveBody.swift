package import Library
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix

/// A live stream as an answer, with its seat.
package struct LiveAnswer: Sendable {
    package let stream: any LiveStream
    package let seat: LiveHub.Seat

    /// Creates a value from its parts.
    package init(stream: any LiveStream, seat: LiveHub.Seat) {
        self.stream = stream
        self.seat = seat
    }
}

/// The body of an answer that continues until one side ends it.
enum LiveBody: Sendable {
    /// Returns a body that ends when the client closes the connection, the service stops, or the stream is cut off.
    ///
    /// Without a connection it ends after the data available now. With one, the task of the exchange only waits for the
    /// end and keeps its stack as small as possible, because there are thousands of such tasks.
    static func body(_ live: LiveAnswer, over connection: (any Channel)?) -> ResponseBody {
        guard let connection else { return brief(live) }
        return ResponseBody { writer in
            let sink = BodySink(writer: writer)
            let isWhole = await withCheckedContinuation { continuation in
                begin(live, to: sink, over: connection) { continuation.resume(returning: $0) }
            }
            guard isWhole, !live.seat.client.isCut else { throw CancellationError() }
            await connection.settle()
            try await writer.finish(nil)
        }
    }

    private static func brief(_ live: LiveAnswer) -> ResponseBody {
        ResponseBody { writer in
            live.seat.client.signal(.end)
            var sink: any PieceSink = BodySink(writer: writer)
            try await live.stream.run(to: &sink)
            try await writer.finish(nil)
        }
    }

    private static func begin(
        _ live: LiveAnswer,
        to sink: BodySink,
        over connection: any Channel,
        end: @escaping @Sendable (_ isWhole: Bool) -> Void
    ) {
        watch(connection, for: live.seat.client)
        live.stream.start(to: sink, end: end)
    }

    /// Detects a closed connection at once, and within half a minute a client that vanished without closing it.
    private static func watch(_ connection: any Channel, for client: LiveClient) {
        client.onCut { connection.close(promise: nil) }
        // Streams are not half closed: a client that has stopped sending has also stopped reading.
        _ = connection.setOption(.allowRemoteHalfClosure, value: false)
        // The client sends hardly anything from here on, so the default buffer of two kilobytes would be a waste.
        _ = connection.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64))
        #if os(Linux)
        let unanswered = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: TCP_USER_TIMEOUT))
        _ = connection.setOption(unanswered, value: Int(LiveHub.patience))
        #endif
        connection.closeFuture.whenComplete { _ in client.cutOff() }
    }
}

extension HTTPField.Name {
    /// `X-Accel-Buffering`: makes a proxy forward pieces as they arrive.
    static let accelBuffering = known("X-Accel-Buffering")
}

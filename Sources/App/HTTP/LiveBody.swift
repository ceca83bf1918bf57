import Library
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix

/// A stream as an answer, with its seat.
struct LiveAnswer: Sendable {
    let stream: any LiveStream
    let seat: LiveHub.Seat
}

/// The body of an answer that goes on until somebody ends it.
enum LiveBody: Sendable {
    /// A body that ends when the other side closes the connection, when the service ends, and when it is cut off.
    ///
    /// Without a connection it ends with what there is. With one, the task of the exchange waits for nothing but the end,
    /// with as little on its stack as can be: there are thousands.
    static func body(_ live: LiveAnswer, over connection: (any Channel)?) -> ResponseBody {
        guard let connection else { return brief(live) }
        return ResponseBody { writer in
            let sink = BodySink(writer: writer)
            let isWhole = await withCheckedContinuation { continuation in
                begin(live, to: sink, over: connection) { continuation.resume(returning: $0) }
            }
            guard isWhole, !live.seat.client.isCut else { throw CancellationError() }
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

    /// Notices at once when the other side goes, and within half a minute when it is gone without a word.
    private static func watch(_ connection: any Channel, for client: LiveClient) {
        client.onCut { connection.close(promise: nil) }
        // A stream is not half closed: who sends no more reads no more.
        _ = connection.setOption(.allowRemoteHalfClosure, value: false)
        // Nothing more is read of it that would need two kilobytes at a time.
        _ = connection.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64))
        #if os(Linux)
        let unanswered = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: TCP_USER_TIMEOUT))
        _ = connection.setOption(unanswered, value: Int(LiveHub.patience))
        #endif
        connection.closeFuture.whenComplete { _ in client.cutOff() }
    }
}

extension HTTPField.Name {
    /// `X-Accel-Buffering`: tells a proxy to pass pieces on as they come.
    static let accelBuffering = known("X-Accel-Buffering")
}

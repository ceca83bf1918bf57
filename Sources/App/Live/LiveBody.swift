import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The body of an answer that goes on until somebody ends it.
enum LiveBody: Sendable {
    /// A body that ends when the other side closes the connection, when the service ends, and when it is cut off.
    ///
    /// Without a connection it ends with what there is.
    static func body(
        _ stream: @escaping @concurrent @Sendable (_ sink: inout any PieceSink) async throws -> Void,
        of seat: LiveHub.Seat,
        over connection: (any Channel)?
    ) -> ResponseBody {
        ResponseBody { writer in
            let client = seat.client
            if let connection {
                watch(connection, for: client)
            } else {
                client.signal(.end)
            }
            var sink: any PieceSink = BodySink(writer: writer)
            try await withGracefulShutdownHandler {
                try await stream(&sink)
            } onGracefulShutdown: {
                client.signal(.end)
            }
            guard !client.isCut else { throw CancellationError() }
            try await writer.finish(nil)
        }
    }

    /// Notices at once when the other side goes, and within half a minute when it is gone without a word.
    private static func watch(_ connection: any Channel, for client: LiveClient) {
        client.onCut { connection.close(promise: nil) }
        // A stream is not half closed: who sends no more reads no more.
        _ = connection.setOption(.allowRemoteHalfClosure, value: false)
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

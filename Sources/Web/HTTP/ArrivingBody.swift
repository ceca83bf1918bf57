import Hummingbird
import NIOCore

/// The body of a request whose handler receives it piece by piece.
package struct ArrivingBody: Sendable {
    private let body: RequestBody?
    private let most: Int

    /// Creates the body of a request that has none, or has been read.
    package init() { (body, most) = (nil, 0) }

    init(_ request: Request, of endpoint: Endpoint) {
        body = endpoint.body?.isStreamed ?? false ? request.body : nil
        most = endpoint.body?.maxBytes ?? 0
    }

    /// Passes the pieces to `receive`, which also sets the pace: the next piece is read once it returns.
    ///
    /// - Throws: ``Problem`` (413) if the body is longer than declared, or (400) if it ends early; any error of `receive`.
    package func forEach(_ receive: (_ bytes: [UInt8]) async throws -> Void) async throws {
        guard let body else { return }
        var count = 0
        var failure: (any Error)?
        do {
            for try await piece in body {
                count += piece.readableBytes
                do {
                    guard count <= most else { throw Problem.tooLarge(most) }
                    try await receive(Array(piece.readableBytesView))
                } catch {
                    failure = error
                    break
                }
            }
        } catch {
            throw Problem(.badRequest, "unreadable-body", "The body could not be read completely. Send it again.")
        }
        if let failure { throw failure }
    }
}

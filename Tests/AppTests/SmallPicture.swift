import Foundation
import HTTPTypes
import HummingbirdTesting
import Library
import NIOCore
import Stories

/// Pictures for tests over HTTP.
enum SmallPicture: Sendable {
    /// A WebP of 3 × 2 pixels in a shade of green, whose bytes are also text: tests can send it like any other body.
    ///
    /// Lossless, without transforms, five codes of one symbol each, so that no pixel takes a bit; the symbol of green is
    /// four times `shade`, 0...63 (WebP Lossless Bitstream Specification §5 and §6).
    static func webp(_ shade: UInt8 = 1) -> String {
        let symbol = String(UnicodeScalar(0x40 + shade % 64))
        return "RIFF\u{16}\0\0\0WEBPVP8L\u{9}\0\0\0/\u{2}@\0\0(\(symbol)D\u{4}\0"
    }

    /// A sample of the tests of the decoders.
    static func sample(_ name: String) throws -> [UInt8] {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return [UInt8](try Data(contentsOf: tests.appendingPathComponent("PicturesTests/Samples/\(name)")))
    }
}

extension Client {
    /// Gives a story a picture of so many bytes.
    func putPicture(
        _ bytes: [UInt8],
        on id: String,
        as user: String?,
        type: String = "image/jpeg",
        headers given: HTTPFields = [:]
    ) async throws -> Reply {
        var headers = given
        headers[.contentType] = type
        if let user, let id = UserID(user) {
            headers[.authorization] = "Bearer " + (try await accounts.issueToken(for: id, seconds: 3_600))
        }
        return try await transport.execute(
            uri: "/v1/stories/\(id)/thumbnail",
            method: .put,
            headers: headers,
            body: ByteBuffer(bytes: bytes)
        ) { response in
            Reply(
                status: response.status.code,
                headers: response.headers,
                bytes: Array(response.body.readableBytesView)
            )
        }
    }

    /// The picture of a story, as somebody gets it.
    func picture(of id: String, as user: String? = nil, headers: HTTPFields = [:]) async throws -> Reply {
        try await get("/v1/stories/\(id)/thumbnail", as: user, headers: headers)
    }
}

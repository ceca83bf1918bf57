/// Server-sent events as bytes.
package enum EventText: Sendable {
    /// The start of a stream: the time to wait before reconnecting, in milliseconds.
    package static let opening = Array("retry: 3000\n\n".utf8)
    /// A heartbeat: a comment, which clients ignore.
    package static let beat = Array(": ka\n\n".utf8)

    /// Appends an event; its data must be a single line.
    package static func append(_ name: String, id: String, data: [UInt8], to bytes: inout [UInt8]) {
        bytes += Array("id: \(id)\nevent: \(name)\ndata: ".utf8)
        bytes += data
        bytes += Array("\n\n".utf8)
    }
}

/// Server-sent events as bytes.
package enum EventText: Sendable {
    /// What a stream begins with: how long to wait before connecting again, in milliseconds.
    package static let opening = Array("retry: 3000\n\n".utf8)
    /// A sign of life, which clients pass over.
    package static let beat = Array(": ka\n\n".utf8)

    /// Appends an event; its data is one line.
    package static func append(_ name: String, id: String, data: [UInt8], to bytes: inout [UInt8]) {
        bytes += Array("id: \(id)\nevent: \(name)\ndata: ".utf8)
        bytes += data
        bytes += Array("\n\n".utf8)
    }
}

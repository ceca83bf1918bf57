/// Server-sent events as bytes.
package enum EventText: Sendable {
    /// The start of a stream: the time to wait before reconnecting, in milliseconds.
    package static let opening = Array("retry: 3000\n\n".utf8)
    /// Returns the end of a stream of a service that stops: a new time to wait before reconnecting.
    ///
    /// It is between 1 and 10 s, spread evenly over the numbers of clients, so that they do not all return at once.
    package static func farewell(toClient number: Int) -> [UInt8] {
        Array("retry: \(1_000 + abs(number % 1_000) * 7_919 % 9_001)\n\n".utf8)
    }

    /// A heartbeat: a comment, which clients ignore.
    package static let beat = Array(": ka\n\n".utf8)

    /// Appends an event; its data must be a single line.
    package static func append(_ name: String, id: String, data: [UInt8], to bytes: inout [UInt8]) {
        bytes += Array("id: \(id)\nevent: \(name)\ndata: ".utf8)
        bytes += data
        bytes += Array("\n\n".utf8)
    }
}

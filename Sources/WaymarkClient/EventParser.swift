import Foundation

/// Reads server-sent events from pieces of a stream, wherever they are cut.
struct EventParser: Sendable {
    /// An event, or a new time to wait before connecting again.
    struct Event: Hashable, Sendable {
        var name = "message"
        var data = ""
        /// The id of the last event so far, from which a stream can be continued.
        var id: String?
    }

    /// The time to wait before connecting again, in milliseconds, once the stream has named it.
    private(set) var retry: Int?
    /// The id of the last event so far.
    private(set) var lastID: String?

    /// The id that counts once the present event is complete.
    private var nextID: String?
    private var line: [UInt8] = []
    private var hasReturn = false
    private var isFirstLine = true
    private var name = ""
    private var data: [String] = []
    private var size = 0

    /// The maximum number of bytes of a line and of an event.
    static let mostBytes = 4 << 20

    /// Returns the events that end in a piece.
    ///
    /// - Throws: ``WaymarkFailure`` if an event has more than ``mostBytes`` bytes.
    mutating func read(_ piece: Data) throws -> [Event] {
        var events: [Event] = []
        for byte in piece {
            // A line ends in CR, LF or both; the LF of both can be in the next piece.
            let isRest = hasReturn && byte == UInt8(ascii: "\n")
            hasReturn = byte == UInt8(ascii: "\r")
            if isRest { continue }
            guard byte == UInt8(ascii: "\n") || hasReturn else {
                line.append(byte)
                size += 1
                guard size <= EventParser.mostBytes else {
                    throw WaymarkFailure(.unreadable, detail: "An event has more than \(EventParser.mostBytes) bytes.")
                }
                continue
            }
            if let event = endLine() { events.append(event) }
        }
        return events
    }

    private mutating func endLine() -> Event? {
        defer { line = [] }
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirstLine = false
        guard !line.isEmpty else { return endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        let text = String(decoding: value, as: UTF8.self)
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": name = text
        case "data": data.append(text)
        case "id" where !value.contains(0): nextID = text
        case "retry" where !text.isEmpty && text.utf8.allSatisfy({ (0x30...0x39).contains($0) }):
            retry = Int(text) ?? retry
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> Event? {
        defer { (name, data, size) = ("", [], 0) }
        lastID = nextID
        guard !data.isEmpty else { return nil }
        return Event(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"), id: lastID)
    }
}

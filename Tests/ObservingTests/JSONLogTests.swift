import Formats
import Logging
import Observing
import Stories
import Synchronization
import Testing

/// The log as JSON, and its level.
struct JSONLogTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[[UInt8]]>([])
        func add(_ line: [UInt8]) { lines.withLock { $0.append(line) } }
        var all: [[UInt8]] { lines.withLock { $0 } }
    }

    @Test("OBS-01 Each event is a line of JSON with time, level, message and its fields; numbers stay numbers")
    func line() throws {
        let lines = Lines()
        var handler = JSONLogHandler(now: { Timestamp(milliseconds: 1_700_000_000_123) }, write: { lines.add($0) })
        handler.metadata["service"] = "waymark"
        let logger = Logger(label: "test", factory: { _ in handler })
        logger.warning(
            "two \"lines\"\nin one",
            metadata: [
                "status": .stringConvertible(404), "ms": .stringConvertible(1.5), "message": "taken",
                "list": ["a", "b"],
            ]
        )
        let line = try #require(lines.all.first)
        #expect(line.last == UInt8(ascii: "\n") && line.filter { $0 == UInt8(ascii: "\n") }.count == 1)
        let json = try JSONValue(parsing: Array(line.dropLast()))
        #expect(json["time"]?.string == "2023-11-14T22:13:20.123Z")
        #expect(json["level"]?.string == "warning")
        #expect(json["message"]?.string == "two \"lines\"\nin one")
        #expect(json["message_"]?.string == "taken")
        #expect(json["service"]?.string == "waymark")
        #expect(json["status"]?.integer == 404)
        #expect(json["ms"]?.number == 1.5)
        #expect(json["list"]?.array?.count == 2)
    }

    @Test("The level of a log changes for loggers that exist already")
    func level() {
        let (lines, level) = (Lines(), LogLevel(.warning))
        let logger = Logger(label: "test") { _ in
            SharedLevelHandler(
                JSONLogHandler(now: { Timestamp(milliseconds: 0) }, write: { lines.add($0) }),
                level: level
            )
        }
        logger.info("one")
        level.current = .debug
        logger.debug("two")
        level.current = .error
        logger.warning("three")
        #expect(lines.all.count == 1)
    }
}

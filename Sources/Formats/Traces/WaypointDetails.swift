/// What the waypoints of a GPX file say beside their name, description and time: other elements, and those of programs.
package struct WaypointDetails {
    /// The values of elements without other elements, each pair of name and value once.
    package let values: [(name: String, value: String)]

    /// Reads a file that ``TraceReader`` can read; of any other, the values up to its error.
    ///
    /// - Complexity: O(bytes).
    package init(gpx bytes: [UInt8]) {
        var handler = WaypointValueHandler()
        do {
            try XMLScanner.read(
                try XMLText.prepared(bytes),
                depth: TraceLimits(bytes: bytes.count).depth,
                into: &handler
            )
        } catch {
            // The trace reader has reported it.
        }
        values = handler.values
    }
}

/// Collects the values of elements within waypoints.
private struct WaypointValueHandler: XMLElementHandler {
    var values: [(name: String, value: String)] = []
    private var isInside = false
    private var seen: Set<String> = []

    /// What is read, and numbers.
    private static let known: Set<String> = ["name", "desc", "time", "ele", "wpt", "magvar", "geoidheight"]
    /// More different values than that are not collected; every file has few names.
    private static let most = 10_000
    /// The maximum number of characters of a value; a longer one is cut.
    private static let longest = 400

    mutating func start(_ name: String, attributes: [String: String], line: Int) {
        if name == "wpt" { isInside = true }
    }

    mutating func end(_ name: String, text: String, line: Int) {
        if name == "wpt" { isInside = false }
        guard isInside, !text.isEmpty, !Self.known.contains(name), values.count < Self.most else { return }
        let value = String(text.prefix(Self.longest))
        if seen.insert(name + "=" + value).inserted { values.append((name, value)) }
    }
}

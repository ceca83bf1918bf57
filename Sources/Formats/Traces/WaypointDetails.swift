/// What the waypoints of a GPX file say beside their name, description and time: other elements, and those of programs.
package struct WaypointDetails {
    /// The values of elements without other elements, each pair of name and value once.
    package let values: [(name: String, value: String)]
    /// What the file says about itself, in the same way.
    package let notes: [FileNote]

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
        notes = handler.notes
    }
}

/// Collects the values of elements within waypoints.
private struct WaypointValueHandler: XMLElementHandler {
    var values: [(name: String, value: String)] = []
    var notes: [FileNote] = []
    /// Whether the elements are those of a waypoint, or of the whole file; of tracks they are neither.
    private var (isInWaypoint, isInMetadata) = (false, false)
    private var seen: Set<String> = []

    /// What is read, and numbers.
    private static let known: Set<String> = ["name", "desc", "time", "ele", "wpt", "magvar", "geoidheight"]
    /// More different values than that are not collected; every file has few names.
    private static let most = 10_000
    /// The maximum number of characters of a value; a longer one is cut.
    private static let longest = 400

    mutating func start(_ name: String, attributes: [String: String], line: Int) {
        if name == "wpt" {
            isInWaypoint = true
            return
        }
        if name == "metadata" { isInMetadata = true }
        for (attribute, value) in attributes.sorted(by: { $0.key < $1.key }) { add(attribute, value) }
    }

    mutating func end(_ name: String, text: String, line: Int) {
        if name == "wpt" { isInWaypoint = false }
        if name == "metadata" { isInMetadata = false }
        guard WaypointStory(rawValue: name) == nil else { return }
        if !Self.known.contains(name) || isInMetadata { add(name, text) }
    }

    /// Adds a value; an empty one, too, because a name may say enough.
    private mutating func add(_ name: String, _ text: String) {
        guard isInWaypoint || isInMetadata, values.count + notes.count < Self.most else { return }
        let value = String(text.prefix(Self.longest))
        guard seen.insert("\(isInWaypoint) \(name)=\(value)").inserted else { return }
        if isInWaypoint { values.append((name, value)) } else { notes.append(FileNote(name: name, value: value)) }
    }
}

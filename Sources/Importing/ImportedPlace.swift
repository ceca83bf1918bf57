import Formats
import Geometry
public import Stories

/// A validated place that a story in a file has besides its location: a ``StoryPlace`` without its id (LOC-10).
public struct ImportedPlace: Hashable, Sendable {
    /// The part it plays.
    public let role: PlaceRole
    /// Where in the recording it comes up, in seconds, or `nil`.
    public let seconds: Double?
    /// The point with its source, names and precision; with its times, if the import keeps them.
    public let location: StoryLocation
    /// The line or the area, or `nil` for a point.
    public let shape: PlaceShape?
    /// Whether it is published; what a program extracted waits for its owner unless the file says otherwise (LOC-11).
    public let isConfirmed: Bool
    /// The id in our own export, if the import keeps it.
    public let keptID: StoryID?

    /// Returns the place with an id.
    public func place(id: StoryID) -> StoryPlace {
        StoryPlace(
            id: id,
            role: role,
            seconds: seconds,
            location: location,
            shape: shape,
            isConfirmed: isConfirmed
        )
    }

    /// Everything that the file says about it, for a digest.
    package var content: String {
        let shown = "\(location.precision) \(location.familySeesExact) \(isConfirmed)"
        return identity + "|" + shown
    }

    /// What makes it the same place in another version of a file; see ``StoryPlace``.
    package var identity: String { place(id: StoryID(high: 0, low: 0)).identity }
}

extension StoryPlace {
    /// What makes it the same place in another version of a file: role, position in the recording, shape, source and the
    /// names that were given, but not how it is shown.
    package var identity: String {
        let corners = shape?.lines.map { line in line.map { "\($0.longitude) \($0.latitude)" }.joined(separator: ",") }
        let point = "\(location.coordinate.longitude) \(location.coordinate.latitude)"
        let drawn = corners.map { [shape?.structure ?? ""].filter { !$0.isEmpty } + $0 }?.joined(separator: ";")
        let names = LocationName.allCases.map { location.derived.contains($0) ? nil : location.names[$0] }
        let parts = [
            role.rawValue, seconds.map { "\($0)" } ?? "", drawn ?? point,
            location.source.rawValue, location.accuracy.map { "\($0)" } ?? "",
        ]
        // The length of a name precedes it, so that no two combinations of names give the same text.
        return parts.joined(separator: "|") + names.map { "|\($0?.utf8.count ?? -1) \($0 ?? "")" }.joined()
    }
}

extension ImportRecord {
    /// Takes further places as our own exports write them: a list of objects, or its JSON in formats without lists.
    ///
    /// Returns whether the value is such a list, or at least meant to be one.
    mutating func fill(places value: JSONValue) -> Bool {
        if let list = value.array {
            guard list.allSatisfy({ $0.object != nil }) else { return false }
            places = list
            return true
        }
        guard let text = value.string, text.first(where: { !$0.isWhitespace }) == "[" else { return false }
        let bytes = Array(text.utf8)
        do throws(JSONError) {
            let list = try JSONValue(parsing: bytes, limits: .init(bytes: bytes.count))
            // A list of words or numbers is something else.
            return list.array == nil ? false : fill(places: list)
        } catch {
            guard text.drop(while: { $0.isWhitespace || $0 == "[" }).first == "{" else { return false }
            fail(.places, "is not JSON: \(error)")
            return true
        }
    }
}

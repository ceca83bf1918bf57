import Geometry
import Stories

/// A place that an entry of a document has besides its first.
struct DocumentPlace: Hashable {
    /// The name; empty if the document gives none.
    let name: String
    /// What stands for the place where it is only mentioned.
    let words: String
    /// The position, or `nil` if there is none that can be read.
    let coordinate: Coordinate?
}

extension FeatureDocument {
    /// Returns the properties for the places of an entry after its first: as `places` those with a position, as
    /// `mentions` the words for the others.
    ///
    /// `role` is the part that they play in the entry, `seconds` where in a recording they come up.
    static func further(
        _ places: some Sequence<DocumentPlace>,
        role: String,
        at seconds: Int? = nil
    ) -> (places: [JSONValue], mentions: [JSONValue]) {
        var (found, mentions) = ([JSONValue](), [JSONValue]())
        for place in places {
            guard let coordinate = place.coordinate, found.count < StoryLimits.placeCount else {
                if !place.words.isEmpty { mentions.append(.string(place.words)) }
                continue
            }
            var members: [String: JSONValue] = [
                "role": .string(role), "lat": .number(coordinate.latitude), "lon": .number(coordinate.longitude),
            ]
            if let seconds { members["seconds"] = .number(Double(seconds)) }
            if !place.name.isEmpty { members["name"] = .string(place.name) }
            found.append(.object(members))
        }
        return (found, mentions)
    }
}

/// An extension of waypoints in our own GPX exports with what GPX has no element for.
///
/// Without it, a private story would be public in the database that imports the file, and dates would be lost. The names
/// cannot be mistaken for those of other programs, so their prefix does not matter.
package enum WaypointStory: String, CaseIterable, Sendable {
    case kind = "story_kind"
    /// The date as its story has it; GPX has instants.
    case date = "story_date"
    case tags = "story_tags"
    case people = "story_people"
    /// Who may see the story, unless everybody may.
    case privacy = "story_privacy"
    /// The only family that may see it.
    case family = "story_family"
    /// How exactly its location is shown, unless it is shown exactly.
    case precision = "story_precision"
    /// The size of the cell in which it is shown, in degrees.
    case cell = "story_cell"

    /// The namespace of the extensions.
    package static let namespace = "urn:waymark:story"

    /// The name of its column in a table.
    package var column: String { String(rawValue.dropFirst("story_".count)) }
}

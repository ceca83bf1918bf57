/// An extension of waypoints in our own GPX exports that says who may see a story, or where.
///
/// Without it, a private story would be public in the database that imports the file. The names cannot be mistaken for
/// those of other programs, so their prefix does not matter.
package enum WaypointLimit: String, CaseIterable, Sendable {
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
}

import Stories
import Web

/// The schemas of further places as features: the columns that exports have of them.
enum PlaceFeatureSchemas: Sendable {
    private static let name = Schema.nullable(StorySchemas.shownName)

    private static let properties: [Schema.Member] =
        [
            .init("story_place", .hexID, required: true, "The id of the place."),
            .init("story_id", .hexID, required: true, "The id of its story."),
            .init("title", StorySchemas.shownTitle, required: true, "The title of its story."),
            .init(
                "role",
                .text(minBytes: 1, maxBytes: StoryLimits.roleLength, pattern: TextPattern.word),
                required: true,
                "The part that the place plays."
            ),
            .init(
                "seconds",
                .nullable(.number(0...StoryLimits.recordingSeconds)),
                required: true,
                "Where in the recording it comes up, in seconds."
            ),
            .init("accuracy", .nullable(.number(0...StoryLimits.accuracy)), required: true),
            .init("precision", StorySchemas.precision, required: true),
            .init("cell", .nullable(.number(0.01...1)), required: true),
            .init("family_sees_exact", .boolean, required: true),
            .init("location_source", StorySchemas.source, required: true),
            .init(
                "location_confirmed",
                .boolean,
                required: true,
                "Whether the place is published; false, for the owner alone, while it awaits confirmation."
            ),
        ] + ["place_name", "address", "city", "state", "country"].map { .init($0, name, required: true) }

    /// Returns the schema of a feature; alone it has links of its own.
    static func feature(isAlone: Bool) -> Schema {
        let own: [Schema.Member] = isAlone ? [.init("links", FeatureSchemas.links, required: true)] : []
        return .object(
            [
                .init("type", .constant("Feature"), required: true), .init("id", .hexID, required: true),
                .init(
                    "geometry",
                    .nullable(.named("FeatureShape")),
                    required: true,
                    "The geometry in the reference system that Content-Crs names, in the order of its axes; null if the system "
                        + "does not reach there."
                ),
                .init("properties", .object(properties), required: true),
            ] + own
        )
    }
}

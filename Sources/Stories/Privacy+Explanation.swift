/// A plain-English explanation of a privacy level, for users who choose one (PRV-01).
public struct PrivacyExplanation: Hashable, Sendable {
    /// The level's display name.
    public let title: String
    /// The audience of the story.
    public let who: String
    /// The effect on the map.
    public let map: String
    /// The effect on search and lists.
    public let search: String
    /// The effect on notifications.
    public let notifications: String

    /// The version of all explanations of levels and precisions; it changes whenever their meaning does.
    public static let version = "2026-11"
}

extension Privacy {
    /// The explanation of the level.
    public var explanation: PrivacyExplanation {
        switch self {
        case .public:
            PrivacyExplanation(
                title: "Public",
                who: "Everyone sees the story, also people who are not signed in.",
                map: "It is on everybody's map and counts in everybody's clusters.",
                search: "Everybody finds it in lists and by searching.",
                notifications: "Anyone who turned notifications on can be told of it when they come near its place."
            )
        case .familyOnly:
            PrivacyExplanation(
                title: "Family only",
                who: "You see the story, and so do the members of all your families, or of the one family you name. "
                    + "Who leaves a family stops seeing it at once.",
                map:
                    "It is on the maps of those family members and counts in their clusters; for all others it is not there.",
                search: "Only those family members find it in lists and by searching.",
                notifications: "Only those family members can be told of it when they come near its place."
            )
        case .private:
            PrivacyExplanation(
                title: "Private",
                who: "You alone see the story.",
                map: "It is on your own map only; for all others it is not there, nor in any count.",
                search: "Only you find it in lists and by searching.",
                notifications: "Nobody else is ever told of it."
            )
        }
    }
}

extension LocationPrecision {
    /// The effect of each of the three precisions on a story's place, by name, in display order.
    public static let explanations: [(name: String, title: String, text: String)] = [
        (
            "exact", "Exact place",
            "Everyone who sees the story sees the point and its names as they are."
        ),
        (
            "approximate", "Approximate place",
            "Others see the middle of a fixed cell of 0.01, 0.1 or 1 degree (about 1, 11 or 111 km) and no names, always "
                + "the same one, wherever in the cell the story is. You see the exact point, and so does your family if you allow it."
        ),
        (
            "hidden", "Hidden place",
            "Others see the story without a place, and it is on nobody's map but yours and, if you allow it, your family's."
        ),
    ]
}

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
                who: "Everyone can see the story, including people who are not signed in.",
                map: "It is on everyone's map and is counted in everyone's clusters.",
                search: "Everyone finds it in lists and by searching.",
                notifications: "Anyone with notifications on can be notified of it when they come near its place."
            )
        case .familyOnly:
            PrivacyExplanation(
                title: "Family only",
                who: "You can see the story, and so can the members of all your families, or of the one family you "
                    + "name. Anyone who leaves the family stops seeing it at once.",
                map:
                    "It is on the maps of those family members and is counted in their clusters; no one else sees it.",
                search: "Only those family members find it in lists and by searching.",
                notifications: "Only those family members can be notified of it when they come near its place."
            )
        case .private:
            PrivacyExplanation(
                title: "Private",
                who: "Only you can see the story.",
                map: "It is only on your own map and is counted only for you.",
                search: "Only you find it in lists and by searching.",
                notifications: "No one else is ever notified of it."
            )
        }
    }
}

extension LocationPrecision {
    /// The effect of each of the three precisions on a story's place, by name, in display order.
    public static let explanations: [(name: String, title: String, text: String)] = [
        (
            "exact", "Exact place",
            "Everyone who can see the story sees the exact point and its names."
        ),
        (
            "approximate", "Approximate place",
            "Others see no names, and instead of the point the middle of a fixed cell of 0.01, 0.1 or 1 degree (about "
                + "1, 11 or 111 km), wherever in the cell the story is. You see the exact point, and so does your "
                + "family if you allow it."
        ),
        (
            "hidden", "Hidden place",
            "Others see the story without a place. It is only on your map and, if you allow it, your family's."
        ),
    ]
}

import Geometry
public import Stories

extension NearbyStory {
    /// Creates what is announced of a story to a viewer: its published point, for its owner the exact one; `nil` for one
    /// without such a point.
    ///
    /// It does not ask whether they may see the story; ``visible(_:locationEpoch:to:tellers:)`` does. `tellers` are the
    /// names of those who tell stories, where they may be said; nobody's own stories name them.
    public init?(_ story: Story, locationEpoch: Int = 0, for viewer: Viewer, tellers: [UserID: String] = [:]) {
        guard let location = story.location else { return nil }
        let isOwn = story.owner == viewer.user
        guard let point = isOwn ? story.point(for: viewer) : story.publishedPoint else { return nil }
        // The names go with the exact point; a published cell has none of its own.
        let isExact = isOwn || location.published == .exact
        let names = isExact ? location.names : [:]
        self.init(
            id: story.id,
            locationEpoch: locationEpoch,
            kind: story.kind,
            title: story.title,
            point: point,
            isExact: isExact,
            sourceID: story.sourceID,
            // What was derived is said by the gazetteer, which also tells places of one name apart.
            placeName: location.derived.contains(.name) ? nil : names[.name],
            city: names[.city],
            street: names[.address].flatMap(NearbyStory.street(of:)),
            teller: isOwn ? nil : tellers[story.owner]
        )
    }

    /// Returns what may be announced of a story to a viewer; `nil` for one that they may not see, or without a point for
    /// them.
    public static func visible(
        _ story: Story,
        locationEpoch: Int = 0,
        to viewer: Viewer,
        tellers: [UserID: String] = [:]
    ) -> NearbyStory? {
        guard story.isVisible(to: viewer) else { return nil }
        return NearbyStory(story, locationEpoch: locationEpoch, for: viewer, tellers: tellers)
    }

    /// The street of an address, which stands before its first comma.
    private static func street(of address: String) -> String? {
        let street = PlainText.line(String(address.prefix { $0 != "," })).split(separator: " ").joined(separator: " ")
        return street.isEmpty ? nil : street
    }
}

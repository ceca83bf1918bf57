import Geometry
public import Stories

extension NearbyStory {
    /// Creates a story as announced to a viewer: at its exact point for its owner, at its published point for everyone
    /// else; `nil` if it has no such point.
    ///
    /// `place` is the further place at which it is announced, which must make a fence; `nil` is its own location.
    ///
    /// Does not check whether the viewer may see the story; ``visible(_:at:locationEpoch:to:tellers:)`` does. `tellers`
    /// holds the names of storytellers that may be shown; a viewer's own stories name no teller.
    public init?(
        _ story: Story,
        at place: StoryID? = nil,
        locationEpoch: Int = 0,
        for viewer: Viewer,
        tellers: [UserID: String] = [:]
    ) {
        var further: StoryPlace?
        if let place {
            guard let known = story.places.first(where: { $0.id == place }), known.makesFence else { return nil }
            further = known
        }
        guard let location = further?.location ?? story.location else { return nil }
        let isOwn = story.owner == viewer.user
        let own = isOwn ? story.point(for: viewer) : story.publishedPoint
        guard let point = further?.location.coordinate ?? own else { return nil }
        // Place names belong to the exact point; a published cell has none.
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
            // Names derived by geocoding are left to the gazetteer, which also distinguishes places of the same name.
            placeName: location.derived.contains(.name) ? nil : names[.name],
            city: names[.city],
            street: names[.address].flatMap(NearbyStory.street(of:)),
            teller: isOwn ? nil : tellers[story.owner],
            further: further.map(Further.init)
        )
    }

    /// Returns a story as it may be announced to a viewer; `nil` if the viewer may not see it or gets no point for it.
    public static func visible(
        _ story: Story,
        at place: StoryID? = nil,
        locationEpoch: Int = 0,
        to viewer: Viewer,
        tellers: [UserID: String] = [:]
    ) -> NearbyStory? {
        guard story.isVisible(to: viewer) else { return nil }
        return NearbyStory(story, at: place, locationEpoch: locationEpoch, for: viewer, tellers: tellers)
    }

    /// Returns a story once for each place of the map at which it may be announced to a viewer: its own location first,
    /// then its further places in their order; empty if the viewer may not see it.
    public static func everywhere(
        _ story: Story,
        locationEpoch: Int = 0,
        to viewer: Viewer,
        tellers: [UserID: String] = [:]
    ) -> [NearbyStory] {
        let further = story.places.filter(\.makesFence).sorted(by: StoryPlace.isBefore).map { Optional($0.id) }
        var seen: Set<PlaceID> = []
        return ([nil] + further)
            .compactMap { visible(story, at: $0, locationEpoch: locationEpoch, to: viewer, tellers: tellers) }
            .filter { seen.insert($0.placeID).inserted }
    }

    /// Returns the street of an address: the text before the first comma.
    private static func street(of address: String) -> String? {
        let street = PlainText.line(String(address.prefix { $0 != "," })).split(separator: " ").joined(separator: " ")
        return street.isEmpty ? nil : street
    }
}

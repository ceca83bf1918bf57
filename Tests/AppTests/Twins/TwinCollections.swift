import Stories

/// The collections of the twin worlds: of every level, some of one title, some under each other's ids.
enum TwinCollections: Sendable {
    /// Everybody's in the whole world.
    static func all(at now: Timestamp) throws -> [StoryCollection] {
        var draw = TwinDraw(seed: 0xC011)
        var collections: [StoryCollection] = []
        for name in TwinCast.people + TwinCast.hidden {
            guard let owner = UserID(name) else { throw TwinFault("\(name) is no id") }
            let families = TwinCast.members.filter { $0.user == name }.map(\.family)
            for title in TwinWords.collections + ["autumn"] {
                // Nothing of the hidden people is public.
                let isHidden = TwinCast.hidden.contains(name)
                let privacy = draw.pick(isHidden ? [Privacy.familyOnly, .private] : [.public, .familyOnly, .private])
                // Few instants, so that lists have ties.
                let created = Timestamp(milliseconds: now.milliseconds - Int64(draw.pick(1...3)) * 60_000)
                let family = !families.isEmpty && draw.chance(60) ? FamilyID(draw.pick(families)) : nil
                collections.append(
                    StoryCollection(
                        id: CollectionID(using: &draw),
                        owner: owner,
                        title: title,
                        text: draw.chance(50) ? draw.pick(TwinWords.open) : nil,
                        privacy: privacy,
                        family: family,
                        createdAt: created
                    )
                )
            }
        }
        return collections
    }

    /// What a viewer may not know of, and is not the whole world's either: the same ids, other titles and times.
    static func others(than all: [StoryCollection], for viewer: Viewer) -> [StoryCollection] {
        all.filter { !$0.isVisible(to: viewer) }
            .map { hidden in
                StoryCollection(
                    id: hidden.id,
                    owner: hidden.owner,
                    title: hidden.title + " elsewhere",
                    privacy: .private,
                    createdAt: Timestamp(milliseconds: hidden.createdAt.milliseconds + 1)
                )
            }
    }
}

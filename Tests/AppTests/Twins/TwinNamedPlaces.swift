import Geometry
import Stories

/// The named places of the twin worlds: of every level and owner, over one another where stories are told.
enum TwinNamedPlaces: Sendable {
    /// Everybody's in the whole world.
    static func all(at now: Timestamp) throws -> [NamedPlace] {
        var draw = TwinDraw(seed: 0x91ACE)
        var places: [NamedPlace] = []
        for name in TwinCast.people + TwinCast.hidden {
            guard let owner = UserID(name) else { throw TwinFault("\(name) is no id") }
            let families = TwinCast.members.filter { $0.user == name }.map(\.family)
            let isHidden = TwinCast.hidden.contains(name)
            for town in TwinWords.towns where draw.chance(70) {
                // Nothing of the hidden people is public.
                let privacy = draw.pick(isHidden ? [Privacy.familyOnly, .private] : [.public, .familyOnly, .private])
                let family = privacy == .familyOnly && !families.isEmpty && draw.chance(60) ? draw.pick(families) : nil
                let middle = Coordinate(
                    wrappingLatitude: town.latitude + 0.002 * (draw.unit() - 0.5),
                    longitude: town.longitude + 0.002 * (draw.unit() - 0.5)
                )
                places.append(
                    NamedPlace(
                        id: NamedPlaceID(using: &draw),
                        owner: owner,
                        name: "\(draw.pick(TwinWords.open)) of \(name)",
                        coordinate: middle,
                        radius: draw.pick([50, 120, 300, 500]),
                        privacy: privacy,
                        family: family.flatMap { FamilyID($0) },
                        // Few instants, so that lists have ties.
                        createdAt: Timestamp(milliseconds: now.milliseconds - Int64(draw.pick(1...3)) * 60_000)
                    )
                )
            }
        }
        return places
    }

    /// What a viewer may not know of, and is not the whole world's either: the same ids and middles, smaller and under
    /// other names.
    static func others(than all: [NamedPlace], for viewer: Viewer) -> [NamedPlace] {
        all.filter { !$0.isVisible(to: viewer) }
            .map { hidden in
                NamedPlace(
                    id: hidden.id,
                    owner: hidden.owner,
                    name: hidden.name + " elsewhere",
                    coordinate: hidden.coordinate,
                    radius: 20,
                    privacy: .private,
                    createdAt: Timestamp(milliseconds: hidden.createdAt.milliseconds + 1)
                )
            }
    }
}

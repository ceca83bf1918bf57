package import Geometry
import Notifications
package import Storage
package import Stories

extension SettingsService {
    /// The time a place was last announced, and its name.
    package struct Announcement: Sendable {
        package let at: Timestamp?
        package let name: String?
    }

    /// Returns the last announcement and name of places that a user has settings for (NTF-08).
    ///
    /// The name is the one in the last announcement if the user may still see it, else the name of the settlement that
    /// contains the place.
    package func announcements(
        at places: [PlaceID],
        to user: UserID,
        in transaction: StoreReader
    ) throws -> [PlaceID: Announcement] {
        guard !places.isEmpty else { return [:] }
        let latest = try transaction.lastAnnounced(to: user)
        let items = try transaction.notices(places.compactMap { latest[$0]?.notice }, of: user)
        let page = try feed.reader(of: user, in: transaction)?
            .read(items.values.sorted { $0.id < $1.id })
        var visits: [String: FeedItem.Visit] = [:]
        for item in page?.items ?? [] { visits[item.id] = item.visit }
        return places.reduce(into: [:]) { announcements, place in
            let told = latest[place].flatMap { visits[$0.notice] }
            let name = told.flatMap { PlaceID($0.place) == place && !$0.placeName.isEmpty ? $0.placeName : nil }
            announcements[place] = Announcement(
                at: latest[place]?.at,
                name: name
                    ?? names.label(of: place.coordinate, isExact: false)?.name
            )
        }
    }
}

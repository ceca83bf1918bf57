package import Stories

/// Who looks on live, as the shares of what is bounded count them.
package struct LiveOwner: Hashable, Sendable {
    /// Somebody or something that has a share.
    package enum Holder: Hashable, Sendable {
        case user(UserID)
        /// An app's backend, for all of its users.
        case service(String)
        /// A network, as ``ClientAddress`` names it.
        case address(String)
        /// Everybody who says no name, together.
        case anyone
    }

    package let user: UserID?
    package let service: String?
    package let address: String?

    /// Creates one: a user, the service that looks through their eyes, and where the request came from, if known.
    package init(_ user: UserID?, service: String? = nil, address: String? = nil) {
        self.user = user
        self.service = service
        self.address = address
    }

    /// Whose shares something of theirs counts for.
    ///
    /// A service has one address for all of its users, so its own share takes the place of the address's.
    var holders: [Holder] {
        let place = service.map(Holder.service) ?? address.map(Holder.address)
        return [user.map(Holder.user) ?? .anyone] + (place.map { [$0] } ?? [])
    }

    /// The one that shares among strangers go by.
    package var holder: Holder { holders.last ?? .anyone }
}

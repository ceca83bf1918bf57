package import Stories

/// The owner of a live stream or a ticket, as counted against limits.
package struct LiveOwner: Hashable, Sendable {
    /// A holder of a share of a limited resource.
    package enum Holder: Hashable, Sendable {
        case user(UserID)
        /// The backend of an app, for all of its users.
        case service(String)
        /// A network, as named by `ClientAddress`.
        case address(String)
        /// All anonymous viewers together.
        case anyone
    }

    package let user: UserID?
    package let service: String?
    package let address: String?

    /// Creates an owner: a user, the service acting on their behalf, and the origin of the request, if known.
    package init(_ user: UserID?, service: String? = nil, address: String? = nil) {
        self.user = user
        self.service = service
        self.address = address
    }

    /// The holders against whose shares this owner's streams and tickets are counted.
    ///
    /// A service has one address for all of its users, so its own share replaces that of the address.
    var holders: [Holder] {
        let place = service.map(Holder.service) ?? address.map(Holder.address)
        return [user.map(Holder.user) ?? .anyone] + (place.map { [$0] } ?? [])
    }

    /// The holder to which limits between unrelated callers apply: the service or address if known, otherwise the user,
    /// or all anonymous viewers together.
    package var holder: Holder { holders.last ?? .anyone }
}

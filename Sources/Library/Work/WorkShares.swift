package import Stories
import Synchronization

/// Limits the concurrent work of one kind per user, per address and in total.
///
/// A user or an address at its limit is rejected while others are still served.
package final class WorkShares: Sendable {
    /// The holder of a share.
    package enum Holder: Hashable, Sendable {
        case user(UserID)
        case address(String)
    }

    private struct State: Sendable {
        var total = 0
        var held: [Holder: Int] = [:]
    }

    private let perUser: Int
    private let perAddress: Int
    private let inAll: Int
    private let state = Mutex(State())

    /// Creates shares; each limit is at least 1.
    package init(perUser: Int, perAddress: Int, inAll: Int) {
        self.perUser = max(1, perUser)
        self.perAddress = max(1, perAddress)
        self.inAll = max(1, inAll)
    }

    /// The number of shares in use.
    package var count: Int { state.withLock(\.total) }

    /// Takes a share for a user at an address, either of which may be unknown.
    ///
    /// It is returned when the last reference to the result is released.
    ///
    /// - Throws: ``Refusal`` (429) if one of the limits is reached.
    package func take(user: UserID?, address: String?) throws -> Share {
        let holders = [user.map(Holder.user), address.map(Holder.address)].compactMap(\.self)
        let isTaken = state.withLock { state in
            let isFree = holders.allSatisfy { state.held[$0, default: 0] < limit(of: $0) }
            guard isFree, state.total < inAll else { return false }
            state.total += 1
            for holder in holders { state.held[holder, default: 0] += 1 }
            return true
        }
        guard isTaken else { throw Refusal.shareTaken }
        return Share(of: self, holders)
    }

    private func limit(of holder: Holder) -> Int {
        switch holder {
        case .user: perUser
        case .address: perAddress
        }
    }

    fileprivate func giveBack(_ holders: [Holder]) {
        state.withLock { state in
            state.total -= 1
            for holder in holders {
                let left = state.held[holder, default: 1] - 1
                state.held[holder] = left == 0 ? nil : left
            }
        }
    }

    /// A share in use until the last reference to it is released.
    package final class Share: Sendable {
        private let shares: WorkShares
        private let holders: [Holder]

        fileprivate init(of shares: WorkShares, _ holders: [Holder]) {
            self.shares = shares
            self.holders = holders
        }

        deinit { shares.giveBack(holders) }
    }
}

extension Refusal {
    /// The caller, or all callers together, have reached the maximum of concurrent long work.
    static let shareTaken = Refusal(
        .tooMany,
        "work-under-way",
        "A request of this kind is already in progress. Wait for its answer, or try again in a few seconds.",
        retryAfter: 5
    )
}

/// A limited number of places (slots, not map places), with a maximum per holder so that none can take all of them.
struct PlaceShares<Holder: Hashable & Sendable>: Sendable {
    /// The reason for a rejection.
    enum Refusal: Hashable, Sendable {
        /// A holder has used up their share.
        case share(Holder)
        /// All places are taken.
        case all
    }

    /// The maximum number of places taken at a time.
    let most: Int
    /// The number of places a holder may have.
    private let share: @Sendable (Holder) -> Int
    private var held: [Holder: Int] = [:]
    /// The number of places taken.
    private(set) var count = 0

    init(most: Int, share: @escaping @Sendable (Holder) -> Int) {
        self.most = most
        self.share = share
    }

    /// Takes one place and counts it against the share of each of these holders.
    ///
    /// Returns `nil` if it succeeds. If a holder has used up its share, or all places are taken, takes nothing and
    /// returns the reason.
    mutating func take(_ holders: [Holder]) -> Refusal? {
        if let full = holders.first(where: { held[$0, default: 0] >= share($0) }) { return .share(full) }
        guard count < most else { return .all }
        for holder in holders { held[holder, default: 0] += 1 }
        count += 1
        return nil
    }

    /// Releases a place that was taken for these holders.
    mutating func giveBack(_ holders: [Holder]) {
        for holder in holders {
            guard let count = held[holder] else { continue }
            held[holder] = count > 1 ? count - 1 : nil
        }
        count -= 1
    }

    /// Returns how many places a holder has.
    func count(of holder: Holder) -> Int { held[holder, default: 0] }
}

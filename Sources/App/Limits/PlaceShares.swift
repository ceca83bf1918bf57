/// Places that are few, of which each holder has a share, so that nobody takes all of them.
struct PlaceShares<Holder: Hashable & Sendable>: Sendable {
    /// Why there is no place.
    enum Refusal: Hashable, Sendable {
        /// A holder has all that is theirs.
        case share(Holder)
        /// All are taken.
        case all
    }

    /// How many places there are.
    let most: Int
    /// How many of them a holder may have.
    private let share: @Sendable (Holder) -> Int
    private var held: [Holder: Int] = [:]
    /// How many are taken.
    private(set) var count = 0

    init(most: Int, share: @escaping @Sendable (Holder) -> Int) {
        self.most = most
        self.share = share
    }

    /// Takes a place, which counts for each of these holders; nothing is taken where any has no more.
    mutating func take(_ holders: [Holder]) -> Refusal? {
        if let full = holders.first(where: { held[$0, default: 0] >= share($0) }) { return .share(full) }
        guard count < most else { return .all }
        for holder in holders { held[holder, default: 0] += 1 }
        count += 1
        return nil
    }

    /// Gives a place back that was taken for these holders.
    mutating func giveBack(_ holders: [Holder]) {
        for holder in holders {
            guard let count = held[holder] else { continue }
            held[holder] = count > 1 ? count - 1 : nil
        }
        count -= 1
    }

    /// How many places a holder has.
    func count(of holder: Holder) -> Int { held[holder, default: 0] }
}

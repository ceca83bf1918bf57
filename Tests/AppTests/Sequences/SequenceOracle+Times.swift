import Foundation

// PRV-09: beside a coarser point the times are coarser too.
extension SequenceOracle {
    /// How coarsely somebody gets the times of a story: as its point, exactly where it has no place.
    private func timeCoarseness(_ user: String?, _ item: Item) -> Int {
        guard item.place != nil else { return Coarseness.exact }
        // Beside a cell of a degree it is the decade, beside none the year: family gets no less than everybody.
        let (mine, everybodys) = (coarseness(user, item), coarseness(nil, item))
        return mine == 100 && everybodys == Coarseness.hidden ? everybodys : mine
    }

    /// When a story was made, as somebody gets it: the beginning of its month, year or decade.
    func created(_ user: String?, _ item: Item) -> Int64 {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
        let date = Date(timeIntervalSince1970: Double(item.created) / 1_000)
        var parts = calendar.dateComponents([.year, .month], from: date)
        switch timeCoarseness(user, item) {
        case Coarseness.exact: return item.created
        case 1: break
        case 100: parts = DateComponents(year: (parts.year ?? 0) / 10 * 10, month: 1)
        default: parts.month = 1
        }
        return calendar.date(from: parts).map { Int64($0.timeIntervalSince1970) * 1_000 } ?? 0
    }

    /// The years in which a story happened, as somebody gets them.
    func years(_ user: String?, _ item: Item) -> ClosedRange<Int>? {
        item.year.map { year in
            timeCoarseness(user, item) == 100 ? year / 10 * 10...year / 10 * 10 + 9 : year...year
        }
    }
}

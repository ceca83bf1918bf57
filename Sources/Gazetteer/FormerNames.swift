/// A name that a place had for a time.
struct FormerName: Hashable, Sendable {
    /// The name in its original spelling.
    var name: String
    /// The first and the last year in which it was the name; `nil` if that is not known.
    var from: Int?
    var to: Int?

    /// Returns whether the place had this name in `year`.
    func covers(_ year: Int) -> Bool { (from ?? .min) <= year && year <= (to ?? .max) }
}

/// The former names of places with their years.
struct FormerNames: Sendable {
    /// The length in bytes of a record: the place number, u32, the first and the last year, i16 each, 0 if unknown, and
    /// the start of the name in `texts`, u32.
    ///
    /// Records are sorted by place, then by year.
    static let recordLength = 12

    /// Each name after its length in one byte.
    let texts: ByteView
    let records: ByteView

    /// Returns the former names of a place, the earliest first.
    ///
    /// - Complexity: O(log *n*) in the number of former names of all places.
    func names(of place: Int) -> [FormerName] {
        let count = records.count / Self.recordLength
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if number(middle) < place { low = middle + 1 } else { high = middle }
        }
        var names: [FormerName] = []
        while low < count, number(low) == place {
            let record = low * Self.recordLength
            let start = Int(records.load(record + 8, as: UInt32.self))
            let length = Int(texts.load(start, as: UInt8.self))
            names.append(
                FormerName(
                    name: String(decoding: texts.part(offset: start + 1, length: length), as: UTF8.self),
                    from: year(record + 4),
                    to: year(record + 6)
                )
            )
            low += 1
        }
        return names
    }

    private func number(_ record: Int) -> Int { Int(records.load(record * Self.recordLength, as: UInt32.self)) }

    private func year(_ offset: Int) -> Int? {
        let year = Int(records.load(offset, as: Int16.self))
        return year == 0 ? nil : year
    }
}

extension GazetteerIndex {
    /// Returns the former name of a place that folds to `key`, or `nil`; of several, the one in use in `year`.
    func formerName(of place: PlaceRecord, like key: [UInt8], in year: Int?) -> FormerName? {
        let names = formerNames.names(of: place.number)
            .filter { former in
                let folded = FoldedText(former.name)
                let words = 0..<folded.tokens.count
                return folded.key(words, canonical: false) == key || folded.key(words, canonical: true) == key
            }
        return names.first { former in year.map(former.covers) ?? true } ?? names.first
    }

    /// Returns the name that a place had in `year`, if it was another one than today's.
    func name(of place: PlaceRecord, in year: Int) -> FormerName? {
        formerNames.names(of: place.number).last { $0.covers(year) }
    }

    /// Returns how much likelier a place is because the query is about `year`: names that were not in use then, and
    /// places that did not exist yet or any more, are less likely.
    func preference(for place: PlaceRecord, named key: [UInt8], _ quality: NameQuality, in year: Int) -> Double {
        var preference = 0.0
        if !quality.isVisible, let former = formerName(of: place, like: key, in: year) {
            preference += former.covers(year) ? SearchWeights.nameOfYear : -SearchWeights.nameOfYear
        }
        let existed = years(of: place)
        if year < existed.from ?? .min || year > existed.to ?? .max { preference -= SearchWeights.nameOfYear }
        return preference
    }
}

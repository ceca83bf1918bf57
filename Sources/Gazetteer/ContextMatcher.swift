/// Determines which words around a name describe the location of the place with that name.
struct ContextMatcher: Sendable {
    /// A possible meaning of a run of words as a location.
    private struct Context: Sendable {
        var span: Int
        /// A country, region or county, or a city with parts.
        var place: Int
        var penalty: Double
        var edits: Int
        /// For cities: the centre, and the radius in kilometres within which places belong to the city.
        var centre: UnitVector?
        var reach = 0.0
        var country = 0
        /// Whether the town is so small that it is context only for places smaller than a settlement.
        var isMinor = false
    }

    /// The maximum number of places with one name that are considered as context.
    private static let widest = 400
    private static let mostContexts = 240

    let index: GazetteerIndex
    let query: ParsedQuery
    private var contexts: [Context] = []
    /// The words of each span as a bit mask.
    private let masks: [UInt32]

    init(index: GazetteerIndex, query: ParsedQuery) {
        self.index = index
        self.query = query
        masks = query.spans.map { Self.mask($0.words) }
        // A query with a single name has no context.
        guard query.count > 1 else { return }
        // Exact spellings come first, because misspellings have far more meanings.
        for isMisspelt in [false, true] {
            for (number, span) in query.spans.enumerated() where span.words.count < query.count {
                for reading in span.readings where (reading.edits > 0) == isMisspelt { collect(reading, number) }
            }
        }
    }

    static func mask(_ words: Range<Int>) -> UInt32 {
        ((1 << UInt32(words.count)) &- 1) << UInt32(words.lowerBound)
    }

    private mutating func collect(_ reading: ParsedQuery.Reading, _ span: Int) {
        var cities = 0
        for (order, number) in reading.postings.prefix(Self.widest).enumerated() {
            guard contexts.count < Self.mostContexts else { return }
            let posting = index.posting(number)
            let kind = index.kind(of: posting.place)
            let isRegion = kind == .country || kind == .admin1 || kind == .county
            let isCity = kind.isSettlement || kind == .neighbourhood
            let most = reading.edits > 0 ? 1 : 4
            let mayBeCity = isCity && order < 12 && cities < most && posting.quality <= .alias
            if reading.isCode, posting.quality != .code || kind != .admin1 { continue }
            // Nearly every short word is one letter away from some code.
            if reading.edits > 0, !reading.isCode, posting.quality >= .code { continue }
            guard isRegion || mayBeCity, query.admits(query.spans[span].words, kind),
                let place = index.place(posting.place)
            else { continue }
            var penalty = posting.quality == .countryCode ? SearchWeights.countryCodeContext : 0
            if reading.edits > 0 { penalty += reading.penalty + SearchWeights.misspeltContext }
            var context = Context(span: span, place: posting.place, penalty: penalty, edits: reading.edits)
            if !isRegion {
                cities += 1
                context.isMinor = place.population < 20_000
                context.centre = UnitVector(latitude: place.latitude, longitude: place.longitude)
                context.reach = SettlementRadius.kilometres(population: place.population) + 15
                context.country = place.country
            }
            contexts.append(context)
        }
    }

    /// How well the words around a name match a place.
    struct Cover: Sendable {
        /// The words that describe its location, as a bit mask.
        var matched: UInt32 = 0
        /// The number of names among the matched words, and the number of these before the place's name.
        var names = 0
        var namesBefore = 0
        var penalty = 0.0
        var edits = 0
    }

    /// Matches the words outside `words` with names of places that contain `place`, the longest names first.
    func cover(_ words: Range<Int>, of place: PlaceRecord) -> Cover {
        var cover = Cover()
        guard !contexts.isEmpty else { return cover }
        let own = Self.mask(words)
        let holders = Holders(place, index)
        var position: UnitVector?
        // Each pass takes the best remaining name; more than two passes are rarely needed.
        for _ in 0..<6 {
            var best: Context?
            var worth = -Double.infinity
            for context in contexts {
                let mask = masks[context.span]
                guard mask & (own | cover.matched) == 0 else { continue }
                let value = 10 * Double(mask.nonzeroBitCount) - context.penalty
                guard value > worth, holds(context, place, holders, &position) else { continue }
                (best, worth) = (context, value)
            }
            guard let best else { break }
            cover.matched |= masks[best.span]
            cover.names += 1
            if query.spans[best.span].words.upperBound <= words.lowerBound { cover.namesBefore += 1 }
            cover.penalty += best.penalty
            cover.edits += best.edits
        }
        return cover
    }

    /// The places that contain a place.
    private struct Holders {
        let country: Int
        let admin1: Int
        let admin2: Int
        let city: Int

        init(_ place: PlaceRecord, _ index: GazetteerIndex) {
            country = index.placeNumber(ofCountry: place.country)
            admin1 = place.admin1 ?? -1
            admin2 = place.admin2 ?? -1
            city = place.city ?? -1
        }
    }

    private func holds(
        _ context: Context,
        _ place: PlaceRecord,
        _ holders: Holders,
        _ position: inout UnitVector?
    ) -> Bool {
        guard context.place != place.number else { return false }
        guard let centre = context.centre else {
            return context.place == holders.country || context.place == holders.admin1
                || context.place == holders.admin2
        }
        if context.place == holders.city { return true }
        guard context.country == place.country, context.place < place.number else { return false }
        // A park or a lake near a town is looked for by the town's name; a river is at no one place.
        guard place.kind.isLocal || place.kind.isLandform && place.kind != .river else { return false }
        guard !context.isMinor || !place.kind.isSettlement else { return false }
        let own = position ?? UnitVector(latitude: place.latitude, longitude: place.longitude)
        position = own
        return centre.kilometres(to: own) <= context.reach
    }
}

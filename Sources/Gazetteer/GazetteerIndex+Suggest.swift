import Geometry

extension GazetteerIndex {
    /// The maximum number of name stretches examined; more if the filters admit few places.
    private static let deepest = 1_200
    private static let deepestFiltered = 2_500
    /// The number of matching names below which they are scanned instead of all places of a country.
    private static let fewNames = 3_000
    /// The maximum number of places examined for one name.
    private static let mostOfName = 400
    /// The maximum number of words at the end that may be the beginning of a surrounding place.
    private static let longestTail = 3
    /// The penalty if a surrounding place is only partially typed.
    private static let unfinishedContext = 0.5
    /// The penalty for a typo in the prefix.
    private static let misspelt = 2.0

    /// Completes a prefix to the best-known places with a name that starts with it.
    ///
    /// The last words may also be the beginning of a surrounding place: "springfield il", "paris, te". A missing, extra
    /// or swapped letter is tolerated if nothing matches exactly.
    ///
    /// - Parameters:
    ///   - prefix: the beginning of a name; accents and case are ignored.
    ///   - options: the limit, filters and preferences.
    /// - Returns: distinct places, best first; their confidence is their importance.
    /// - Complexity: bounded for any text; usually O(log *n*) and a few hundred names.
    public func suggest(_ prefix: String, options: SearchOptions = SearchOptions()) -> [GazetteerMatch] {
        if let reading = CoordinateText.read(prefix), reading.coordinate != nil { return matches(for: reading) }
        let text = FoldedText(prefix, limit: 200)
        guard !text.tokens.isEmpty else { return [] }
        let limit = min(100, max(1, options.limit))
        let filter = SearchFilter(options, index: self)
        let words = 0..<text.tokens.count
        let plain = text.key(words, canonical: false)
        // "saint lo" is found under "st lo"; the last word may be incomplete.
        let short = text.key(words, canonical: true)
        let keys = short == plain ? [plain] : [plain, short]
        var found = Completion(limit: limit + 5)
        for key in keys { complete(key, .visible, filter, &found.visible) }
        if text.tokens.count > 1 { completeContext(prefix, text, filter, &found) }
        if found.visible.places.count < limit {
            for key in keys { complete(key, .aliases, filter, &found.aliases) }
        } else {
            for key in keys { considerWhole(key, filter, &found.aliases) }
        }
        if found.isEmpty { completeMisspelt(plain, filter, &found) }
        if found.isEmpty { return search(prefix, options: options) }
        return joined(found, keys, limit)
    }

    /// Describes the completions: displayed names that match first, followed by those that only an alias matches.
    ///
    /// If the list is full, a place whose alias was typed in full replaces the last entry if it is better known, so
    /// that "Bombay" also leads to Mumbai.
    private func joined(_ found: Completion, _ keys: [[UInt8]], _ limit: Int) -> [GazetteerMatch] {
        var (shown, hidden): ([BestPlaces.Entry], [BestPlaces.Entry]) = ([], [])
        for entry in found.visible.places {
            // A place may have been renamed; its former main name is not displayed.
            if entry.isMisspelt || isShown(entry, keys) { shown.append(entry) } else { hidden.append(entry) }
        }
        putWholeNamesFirst(&shown, keys)
        hidden += found.aliases.places.filter { entry in !shown.contains { $0.place == entry.place } }
        hidden.sort { $0.score != $1.score ? $0.score > $1.score : $0.place < $1.place }
        let visible = different(shown, limit, isShown: true)
        if visible.count == limit, let last = visible.last,
            let whole = hidden.first(where: { isWhole($0, keys) }),
            weight(whole.place) > last.importance * GazetteerFormat.fullImportance
        {
            return visible.dropLast(limit > 1 ? 1 : 0) + different([whole], limit > 1 ? 1 : 0, isShown: false)
        }
        return visible + different(hidden, limit - visible.count, isShown: false)
    }

    /// Puts a place before a hardly better known one whose name begins with all words of its own: "san fr" is San
    /// Francisco rather than the San Francisco Bay Area.
    ///
    /// - Complexity: O(*n*²) in the length of the list, of about `limit` places.
    private func putWholeNamesFirst(_ entries: inout [BestPlaces.Entry], _ keys: [[UInt8]]) {
        let named = entries.map { entry in place(entry.place).map { ($0, FoldedText(name(of: $0)).wholeKey) } }
        var order = Array(entries.indices)
        for later in entries.indices.dropFirst() {
            // In "mexico city, mex" the shorter name is what surrounds the longer one, and does not begin as typed.
            guard let (place, name) = named[later], place.kind.isWholeName, keys.contains(where: name.starts(with:))
            else { continue }
            let longer = order.firstIndex { earlier in
                guard earlier < later, let (other, key) = named[earlier] else { return false }
                return key.count > name.count && key.starts(with: name) && key[name.count] == UInt8(ascii: " ")
                    && place.importance >= other.importance - Self.hardlyBetter
            }
            guard let longer, let position = order.firstIndex(of: later), longer < position else { continue }
            order.remove(at: position)
            order.insert(later, at: longer)
        }
        entries = order.map { entries[$0] }
    }

    /// The difference of importance, a population of half as many again, that does not matter beside a shorter name.
    private static let hardlyBetter = 0.05

    private func isWhole(_ entry: BestPlaces.Entry, _ keys: [[UInt8]]) -> Bool {
        guard let key = entry.key else { return false }
        return keys.contains { self.key(key).elementsEqual($0) }
    }

    /// Returns whether the displayed name starts with one of the given keys.
    private func isShown(_ entry: BestPlaces.Entry, _ keys: [[UInt8]]) -> Bool {
        guard entry.quality == .primary, entry.key != nil, let place = place(entry.place) else { return true }
        return FoldedText(name(of: place)).starts(withAnyOf: keys)
    }

    /// Describes the best places, omitting duplicates.
    private func different(_ entries: [BestPlaces.Entry], _ limit: Int, isShown: Bool) -> [GazetteerMatch] {
        var kept: [(place: PlaceRecord, match: GazetteerMatch)] = []
        for entry in entries where kept.count < limit {
            guard let place = place(entry.place) else { continue }
            var match = describe(place)
            let isKnown = kept.contains { other in
                other.place.kind.isLocal && place.kind.isLocal && other.match.label == match.label
                    && isNear(other.place, place, kilometres: 10)
            }
            if isKnown { continue }
            match.matchType = entry.isMisspelt ? .fuzzy : isShown ? .exact : .alias
            if !isShown { match.matchedName = entry.key.flatMap { alias(of: place, like: Array(key($0))) } }
            match.confidence = match.importance
            kept.append((place, match))
        }
        return kept.map(\.match)
    }

    /// Adds the best-known places with a name that starts with `key`.
    private func complete(
        _ key: [UInt8],
        _ names: CompletionNames,
        _ filter: SearchFilter,
        _ best: inout BestPlaces,
        less penalty: Double = 0
    ) {
        guard !key.isEmpty, key.count <= GazetteerFormat.longestKey else { return }
        let first = firstKey(from: key)
        guard first < nameCount, self.key(first).starts(with: key) else { return }
        let end = firstKey(from: Self.successor(of: key))
        if names == .visible, let countries = filter.countries, end - first > Self.fewNames {
            completeMembers(key, of: countries, filter, &best, penalty)
            if best.threshold > -.infinity { return }
        }
        let prefixTree = names == .visible ? visibleTree : prefixTree
        var queue = StretchQueue()
        prefixTree.forEachStretch(of: first..<max(first, end)) {
            let rank = self.rank(of: $0, names, prefixTree)
            if rank < placeCount { queue.insert($0, rank: rank) }
        }
        var steps = filter.isNarrow ? Self.deepestFiltered : Self.deepest
        while let (stretch, rank) = queue.removeFirst(), steps > 0 {
            steps -= 1
            // No later name belongs to a better-known place than this one.
            guard weight(rank) + filter.mostPreference - penalty > best.threshold else { return }
            if stretch.level == 0 {
                let isWhole = self.key(stretch.number).count == key.count
                consider(stretch.number, names, isWhole: isWhole, filter, &best, penalty)
            } else {
                for number in prefixTree.parts(of: stretch, names: nameCount) {
                    let part = PrefixTree.Stretch(level: stretch.level - 1, number: number)
                    let rank = self.rank(of: part, names, prefixTree)
                    if rank < placeCount { queue.insert(part, rank: rank) }
                }
            }
        }
    }

    /// Adds the best-known places in the given countries whose main name starts with `key`.
    private func completeMembers(
        _ key: [UInt8],
        of countries: [Int],
        _ filter: SearchFilter,
        _ best: inout BestPlaces,
        _ penalty: Double
    ) {
        for country in countries.prefix(8) {
            for index in nameScan.memberRange(of: placeNumber(ofCountry: country)).prefix(Self.deepestFiltered * 2) {
                let number = nameScan.member(index)
                guard weight(number) + filter.mostPreference - penalty > best.threshold else { break }
                guard self.key(nameScan.mainKey(of: number)).starts(with: key) else { continue }
                guard let place = place(number), filter.admits(place) else { continue }
                let score = weight(number) + filter.preference(for: place) - penalty
                best.insert(BestPlaces.Entry(place: number, quality: .primary, score: score, isMisspelt: penalty > 1))
            }
        }
    }

    /// Returns the first key after all that start with `key`.
    private static func successor(of key: [UInt8]) -> [UInt8] {
        var next = key
        while let last = next.popLast() {
            if last < 0xFF {
                next.append(last + 1)
                return next
            }
        }
        return [0xFF]
    }

    /// Returns the best rank in a stretch of names; a number beyond all ranks if the stretch contains no suitable name.
    private func rank(of stretch: PrefixTree.Stretch, _ names: CompletionNames, _ tree: PrefixTree) -> Int {
        guard stretch.level == 0 else { return tree.rank(stretch) }
        for index in postingRange(of: stretch.number).prefix(Self.mostOfName) {
            let posting = posting(index)
            if names.admit(posting.quality) { return posting.place }
        }
        return .max
    }

    private func weight(_ place: Int) -> Double {
        (self.place(place)?.importance ?? 0) * GazetteerFormat.fullImportance
    }

    /// Adds the places with an alias that equals `key`.
    private func considerWhole(_ key: [UInt8], _ filter: SearchFilter, _ best: inout BestPlaces) {
        guard key.count <= GazetteerFormat.longestKey else { return }
        let number = firstKey(from: key)
        guard number < nameCount, self.key(number).elementsEqual(key) else { return }
        consider(number, .aliases, isWhole: true, filter, &best, 0)
    }

    private func consider(
        _ name: Int,
        _ names: CompletionNames,
        isWhole: Bool,
        _ filter: SearchFilter,
        _ best: inout BestPlaces,
        _ penalty: Double
    ) {
        // Postings are sorted by importance. So unless places are excluded, only the first `limit` places of a name can
        // be among the best. If even the maximum preference does not raise a place above the threshold, no later place
        // of the name can exceed it.
        var rest = filter.isNarrow ? Self.mostOfName : best.limit
        for index in postingRange(of: name).prefix(Self.mostOfName) {
            let posting = posting(index)
            guard names.admit(posting.quality) else { continue }
            guard posting.quality != .code && posting.quality != .countryCode || isWhole else { continue }
            rest -= 1
            guard rest >= 0 else { return }
            guard let place = place(posting.place), filter.admits(place) else { continue }
            let weight = place.importance * GazetteerFormat.fullImportance
            guard weight + filter.mostPreference - penalty > best.threshold else { return }
            best.insert(
                BestPlaces.Entry(
                    place: posting.place,
                    quality: posting.quality,
                    score: weight - SearchWeights.penalty(posting.quality) / 2 + filter.preference(for: place)
                        - penalty,
                    isMisspelt: penalty > 1,
                    key: name
                )
            )
        }
    }

    /// Adds places whose name equals the first words and whose surrounding place has a name that starts with the last
    /// words.
    private func completeContext(
        _ prefix: String,
        _ text: FoldedText,
        _ filter: SearchFilter,
        _ found: inout Completion
    ) {
        let count = text.tokens.count
        guard count <= ParsedQuery.longest else { return }
        for tail in 1...min(Self.longestTail, count - 1) {
            let first = count - tail
            // The words between commas belong together.
            guard text.tokens[first].segment == text.tokens[count - 1].segment else { break }
            let key = text.key(first..<count, canonical: false)
            let head = ParsedQuery(text.prefix(first), index: self)
            let candidates = rankedCandidates(for: head, filter).prefix(200)
            for candidate in candidates where candidate.unmatched == 0 && candidate.quality <= .alias {
                guard lies(candidate.place, inWhatStartsWith: key) else { continue }
                let entry = BestPlaces.Entry(
                    place: candidate.place.number,
                    quality: candidate.quality,
                    score: candidate.score - Self.unfinishedContext,
                    isMisspelt: false,
                    key: candidate.quality.isVisible
                        ? nil : firstKey(from: head.text.key(candidate.words, canonical: false))
                )
                found.insert(entry)
            }
        }
    }

    /// Returns whether a place lies in a country, region or county whose name or code starts with `key`.
    private func lies(_ place: PlaceRecord, inWhatStartsWith key: [UInt8]) -> Bool {
        for holder in [countryPlace(of: place), self.place(place.admin1), self.place(place.admin2)].compactMap({ $0 })
        where holder.number != place.number {
            let name = FoldedText(name(of: holder))
            if name.key(0..<name.tokens.count, canonical: false).starts(with: key) { return true }
        }
        guard let postings = postings(for: key) else { return false }
        return [countryPlace(of: place)?.number, place.admin1].compactMap { $0 }
            .contains { quality(of: $0, in: postings) != nil }
    }

    /// Tries the prefix with a letter omitted, two letters swapped, or a vowel or a repeated letter inserted or
    /// substituted.
    private func completeMisspelt(_ key: [UInt8], _ filter: SearchFilter, _ found: inout Completion) {
        guard (4...24).contains(key.count), key.allSatisfy({ $0 < 0x80 }) else { return }
        func complete(_ key: [UInt8]) {
            self.complete(key, .visible, filter, &found.visible, less: Self.misspelt)
            self.complete(key, .aliases, filter, &found.aliases, less: Self.misspelt)
        }
        for position in 1..<key.count {
            var shorter = key
            shorter.remove(at: position)
            complete(shorter)
            for letter in Self.vowels + [key[position - 1]] {
                var changed = key
                changed[position] = letter
                if letter != key[position] { complete(changed) }
                changed = key
                changed.insert(letter, at: position)
                complete(changed)
            }
            guard position + 1 < key.count else { continue }
            var swapped = key
            swapped.swapAt(position, position + 1)
            complete(swapped)
        }
    }

    private static let vowels = Array("aeiou".utf8)
}

extension PlaceKind {
    /// Whether a name of this kind stands for itself, rather than for what a place beside or around it is called.
    fileprivate var isWholeName: Bool { isSettlement || self == .admin1 || self == .country }
}

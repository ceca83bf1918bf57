import Geometry

extension GazetteerIndex {
    /// Converts a candidate into a match.
    func match(
        for candidate: SearchCandidate,
        confidence: Double,
        isAmbiguous: Bool,
        in query: ParsedQuery,
        year: Int?
    ) -> GazetteerMatch {
        var match = describe(candidate.place)
        match.confidence = confidence
        match.isAmbiguous = isAmbiguous
        match.unmatched = candidate.unmatchedWords.map(query.word)
        for token in query.text.tokens.dropFirst(ParsedQuery.longest).prefix(64) {
            match.unmatched.append(String(decoding: query.text.bytes(of: token), as: UTF8.self))
        }
        if !match.unmatched.isEmpty {
            match.matchType = .fallback
        } else if candidate.edits > 0 {
            match.matchType = .fuzzy
        } else if match.kind == .postcode {
            match.matchType = .postcode
        } else {
            match.matchType = candidate.quality <= .variant ? .exact : .alias
        }
        if candidate.edits == 0, !candidate.quality.isVisible {
            let key = query.text.key(candidate.words, canonical: false)
            let former = formerName(of: candidate.place, like: key, in: year)
            match.matchedName = former?.name ?? alias(of: candidate.place, like: key)
            match.matchedYears = former.map { YearSpan(from: $0.from, to: $0.to) }
        }
        if let year { match.nameThen = name(of: candidate.place, in: year)?.name }
        return match
    }

    /// Returns all data about a place, as an exact match with confidence 1.
    func describe(_ place: PlaceRecord) -> GazetteerMatch {
        let name = name(of: place)
        let country = place.kind == .country ? place : countryPlace(of: place)
        let admin1 = self.place(place.admin1).map { self.name(of: $0) }
        let city = self.place(place.city).map { self.name(of: $0) }
        let countryName = country.map { self.name(of: $0) }
        let code = countryCode(of: place)
        let years = years(of: place)
        return GazetteerMatch(
            name: name,
            kind: place.kind,
            coordinate: place.coordinate,
            confidence: 1,
            matchType: .exact,
            unmatched: [],
            isAmbiguous: false,
            importance: place.importance,
            admin1: place.kind == .admin1 ? name : admin1,
            admin2: place.kind == .county ? name : self.place(place.admin2).map { self.name(of: $0) },
            country: countryName,
            countryCode: code.isEmpty ? nil : code,
            postcode: place.kind == .postcode ? name : nil,
            label: Self.label(name, city, admin1, countryName),
            boundingBox: boundingBox(of: place),
            source: place.source?.name ?? "unknown",
            id: identifier(of: place),
            fromYear: years.from,
            toYear: years.to,
            city: city
        )
    }

    /// Joins the names of places with commas, the smallest place first; empty names and immediate repetitions are
    /// omitted.
    static func label(_ first: String, _ second: String?, _ third: String?, _ fourth: String? = nil) -> String {
        var label = first
        var last = first
        func add(_ name: String?) {
            guard let name, !name.isEmpty, name != last else { return }
            if !label.isEmpty { label += ", " }
            label += name
            last = name
        }
        add(second)
        add(third)
        add(fourth)
        return label
    }

    /// Returns a typed position as a match, with the places around it.
    func match(for coordinate: Coordinate) -> GazetteerMatch {
        let name = "\(Self.degrees(coordinate.latitude)), \(Self.degrees(coordinate.longitude))"
        let around = reverse(coordinate)
        return GazetteerMatch(
            name: name,
            kind: .coordinate,
            coordinate: coordinate,
            confidence: 1,
            matchType: .coordinate,
            unmatched: [],
            isAmbiguous: false,
            importance: 0,
            admin1: around?.place.admin1,
            admin2: around?.place.admin2,
            country: around?.place.country,
            countryCode: around?.place.countryCode,
            postcode: nil,
            label: around?.label ?? name,
            boundingBox: nil,
            source: "query",
            id: "coordinate:\(Self.degrees(coordinate.latitude)),\(Self.degrees(coordinate.longitude))"
        )
    }

    /// Formats degrees with at most six decimals, about 0.1 m.
    private static func degrees(_ value: Double) -> String {
        let scaled = (value * 1e6).rounded() / 1e6
        return "\(scaled == 0 ? 0 : scaled)"
    }
}

import Geometry

extension AddressSearch {
    /// Converts candidates, sorted best first, into matches.
    func matches(_ candidates: [Candidate]) -> [GazetteerMatch] {
        guard let best = candidates.first else { return [] }
        let rivals = candidates.dropFirst()
            .filter { $0.score > best.score - 0.4 && distance($0, best) > 1 }
        return candidates.enumerated()
            .map { order, candidate in
                var value: Double =
                    switch candidate.precision {
                    case .house: 0.97
                    case .interpolated: 0.8
                    case .street: 0.88
                    case .numberless: 0.55
                    }
                if !candidate.isPlaced { value *= 0.75 }
                if candidate.isElsewhere { value *= 0.6 }
                if candidate.isChanged { value *= 0.85 }
                for _ in candidate.unmatched where candidate.precision != .numberless { value *= 0.8 }
                let isRival = candidate.score > best.score - 0.4
                if !rivals.isEmpty, isRival { value /= Double(1 + rivals.count) }
                if order > 0, !isRival { value *= 0.5 }
                return match(candidate, confidence: value, isAmbiguous: !rivals.isEmpty && isRival)
            }
    }

    private func distance(_ first: Candidate, _ second: Candidate) -> Double {
        UnitVector(latitude: first.latitude, longitude: first.longitude)
            .kilometres(to: UnitVector(latitude: second.latitude, longitude: second.longitude))
    }

    func match(_ candidate: Candidate, confidence: Double, isAmbiguous: Bool) -> GazetteerMatch {
        let street = candidate.street
        let coordinate = Coordinate(wrappingLatitude: candidate.latitude, longitude: candidate.longitude)
        let position = places.reverse(coordinate)
        let around = position?.place
        let number = candidate.number.map { $0.uppercased() }
        let isHouse = candidate.precision == .house || candidate.precision == .interpolated
        let name = isHouse ? [number, street.name].compactMap { $0 }.joined(separator: " ") : street.name
        let city = street.city.isEmpty ? position?.settlementName : street.city
        let region = street.region.isEmpty ? around?.admin1 : street.region
        let label = [name, city, region, around?.country].compactMap { $0 }.filter { !$0.isEmpty }
        var match = GazetteerMatch(
            name: name,
            kind: isHouse ? .address : .street,
            coordinate: coordinate,
            confidence: min(1, max(0, confidence)),
            matchType: matchType(candidate),
            unmatched: candidate.unmatched,
            isAmbiguous: isAmbiguous,
            importance: isHouse ? 0.1 : 0.2,
            admin1: region,
            admin2: around?.admin2,
            country: around?.country,
            countryCode: street.country.isEmpty ? around?.countryCode : street.country,
            postcode: street.postcode.isEmpty ? nil : street.postcode,
            label: label.joined(separator: ", "),
            boundingBox: nil,
            source: "addresses",
            id: identifier(candidate),
            city: city
        )
        if isHouse { (match.street, match.houseNumber) = (street.name, number) }
        return match
    }

    private func matchType(_ candidate: Candidate) -> GazetteerMatch.MatchType {
        if !candidate.unmatched.isEmpty { return .fallback }
        if candidate.precision == .interpolated { return .interpolated }
        if candidate.isMisspelt { return .fuzzy }
        return candidate.isChanged ? .alias : .exact
    }

    /// Returns "address:203-06.109-ave.11412": number, street and postal code or city.
    private func identifier(_ candidate: Candidate) -> String {
        let street = candidate.street
        let key = String(decoding: StreetName.key(street.name), as: UTF8.self)
        let around = street.postcode.isEmpty ? street.city : street.postcode
        let parts = [candidate.number, key, around].compactMap { $0 }.filter { !$0.isEmpty }
        return "address:" + parts.map { $0.split(separator: " ").joined(separator: "-") }.joined(separator: ".")
    }
}

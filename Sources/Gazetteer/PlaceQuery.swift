/// What is looked for: a text as somebody types it, or the parts of an address.
public struct PlaceQuery: Hashable, Sendable {
    /// What is looked for.
    public enum Subject: Hashable, Sendable {
        /// Names in any order, with or without commas; a postal code; a position in any usual notation.
        case text(String)
        /// An address in parts, each of which is looked for as what it is.
        case parts(PlaceParts)
    }

    /// What is looked for.
    public var subject: Subject
    /// How it is looked for.
    public var options: SearchOptions

    /// Looks for a text.
    public init(_ text: String, options: SearchOptions = SearchOptions()) {
        subject = .text(text)
        self.options = options
    }

    /// Looks for an address in parts.
    public init(parts: PlaceParts, options: SearchOptions = SearchOptions()) {
        subject = .parts(parts)
        self.options = options
    }
}

/// The parts of an address; empty ones do not count.
public struct PlaceParts: Hashable, Sendable {
    /// A house number and street, or the name of a building.
    public var street: String
    /// A city, town, village or neighbourhood.
    public var city: String
    /// A county.
    public var county: String
    /// A state, province or region, by its name or its postal code.
    public var state: String
    /// A country, by its name or its ISO 3166 code.
    public var country: String
    /// A postal code.
    public var postalCode: String

    /// Creates the parts of an address.
    public init(
        street: String = "",
        city: String = "",
        county: String = "",
        state: String = "",
        country: String = "",
        postalCode: String = ""
    ) {
        self.street = street
        self.city = city
        self.county = county
        self.state = state
        self.country = country
        self.postalCode = postalCode
    }

    /// The parts in the order of addresses, with what each may name.
    var ordered: [(text: String, role: PlaceRole)] {
        [
            (street, .street), (city, .city), (county, .county), (state, .state), (postalCode, .postalCode),
            (country, .country),
        ]
    }
}

/// What a part of an address may name.
enum PlaceRole: Sendable {
    case street, city, county, state, postalCode, country

    /// Whether something of this kind may be named there.
    func admits(_ kind: PlaceKind) -> Bool {
        switch self {
        case .street: kind == .street || kind == .landmark
        case .city: kind.isSettlement || kind == .neighbourhood
        case .county: kind == .county
        // Territories are countries here, and states to those who write to them.
        case .state: kind == .admin1 || kind == .country
        case .postalCode: kind == .postcode
        case .country: kind == .country
        }
    }
}

extension GazetteerIndex {
    /// Finds the places that a query may mean, the likeliest first.
    ///
    /// A text is read as ``search(_:options:)`` does. Of an address the most precise part that is known is found, with
    /// the others as what it lies in; parts that are not known are among ``GazetteerMatch/unmatched``.
    /// - Complexity: as for ``search(_:options:)``.
    public func search(_ query: PlaceQuery) -> [GazetteerMatch] {
        switch query.subject {
        case .text(let text): search(text, options: query.options)
        case .parts(let parts):
            answer(ParsedQuery(parts, index: self), SearchFilter(query.options, index: self), query.options)
        }
    }
}

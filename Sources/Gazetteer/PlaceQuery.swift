/// A search query: a text as typed, or the parts of an address.
public struct PlaceQuery: Hashable, Sendable {
    /// The subject of a query.
    public enum Subject: Hashable, Sendable {
        /// Names in any order, with or without commas; a postal code; a position in any common notation.
        case text(String)
        /// An address in parts, each of which is searched in its own role.
        case parts(PlaceParts)
    }

    /// The subject of the query.
    public var subject: Subject
    /// The options of the search.
    public var options: SearchOptions

    /// Creates a query for a text.
    public init(_ text: String, options: SearchOptions = SearchOptions()) {
        subject = .text(text)
        self.options = options
    }

    /// Creates a query for an address in parts.
    public init(parts: PlaceParts, options: SearchOptions = SearchOptions()) {
        subject = .parts(parts)
        self.options = options
    }
}

/// The parts of an address; empty ones are ignored.
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

    /// The parts in address order, with their roles.
    var ordered: [(text: String, role: PlaceRole)] {
        [
            (street, .street), (city, .city), (county, .county), (state, .state), (postalCode, .postalCode),
            (country, .country),
        ]
    }
}

/// The role of a part of an address.
enum PlaceRole: Sendable {
    case street, city, county, state, postalCode, country

    /// Returns whether a part with this role may name a place of a kind.
    func admits(_ kind: PlaceKind) -> Bool {
        switch self {
        case .street: kind == .street || kind == .landmark
        case .city: kind.isSettlement || kind == .neighbourhood
        case .county: kind == .county
        // Territories are countries here, but senders of mail treat them as states.
        case .state: kind == .admin1 || kind == .country
        case .postalCode: kind == .postcode
        case .country: kind == .country
        }
    }
}

extension GazetteerIndex {
    /// Finds the places that a query may refer to, the likeliest first.
    ///
    /// A text is searched as by ``search(_:options:)``. For an address, the most precise known part is found, with the
    /// others as context; unknown parts are listed in ``GazetteerMatch/unmatched``.
    /// - Complexity: as for ``search(_:options:)``.
    public func search(_ query: PlaceQuery) -> [GazetteerMatch] {
        switch query.subject {
        case .text(let text): search(text, options: query.options)
        case .parts(let parts):
            answer(ParsedQuery(parts, index: self), SearchFilter(query.options, index: self), query.options)
        }
    }
}

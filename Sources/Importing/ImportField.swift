/// The possible meanings of a column or property in an import.
package enum ImportField: String, CaseIterable, Hashable, Sendable {
    case id, title, date, text, tags, people, mentions, collection
    case latitude = "lat"
    case longitude = "lon"
    case accuracy, precision, cell
    case familySeesExact = "family_sees_exact"
    case locationSource = "location_source"
    case locationConfirmed = "location_confirmed"
    case place = "name"
    case address, city, state, country
    case mediaURL = "media_url"
    case thumbnailURL = "thumbnail_url"
    case alt, kind, type, privacy

    /// The accepted names, the preferred one first.
    ///
    /// If several columns mean the same field, the most preferred one with a value counts.
    package var aliases: [String] {
        switch self {
        case .id: ["source_id", "id", "identifier"]
        case .title: ["title", "name"]
        case .date: ["date", "year", "created"]
        case .text: ["text", "description", "body"]
        case .tags: ["tags", "tag", "topics", "keywords"]
        case .people: ["people", "person", "persons"]
        case .mentions: ["mentions"]
        case .collection: ["collection"]
        case .latitude: ["lat", "latitude", "y"]
        case .longitude: ["lon", "lng", "long", "longitude", "x"]
        case .accuracy: ["accuracy"]
        case .precision: ["precision"]
        case .cell: ["cell"]
        case .familySeesExact: ["family_sees_exact"]
        case .locationSource: ["location_source"]
        case .locationConfirmed: ["location_confirmed"]
        case .place: ["place_name", "place"]
        case .address: ["address"]
        case .city: ["city"]
        case .state: ["state"]
        case .country: ["country"]
        case .mediaURL: ["media_url", "url", "link"]
        case .thumbnailURL: ["thumbnail_url", "thumbnail", "image"]
        case .alt: ["alt"]
        case .kind: ["kind"]
        case .type: ["type"]
        case .privacy: ["privacy"]
        }
    }

    /// Returns the field for a column name, and the index of that name in ``aliases``; `nil` for an unknown name.
    package static func named(_ name: String) -> (field: ImportField, rank: Int)? {
        known[normalized(name)]
    }

    /// Returns a column name in lower case, with underscores for spaces and hyphens.
    package static func normalized(_ name: String) -> String {
        let trimmed = name.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
        return String(trimmed.map { $0 == " " || $0 == "-" ? "_" : $0 }).lowercased()
    }

    private static let known: [String: (field: ImportField, rank: Int)] = {
        var names: [String: (field: ImportField, rank: Int)] = [:]
        for field in allCases {
            for (rank, name) in field.aliases.enumerated() { names[name] = (field, rank) }
        }
        return names
    }()
}

extension ImportField {
    /// Returns whether an unknown column appears to specify the audience of stories.
    ///
    /// Ignoring such a column would publish stories meant to be private.
    static func seemsToBePrivacy(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["priv", "visib", "confiden", "restrict", "secret", "access"].contains { name.contains($0) }
    }
}

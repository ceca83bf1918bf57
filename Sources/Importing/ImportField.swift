/// The possible meanings of a column or property in an import.
package enum ImportField: String, CaseIterable, Hashable, Sendable {
    case id, title, date, text, tags, people, mentions, collection
    case latitude = "lat"
    case longitude = "lon"
    /// `N`, `S`, `North` or `South` for a latitude without a sign, as in EXIF.
    case latitudeReference = "lat_ref"
    /// `E`, `W`, `East` or `West` for a longitude without a sign.
    case longitudeReference = "lon_ref"
    /// Latitude and longitude, WKT, UTM or MGRS in one column.
    case position
    case easting, northing
    /// The UTM zone of easting and northing: `18N`, `18 south`.
    case zone = "utm_zone"
    /// The reference system of one row: `EPSG:26918`, `NAD27`.
    case referenceSystem = "crs"
    case accuracy, precision, cell
    case familySeesExact = "family_sees_exact"
    case locationSource = "location_source"
    case locationConfirmed = "location_confirmed"
    case place = "name"
    case address, city, state, country
    /// Words that find a place for a row without a position, and are not shown: a street, a county, a postal code, and
    /// the free text that an operator names.
    case street, county, postcode
    case placeText = "place_text"
    /// The places besides the location, as JSON: in our own exports.
    case places
    case mediaURL = "media_url"
    case thumbnailURL = "thumbnail_url"
    case alt, kind, type, privacy
    /// The only family of the owner that may see it.
    case family
    /// Whether everybody may see it, as Omeka exports it.
    case isPublic = "is_public"
    /// The times of a story and of its place, and how exactly they are shown: in our own exports.
    case createdAt = "created_at"
    case updatedAt = "updated_at"
    case locatedAt = "located_at"
    case relocatedAt = "relocated_at"
    case datePrecision = "date_precision"

    /// Returns the field for a column name, and the preference of that name; `nil` for an unknown name.
    ///
    /// Case, spaces, hyphens and underscores do not matter, nor does the prefix of a known vocabulary: `dcterms:title`,
    /// `Dublin Core:Title` and `dwc:decimalLatitude` are `title` and `decimalLatitude`. If several columns mean the
    /// same field, the most preferred one with a value counts.
    package static func named(_ name: String) -> (field: ImportField, rank: Int)? {
        known[key(name, keepsVocabulary: true)] ?? known[key(name)]
    }

    /// Returns the field that an operator calls by this name, as in `--map lat=Breite`: its own name or an alias.
    package static func called(_ name: String) -> ImportField? {
        // `name` is the title in a table, so the place is called by its own aliases.
        let normalized = normalized(name)
        if normalized == "name" { return .title }
        return ImportField(rawValue: normalized) ?? named(name)?.field
    }

    /// The name under which interfaces and `--map` know the field.
    package var title: String {
        switch self {
        case .id: "source_id"
        case .place: "place_name"
        default: rawValue
        }
    }

    /// Returns a column name in lower case, with underscores for spaces and hyphens.
    package static func normalized(_ name: String) -> String {
        let trimmed = name.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
        return String(trimmed.map { $0 == " " || $0 == "-" ? "_" : $0 }).lowercased()
    }

    /// Returns a column name without anything that programs write differently: case, separators, the prefix of a
    /// vocabulary unless it is to stay, a language in brackets.
    private static func key(_ name: String, keepsVocabulary: Bool = false) -> String {
        var name = name[...]
        if !keepsVocabulary, let colon = name.lastIndex(of: ":"),
            KnownNames.vocabularies.contains(letters(name[..<colon]))
        {
            name = name[name.index(after: colon)...]
        }
        // Omeka S: dcterms:title[en].
        if name.last == "]", let bracket = name.lastIndex(of: "["), bracket != name.startIndex {
            name = name[..<bracket]
        }
        return letters(name)
    }

    private static func letters(_ name: Substring) -> String {
        String(name.lowercased().filter { !$0.isWhitespace && !"_-.".contains($0) })
    }

    private static let known: [String: (field: ImportField, rank: Int)] = {
        var names: [String: (field: ImportField, rank: Int)] = [:]
        for field in allCases {
            for (rank, name) in field.aliases.enumerated() { names[key(name, keepsVocabulary: true)] = (field, rank) }
        }
        return names
    }()
}

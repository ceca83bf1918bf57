/// The address sections of a compiled gazetteer; all numbers little-endian.
///
/// Streets are sorted by key, for binary search; the house numbers of a street are contiguous and sorted.
enum AddressFormat: Sendable {
    /// The kinds of the sections, distinct from those of ``GazetteerFormat``.
    static let streets: UInt64 = 128
    static let localities: UInt64 = 129
    static let numbers: UInt64 = 130
    static let texts: UInt64 = 131
    /// A ``FuzzyTable`` of street names; 132 and 133 are those of ``SpellingIndex``.
    static let spellingBuckets: UInt64 = 134
    static let spellings: UInt64 = 135

    /// Byte offsets inside a street.
    enum Street: Sendable {
        static let length = 36
        static let key = 0
        static let name = 4
        static let locality = 8
        static let firstNumber = 12
        static let numberCount = 16
        static let latitude = 20
        static let longitude = 24
        /// The distance in metres from the middle to the farthest of its points.
        static let reach = 28
    }

    /// Byte offsets inside a locality: texts of city, region, country code and postal code.
    enum Locality: Sendable {
        static let length = 16
        static let city = 0
        static let region = 4
        static let country = 8
        static let postcode = 12
    }

    /// Byte offsets inside a house number; its text is omitted if the value fully represents it.
    enum Number: Sendable {
        static let length = 16
        static let value = 0
        static let text = 4
        static let latitude = 8
        static let longitude = 12
    }
}

/// An address or, without a number, a point on a street, as read by importers.
public struct AddressEntry: Hashable, Sendable {
    /// The name of the street as entered.
    public var street: String
    /// The house number as entered, or `nil` for a point on the street.
    public var number: String?
    /// The city or part of it, empty if unknown.
    public var city: String
    /// The state or region, empty if unknown.
    public var region: String
    /// The two-letter code of the country in lower case, empty if unknown.
    public var country: String
    /// The postal code, empty if unknown.
    public var postcode: String
    /// The latitude in degrees.
    public var latitude: Double
    /// The longitude in degrees.
    public var longitude: Double

    /// Creates an entry.
    public init(
        street: String,
        number: String?,
        city: String,
        region: String,
        country: String,
        postcode: String,
        latitude: Double,
        longitude: Double
    ) {
        self.street = street
        self.number = number
        self.city = city
        self.region = region
        self.country = country
        self.postcode = postcode
        self.latitude = latitude
        self.longitude = longitude
    }

    /// The key by which streets are sorted and found: the folded name with short forms, empty for a name without
    /// letters.
    public var streetKey: String { String(decoding: StreetName.key(street), as: UTF8.self) }

    /// The sort value of numbers within a street; points without a number come first.
    public var orderValue: UInt32 { number.flatMap { HouseNumber($0) }?.value ?? 0 }
}

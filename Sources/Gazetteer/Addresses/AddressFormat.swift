/// The parts of a compiled gazetteer that hold addresses; all numbers little-endian.
///
/// Streets are ordered by key, so that they are found by binary search; the numbers of a street lie together in order.
enum AddressFormat: Sendable {
    /// The kinds of the parts, apart from those of ``GazetteerFormat``.
    static let streets: UInt64 = 128
    static let localities: UInt64 = 129
    static let numbers: UInt64 = 130
    static let texts: UInt64 = 131
    /// A ``FuzzyTable`` of the names of streets; 132 and 133 are those of ``SpellingIndex``.
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
        /// The farthest of its points from the middle, in metres.
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

    /// Byte offsets inside a number; its text is left out when the value says it all.
    enum Number: Sendable {
        static let length = 16
        static let value = 0
        static let text = 4
        static let latitude = 8
        static let longitude = 12
    }
}

/// An address or, without a number, a point of a street, as importers find it.
public struct AddressEntry: Hashable, Sendable {
    /// The name of the street as written.
    public var street: String
    /// The house number as written, or `nil` for a point of the street.
    public var number: String?
    /// The city or the part of it, empty when unknown.
    public var city: String
    /// The state or region, empty when unknown.
    public var region: String
    /// The two-letter code of the country, lower case, empty when unknown.
    public var country: String
    /// The postal code, empty when unknown.
    public var postcode: String
    /// Degrees.
    public var latitude: Double
    /// Degrees.
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

    /// What streets are ordered and found by: the folded name with short forms, empty for a name without letters.
    public var streetKey: String { String(decoding: StreetName.key(street), as: UTF8.self) }

    /// What numbers are ordered by inside a street; points without a number come first.
    public var orderValue: UInt32 { number.flatMap { HouseNumber($0) }?.value ?? 0 }
}

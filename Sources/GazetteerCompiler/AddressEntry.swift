import Gazetteer

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

    /// The value by which entries are sorted within a street; points without a number come first.
    public var orderValue: UInt32 { number.flatMap { HouseNumber($0) }?.value ?? 0 }
}

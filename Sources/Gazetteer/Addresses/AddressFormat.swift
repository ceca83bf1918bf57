/// The address sections of a compiled gazetteer; all numbers little-endian.
///
/// Streets are sorted by key, for binary search; the house numbers of a street are contiguous and sorted.
package enum AddressFormat: Sendable {
    // The kinds of the sections, distinct from those of ``GazetteerFormat``.

    /// Streets; see ``Street``.
    package static let streets: UInt64 = 128
    /// Localities; see ``Locality``.
    package static let localities: UInt64 = 129
    /// House numbers; see ``Number``.
    package static let numbers: UInt64 = 130
    /// Texts of at most 255 bytes, each after its length in one byte.
    package static let texts: UInt64 = 131
    /// The buckets of a ``FuzzyTable`` of street names.
    ///
    /// The numbers 132 and 133 are sections of ``SpellingIndex``.
    package static let spellingBuckets: UInt64 = 134
    /// The entries of the ``FuzzyTable`` of street names.
    package static let spellings: UInt64 = 135

    /// Byte offsets inside a street.
    package enum Street: Sendable {
        /// The length of a record.
        package static let length = 36
        /// The start of the key among the texts, u32.
        package static let key = 0
        static let name = 4
        static let locality = 8
        static let firstNumber = 12
        static let numberCount = 16
        static let latitude = 20
        static let longitude = 24
        /// The distance in metres from the middle of the street to its farthest point.
        static let reach = 28
    }

    /// Byte offsets inside a locality: texts of city, region, country code and postal code.
    package enum Locality: Sendable {
        /// The length of a record.
        package static let length = 16
        static let city = 0
        static let region = 4
        static let country = 8
        static let postcode = 12
    }

    /// Byte offsets inside a house number.
    ///
    /// The field `text` is zero if the number is just its value in decimal digits.
    package enum Number: Sendable {
        /// The length of a record.
        package static let length = 16
        static let value = 0
        static let text = 4
        static let latitude = 8
        static let longitude = 12
    }
}

import Geometry

/// A searchable index of compiled addresses.
///
/// Reads are bounds-checked, so that a damaged file cannot crash the process.
public struct AddressIndex: Sendable {
    private let storage: GazetteerBytes
    private let streets: ByteView
    private let localities: ByteView
    private let numbers: ByteView
    private let texts: ByteView
    /// The index of street names for misspelt searches.
    let spellings: FuzzyTable

    /// The number of streets, counted once for each city and postal code they run through.
    public var streetCount: Int { streets.count / AddressFormat.Street.length }
    /// The number of addresses.
    public var addressCount: Int { numbers.count / AddressFormat.Number.length }

    /// Opens the addresses of a compiled file, or returns `nil` if it contains none.
    ///
    /// - Throws: ``GazetteerError`` if the bytes are not a compiled gazetteer of this version, or are damaged.
    public init?(bytes: GazetteerBytes) throws {
        let all = bytes.view
        try GazetteerFormat.check(all)
        func part(_ number: UInt64, unit: Int) throws -> ByteView? {
            guard let view = try GazetteerFormat.part(number, of: all) else { return nil }
            guard view.count % unit == 0 else {
                throw GazetteerError(.damaged, "The addresses of the gazetteer are damaged")
            }
            return view
        }
        guard let streets = try part(AddressFormat.streets, unit: AddressFormat.Street.length),
            let localities = try part(AddressFormat.localities, unit: AddressFormat.Locality.length),
            let numbers = try part(AddressFormat.numbers, unit: AddressFormat.Number.length),
            let texts = try part(AddressFormat.texts, unit: 1)
        else { return nil }
        let buckets = try part(AddressFormat.spellingBuckets, unit: 4) ?? ByteView(base: nil, count: 0)
        let bucketCount = buckets.count / 4 - 1
        guard bucketCount < 1 || bucketCount & (bucketCount - 1) == 0 else {
            throw GazetteerError(.damaged, "The gazetteer's table for misspelt street names is damaged")
        }
        spellings = FuzzyTable(
            buckets: buckets,
            entries: try part(AddressFormat.spellings, unit: 4) ?? ByteView(base: nil, count: 0),
            names: streets.count / AddressFormat.Street.length
        )
        storage = bytes
        self.streets = streets
        self.localities = localities
        self.numbers = numbers
        self.texts = texts
    }

    /// A street in one city and postal code.
    struct Street: Sendable {
        var number: Int
        var name: String
        var city: String
        var region: String
        var country: String
        var postcode: String
        var latitude: Double
        var longitude: Double
        var reachKilometres: Double
        var numbers: Range<Int>
    }

    /// A house.
    struct House: Sendable {
        var text: String
        var value: UInt32
        var latitude: Double
        var longitude: Double
    }

    func text(_ offset: Int) -> String {
        String(decoding: textBytes(offset), as: UTF8.self)
    }

    private func textBytes(_ offset: Int) -> UnsafeRawBufferPointer {
        texts.part(offset: offset + 1, length: Int(texts.load(offset, as: UInt8.self)))
    }

    private func field(_ view: ByteView, _ offset: Int) -> Int { Int(view.load(offset, as: UInt32.self)) }

    private func degrees(_ view: ByteView, _ offset: Int) -> Double {
        Double(view.load(offset, as: Int32.self)) / GazetteerFormat.degree
    }

    func street(_ number: Int) -> Street {
        typealias Layout = AddressFormat.Street
        let record = number * Layout.length
        let locality = field(streets, record + Layout.locality) * AddressFormat.Locality.length
        let count = addressCount
        let first = min(count, field(streets, record + Layout.firstNumber))
        let last = min(count, first + field(streets, record + Layout.numberCount))
        return Street(
            number: number,
            name: text(field(streets, record + Layout.name)),
            city: text(field(localities, locality + AddressFormat.Locality.city)),
            region: text(field(localities, locality + AddressFormat.Locality.region)),
            country: text(field(localities, locality + AddressFormat.Locality.country)),
            postcode: text(field(localities, locality + AddressFormat.Locality.postcode)),
            latitude: degrees(streets, record + Layout.latitude),
            longitude: degrees(streets, record + Layout.longitude),
            reachKilometres: Double(field(streets, record + Layout.reach)) / 1000,
            numbers: first..<max(first, last)
        )
    }

    /// Returns the middle of a street, without reading its texts.
    func position(ofStreet number: Int) -> UnitVector {
        let record = number * AddressFormat.Street.length
        return UnitVector(
            latitude: degrees(streets, record + AddressFormat.Street.latitude),
            longitude: degrees(streets, record + AddressFormat.Street.longitude)
        )
    }

    func house(_ number: Int) -> House {
        typealias Layout = AddressFormat.Number
        let record = number * Layout.length
        let value: UInt32 = numbers.load(record + Layout.value)
        let offset = field(numbers, record + Layout.text)
        return House(
            text: offset == 0 ? String(value) : text(offset),
            value: value,
            latitude: degrees(numbers, record + Layout.latitude),
            longitude: degrees(numbers, record + Layout.longitude)
        )
    }

    private func value(_ number: Int) -> UInt32 {
        numbers.load(number * AddressFormat.Number.length + AddressFormat.Number.value)
    }

    func key(_ number: Int) -> UnsafeRawBufferPointer {
        textBytes(field(streets, number * AddressFormat.Street.length + AddressFormat.Street.key))
    }

    /// Returns the streets with exactly this key.
    func streets(named key: [UInt8]) -> Range<Int> {
        let first = firstStreet(from: key)
        var last = first
        while last < streetCount, self.key(last).elementsEqual(key) { last += 1 }
        return first..<last
    }

    /// Returns at most `limit` streets whose key consists of `key` and at least one more word.
    func streets(beginning key: [UInt8], limit: Int) -> Range<Int> {
        let prefix = key + [0x20]
        let first = firstStreet(from: prefix)
        var last = first
        while last < streetCount, last - first < limit, self.key(last).starts(with: prefix) { last += 1 }
        return first..<last
    }

    func firstStreet(from key: [UInt8]) -> Int {
        var (low, high) = (0, streetCount)
        while low < high {
            let middle = (low + high) / 2
            if self.key(middle).lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the index of the first house number in `range` that is at least `value`, or the end of `range` if there
    /// is none.
    func firstNumber(from value: UInt32, in range: Range<Int>) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if self.value(middle) < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

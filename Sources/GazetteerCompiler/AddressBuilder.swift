import Gazetteer
import Geometry

/// Compiles sorted addresses into the sections of a gazetteer file.
///
/// Only the streets are kept in memory; house numbers are taken in pieces with ``takeNumbers()`` and written after
/// everything else.
public struct AddressBuilder: Sendable {
    private var streets: [UInt8] = []
    private var localities: [UInt8] = []
    private var numbers: [UInt8] = []
    /// The number of bytes of house numbers taken so far.
    private var taken = 0
    private var texts: [UInt8] = [0]
    private var known: [String: UInt32] = ["": 0]
    private var knownLocalities: [[UInt32]: UInt32] = [:]

    private var current: AddressEntry?
    private var currentKey = ""
    private var points: [(value: UInt32, text: String, latitude: Double, longitude: Double)] = []

    /// The number of streets so far; a street is counted once for each city and postal code it runs through.
    public private(set) var streetCount = 0
    /// The number of distinct addresses so far.
    public private(set) var addressCount = 0

    /// Creates an empty builder.
    public init() {}

    /// Adds an entry; entries must be sorted by key (as bytes), street, city, region, country, postal code and value.
    public mutating func add(_ entry: AddressEntry, key: String) {
        guard !key.isEmpty else { return }
        if let current, key != currentKey || !current.isSameStreet(as: entry) { endStreet() }
        if current == nil { (current, currentKey) = (entry, key) }
        let number = entry.number.flatMap { HouseNumber($0) }
        points.append((number?.value ?? 0, number?.text ?? "", entry.latitude, entry.longitude))
    }

    private var numberCount: Int { (taken + numbers.count) / AddressFormat.Number.length }

    /// Takes the house numbers that are ready; concatenated in the order taken, they form the end of the file.
    public mutating func takeNumbers() -> [UInt8] {
        defer { numbers.removeAll(keepingCapacity: true) }
        taken += numbers.count
        return numbers
    }

    /// Ends the last street, so that its house numbers can be taken.
    public mutating func end() { endStreet() }

    /// Writes the whole file, including the sections of compiled places, except for the house numbers at its end.
    ///
    /// - Parameters:
    ///   - places: compiled places whose sections are included in the file, if any.
    ///   - spellings: the names of places by language.
    ///   - checksum: the SHA-256 of the sources.
    ///   - space: temporary storage for the street names in the spelling index.
    ///   - output: receives the beginning of the file; all the house numbers taken must follow directly.
    /// - Throws: any error of `output` or of the temporary storage of places and spellings.
    public func writeHead(
        places: CompiledPlaces? = nil,
        spellings: SpellingBuilder? = nil,
        checksum: [UInt8],
        space: ScratchSpace = .memory,
        to output: ([UInt8]) throws -> Void
    ) throws {
        var file = places?.file ?? GazetteerFile()
        try spellings?.write(to: &file)
        guard streetCount > 0 else { return try file.write(checksum: checksum, to: output) }
        file.append(number: AddressFormat.streets, bytes: streets)
        file.append(number: AddressFormat.localities, bytes: localities)
        file.append(number: AddressFormat.texts, bytes: texts)
        try writeSpellings(space, to: &file)
        try file.write(checksum: checksum, followedBy: (AddressFormat.numbers, taken), to: output)
    }

    /// Returns the whole file.
    ///
    /// - Parameters:
    ///   - places: compiled places whose sections are included in the file, if any.
    ///   - checksum: the SHA-256 of the sources.
    /// - Returns: the bytes of the file, for ``AddressIndex`` and ``GazetteerIndex``.
    /// - Throws: any error of the temporary storage of `places`.
    public mutating func finish(places: CompiledPlaces? = nil, checksum: [UInt8]) throws -> [UInt8] {
        end()
        let numbers = takeNumbers()
        var file: [UInt8] = []
        try writeHead(places: places, checksum: checksum) { file += $0 }
        return file + numbers
    }

    /// Calls `body` with the key of each street name, and the number of the first street with that name.
    func forEachName(_ body: ([UInt8], Int) throws -> Void) rethrows {
        func word(_ offset: Int) -> Int {
            streets[offset..<(offset + 4)].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        var last = -1
        for street in 0..<streetCount {
            let key = word(street * AddressFormat.Street.length + AddressFormat.Street.key)
            guard key != last, key < texts.count else { continue }
            last = key
            try body(Array(texts[(key + 1)...].prefix(Int(texts[key]))), street)
        }
    }

    private mutating func endStreet() {
        guard let entry = current, !points.isEmpty else { return }
        defer {
            points.removeAll(keepingCapacity: true)
            current = nil
        }
        let middle = middle()
        let reach = points.map { Self.metres((middle.latitude, middle.longitude), ($0.latitude, $0.longitude)) }.max()
        let first = numberCount
        appendNumbers()
        streets.append(littleEndian: place(currentKey))
        streets.append(littleEndian: place(entry.street))
        streets.append(littleEndian: locality(of: entry))
        streets.append(littleEndian: UInt32(truncatingIfNeeded: first))
        streets.append(
            littleEndian: UInt32(truncatingIfNeeded: numberCount - first)
        )
        streets.append(littleEndian: Self.fixed(middle.latitude))
        streets.append(littleEndian: Self.fixed(middle.longitude))
        streets.append(littleEndian: UInt32((reach ?? 0).rounded()))
        streets.append(littleEndian: UInt32(0))
        streetCount += 1
    }

    /// Returns the point of the street nearest to the mean of all its points.
    private func middle() -> (latitude: Double, longitude: Double) {
        let latitude = points.reduce(0) { $0 + $1.latitude } / Double(points.count)
        let longitude = points.reduce(0) { $0 + $1.longitude } / Double(points.count)
        let nearest = points.min {
            Self.metres((latitude, longitude), ($0.latitude, $0.longitude))
                < Self.metres((latitude, longitude), ($1.latitude, $1.longitude))
        }
        return nearest.map { ($0.latitude, $0.longitude) } ?? (latitude, longitude)
    }

    private mutating func appendNumbers() {
        points.sort { $0.value != $1.value ? $0.value < $1.value : $0.text < $1.text }
        var previous: (value: UInt32, text: String, latitude: Double, longitude: Double)?
        for point in points where point.value > 0 || !point.text.isEmpty {
            // Several records of one house are merged into one address.
            if let previous, previous.text == point.text,
                Self.metres((previous.latitude, previous.longitude), (point.latitude, point.longitude)) < 25
            {
                continue
            }
            numbers.append(littleEndian: point.value)
            numbers.append(littleEndian: point.text == String(point.value) ? 0 : place(point.text))
            numbers.append(littleEndian: Self.fixed(point.latitude))
            numbers.append(littleEndian: Self.fixed(point.longitude))
            addressCount += 1
            previous = point
        }
    }

    private mutating func locality(of entry: AddressEntry) -> UInt32 {
        let record = [place(entry.city), place(entry.region), place(entry.country), place(entry.postcode)]
        if let number = knownLocalities[record] { return number }
        let number = UInt32(truncatingIfNeeded: localities.count / AddressFormat.Locality.length)
        for text in record { localities.append(littleEndian: text) }
        knownLocalities[record] = number
        return number
    }

    /// Stores a text as one byte with its length and at most 255 bytes, and returns its offset.
    private mutating func place(_ text: String) -> UInt32 {
        if let offset = known[text] { return offset }
        let bytes = Array(text.utf8.prefix(255))
        let offset = UInt32(truncatingIfNeeded: texts.count)
        texts.append(UInt8(truncatingIfNeeded: bytes.count))
        texts.append(contentsOf: bytes)
        known[text] = offset
        return offset
    }

    private static func fixed(_ degrees: Double) -> Int32 {
        Int32((min(180, max(-180, degrees)) * GazetteerFormat.degree).rounded())
    }

    private static func metres(_ a: (Double, Double), _ b: (Double, Double)) -> Double {
        UnitVector(latitude: a.0, longitude: a.1).kilometres(to: UnitVector(latitude: b.0, longitude: b.1)) * 1000
    }
}

extension AddressEntry {
    fileprivate func isSameStreet(as other: AddressEntry) -> Bool {
        city == other.city && region == other.region && country == other.country && postcode == other.postcode
    }
}

extension AddressBuilder {
    /// Writes the spelling index of street names; each name refers to the first street with that name.
    func writeSpellings(_ space: ScratchSpace, to file: inout GazetteerFile) throws {
        var table = FuzzyTableBuilder(names: streetCount, space)
        // People omit the street type, so the name is also entered without it.
        forEachName { key, _ in
            table.count(key)
            if let name = Self.shortName(key) { table.count(name) }
        }
        try table.prepare()
        try forEachName { key, street in
            try table.add(key, number: street)
            if let name = Self.shortName(key) { try table.add(name, number: street) }
        }
        try table.write(buckets: AddressFormat.spellingBuckets, entries: AddressFormat.spellings, to: &file)
    }

    private static func shortName(_ key: [UInt8]) -> [UInt8]? {
        let letters = StreetLetters(key)
        return letters.name.isEmpty || letters.fixed.isEmpty ? nil : letters.name
    }
}

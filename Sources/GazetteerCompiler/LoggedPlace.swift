import Gazetteer

/// A place in temporary storage while added places are compiled; other places are referred to by their index in the
/// log.
struct LoggedPlace {
    static let length = 64

    var kind: PlaceKind
    var source: PlaceSource
    /// Whether its name is historic.
    var isFormer: Bool
    /// Whether it is a street or a landmark listed by an operator.
    var isOwnSite: Bool
    var country: UInt16
    var admin1: UInt32
    var admin2: UInt32
    var latitude: Double
    var longitude: Double
    var population: UInt32
    var nameStart: UInt32
    var nameLength: UInt16
    var ident: UInt32
    var weight: Float
    /// The hash of its name and country, by which it is found as the city of other places; zero if it is not a
    /// settlement.
    var cityKey: UInt64
    /// The key of its identifier; see ``PlaceNumber``.
    var number: Int

    func write(to writer: inout ScratchWriter) throws {
        try writer.append(cityKey)
        try writer.append(UInt64(number))
        try writer.append(latitude.bitPattern)
        try writer.append(longitude.bitPattern)
        try writer.append(admin1)
        try writer.append(admin2)
        try writer.append(population)
        try writer.append(nameStart)
        try writer.append(ident)
        try writer.append(weight.bitPattern)
        try writer.append(nameLength)
        try writer.append(country)
        try writer.append(kind.rawValue)
        try writer.append(source.rawValue)
        try writer.append(UInt16((isFormer ? 1 : 0) | (isOwnSite ? 2 : 0)))
    }

    private init(_ reader: inout ScratchReader) throws {
        cityKey = try reader.next()
        number = Int(truncatingIfNeeded: try reader.next(UInt64.self))
        latitude = Double(bitPattern: try reader.next())
        longitude = Double(bitPattern: try reader.next())
        admin1 = try reader.next()
        admin2 = try reader.next()
        population = try reader.next()
        nameStart = try reader.next()
        ident = try reader.next()
        weight = Float(bitPattern: try reader.next())
        nameLength = try reader.next()
        country = try reader.next()
        kind = PlaceKind(rawValue: try reader.next()) ?? .village
        source = PlaceSource(rawValue: try reader.next()) ?? .added
        let flags: UInt16 = try reader.next()
        isFormer = flags & 1 != 0
        isOwnSite = flags & 2 != 0
    }

    init(
        kind: PlaceKind,
        source: PlaceSource,
        isFormer: Bool,
        isOwnSite: Bool,
        country: UInt16,
        admin1: UInt32,
        admin2: UInt32,
        latitude: Double,
        longitude: Double,
        population: UInt32,
        nameStart: UInt32,
        nameLength: UInt16,
        ident: UInt32,
        weight: Float,
        cityKey: UInt64,
        number: Int
    ) {
        self.kind = kind
        self.source = source
        self.isFormer = isFormer
        self.isOwnSite = isOwnSite
        self.country = country
        self.admin1 = admin1
        self.admin2 = admin2
        self.latitude = latitude
        self.longitude = longitude
        self.population = population
        self.nameStart = nameStart
        self.nameLength = nameLength
        self.ident = ident
        self.weight = weight
        self.cityKey = cityKey
        self.number = number
    }

    /// Calls `body` for each place of a log, with its number.
    static func forEach(in log: any Scratch, _ body: (Int, LoggedPlace) throws -> Void) throws {
        var reader = ScratchReader(log)
        for number in 0..<(log.count / length) { try body(number, LoggedPlace(&reader)) }
    }
}

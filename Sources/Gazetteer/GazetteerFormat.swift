/// The layout of a compiled gazetteer, version 6; all numbers little-endian, all sections at multiples of eight.
///
/// Header: magic (8 bytes), version (u32), number of sections (u32), total length (u64), checksum of the sources
/// (32 bytes); then per section its kind (u64), offset (u64) and length (u64).
enum GazetteerFormat: Sendable {
    static let magic: [UInt8] = Array("WMGAZTR\n".utf8)
    static let version: UInt32 = 6
    static let checksumLength = 32
    static let headerLength = 56
    static let sectionEntryLength = 24

    /// No place, no country, no box.
    static let none = UInt32.max

    /// The parts of the file.
    enum Section: UInt64, CaseIterable, Sendable {
        /// Fixed-size records, most important place first: the number of a place is its rank.
        case places = 1
        /// West, south, east, north per box, i32 each, in 1e-7 degrees.
        case boxes
        /// Names as written, UTF-8.
        case names
        /// ISO codes and place of each country, by code.
        case countries
        /// Folded names, sorted, without separators.
        case keyBytes
        /// Where each key starts in `keyBytes`, u32, one more than there are keys.
        case keyOffsets
        /// Where each key's postings start, u32, one more than there are keys.
        case postingOffsets
        /// Places of each key, best first: place number in 28 bits, ``NameQuality`` in the upper 4.
        case postings
        /// Hash table with open addressing: number of the key plus one, zero when free; a power of two of u32.
        case slots
        /// See ``FuzzyTable``.
        case fuzzyBuckets = 32
        case fuzzyEntries
        /// See ``PrefixTree``.
        case keyRanks
        /// What each place is, one byte each, so that many can be looked at quickly.
        case kinds
        /// See ``NameScan``.
        case scanEntries
        case scanMembers
        case scanRegions
        case scanAliases
        /// First and last year of the names that have any, by place: u32, i16, i16; 0 where there is none.
        case years = 40
        /// Places in the order of the numbers of their identifiers, u32 each; see ``PlaceNumber``.
        case idents
        /// A ``PrefixTree`` over the names that are shown; see ``NameQuality/isVisible``.
        case visibleRanks
        /// Further names as written, and where those of each place start; see ``AliasTexts``.
        case aliasTexts
        case aliasPlaces
        /// Settlements as a ``PlaceTree``, those that reach far in one of their own.
        case settlements = 50
        case largeSettlements
        /// Settlements that outlines leave elsewhere than their records say.
        case strays
        /// Parts of settlements as a ``PlaceTree``.
        case parts
        /// ZIP codes as a ``PlaceTree``.
        case postcodes
        /// Grids of areas; see ``AreaGridFormat``.
        case countyCells
        case countyBorders
        case regionCells
        case regionBorders
        /// What the areas belong to, those of counties first, and how many these are.
        case units
        case areaCounts
        /// Names of areas and waters.
        case areaTexts
        /// Waters, their outlines as pairs of i32, and which of them each cell of one degree lies in.
        case waters
        case waterPoints
        case waterCells
        /// See ``PlaceHints``; empty where there are none.
        case hints = 80
    }

    /// The longest run of occupied slots a reader follows.
    static let longestProbe = 512

    /// Byte offsets inside a place record.
    enum Place: Sendable {
        static let length = 44
        static let ident = 0
        static let source = 4
        static let kind = 5
        static let country = 6
        static let admin1 = 8
        static let admin2 = 12
        static let latitude = 16
        static let longitude = 20
        static let population = 24
        static let nameOffset = 28
        static let nameLength = 32
        static let importance = 34
        static let box = 36
        static let city = 40
    }

    /// Byte offsets inside a country record.
    enum Country: Sendable {
        static let length = 12
        static let code = 0
        static let place = 8
    }

    /// Byte offsets inside a record of years.
    enum Years: Sendable {
        static let length = 8
        static let place = 0
        static let from = 4
        static let to = 6
    }

    /// Degrees are stored as integers of this fraction, about a centimetre.
    static let degree = 1e7
    /// The logarithm of the population that counts as importance 1.
    static let fullImportance = 10.0

    /// Returns the hash of a key: FNV-1a (Fowler, Noll, Vo) of its bytes, mixed.
    @inline(__always)
    static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash = Hash()
        for byte in bytes { hash.add(byte) }
        return hash.value
    }

    /// A hash in the making, byte by byte.
    struct Hash: Sendable {
        private var state: UInt64 = 0xCBF2_9CE4_8422_2325

        /// The hash of the bytes so far.
        @inline(__always)
        var value: UInt64 { state ^ (state >> 29) }

        /// Takes in one more byte.
        @inline(__always)
        mutating func add(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
}

/// How well a name stands for its place; lower is better.
enum NameQuality: UInt8, Sendable {
    /// The main name.
    case primary = 0
    /// A regular variant of the main name: "Muenchen", a name without its article.
    case variant
    /// Another name: in another language, of another time, or colloquial.
    case alias
    /// A main name without the word that makes it one: "Fulton" for Fulton County.
    case short
    /// An abbreviation or a postal code of a region: "Ga.", "GA".
    case code
    /// An ISO 3166 code.
    case countryCode
}

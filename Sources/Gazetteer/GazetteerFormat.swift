/// The layout of a compiled gazetteer, version 6; all numbers little-endian, all sections at multiples of eight.
///
/// Header: magic (8 bytes), version (u32), number of sections (u32), total length (u64), checksum of the sources
/// (32 bytes); then per section its kind (u64), offset (u64) and length (u64).
package enum GazetteerFormat: Sendable {
    /// The first bytes of a file.
    package static let magic: [UInt8] = Array("WMGAZTR\n".utf8)
    /// The version of the layout.
    package static let version: UInt32 = 6
    /// The length of the checksum of the sources.
    package static let checksumLength = 32
    /// The length of the header, before the list of sections.
    package static let headerLength = 56
    /// The length of the entry of a section in the list.
    package static let sectionEntryLength = 24

    /// The value for no place, no country or no box.
    package static let none = UInt32.max

    /// The sections of the file.
    package enum Section: UInt64, CaseIterable, Sendable {
        /// Fixed-size records, most important place first: the index of a place is its rank.
        case places = 1
        /// West, south, east, north per box, i32 each, in 1e-7 degrees.
        case boxes
        /// Names as entered, UTF-8.
        case names
        /// The ISO codes and the place of each country, sorted by code.
        case countries
        /// Folded names, sorted, without separators.
        case keyBytes
        /// The start of each key in `keyBytes`, u32, followed by the end of the last one.
        case keyOffsets
        /// The start of each key's postings, u32, followed by the end of the last one.
        case postingOffsets
        /// Places of each key, best first: place number in 28 bits, ``NameQuality`` in the upper 4.
        case postings
        /// A hash table with open addressing, a power of two of u32: the key number plus one, or zero if the slot is
        /// free.
        case slots
        /// See ``FuzzyTable``.
        case fuzzyBuckets = 32
        case fuzzyEntries
        /// See ``PrefixTree``.
        case keyRanks
        /// The kind of each place, one byte each, for fast scans.
        case kinds
        /// See ``NameScan``.
        case scanEntries
        case scanMembers
        case scanRegions
        case scanAliases
        /// The first and last year of the names of places, for names with at least one of them: place number, u32, and
        /// years, i16 each, 0 if unknown; sorted by place.
        case years = 40
        /// Places sorted by the numbers of their identifiers, u32 each; see ``PlaceNumber``.
        case idents
        /// A ``PrefixTree`` of the displayed names; see ``NameQuality/isVisible``.
        case visibleRanks
        /// Additional names as entered, and the start of each place's names; see ``AliasTexts``.
        case aliasTexts
        case aliasPlaces
        /// Settlements as a ``PlaceTree``; those with a large radius form a separate tree.
        case settlements = 50
        case largeSettlements
        /// Settlements whose records disagree with the outlines.
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
        /// The units of the areas, counties first, and the number of counties.
        case units
        case areaCounts
        /// Names of areas and waters.
        case areaTexts
        /// Waters, their outlines as pairs of i32, and the water in each cell of one degree.
        case waters
        case waterPoints
        case waterCells
        /// See ``FormerNames``; absent if there are none.
        case formerTexts = 70
        case formerNames
        /// See ``PlaceHints``; empty if there are none.
        case hints = 80
    }

    /// The maximum length of a folded name in bytes; longer ones are truncated, and no query is that long either.
    package static let longestKey = 200
    /// The maximum number of occupied slots that a reader follows.
    static let longestProbe = 512

    /// Byte offsets inside a place record.
    package enum Place: Sendable {
        /// The length of a record.
        package static let length = 44
        static let ident = 0
        static let source = 4
        /// The ``PlaceKind``, one byte.
        package static let kind = 5
        /// The number of the country, u16.
        package static let country = 6
        /// The rank of the region, u32, or ``GazetteerFormat/none``.
        package static let admin1 = 8
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
    package enum Country: Sendable {
        /// The length of a record.
        package static let length = 12
        static let code = 0
        /// The rank of the country's place, u32.
        package static let place = 8
    }

    /// Byte offsets inside a record of years.
    enum Years: Sendable {
        static let length = 8
        static let place = 0
        static let from = 4
        static let to = 6
    }

    /// Degrees are stored as integer multiples of 1 / `degree`, about a centimetre.
    package static let degree = 1e7
    /// The decimal logarithm of the population that corresponds to importance 1.
    package static let fullImportance = 10.0

    /// Returns the hash of a key: FNV-1a (Fowler, Noll, Vo) of its bytes, mixed.
    @inlinable
    @inline(__always)
    package static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash = Hash()
        for byte in bytes { hash.add(byte) }
        return hash.value
    }

    /// An incremental hash.
    package struct Hash: Sendable {
        @usableFromInline
        var state: UInt64 = 0xCBF2_9CE4_8422_2325

        /// Creates the hash of no bytes.
        @inlinable
        package init() {}

        /// The hash of the bytes so far.
        @inlinable
        @inline(__always)
        package var value: UInt64 { state ^ (state >> 29) }

        /// Adds one byte.
        @inlinable
        @inline(__always)
        package mutating func add(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
}

/// The relation of a name to its place; lower values are better.
package enum NameQuality: UInt8, Sendable {
    /// The main name.
    case primary = 0
    /// A regular variant of the main name: "Muenchen", a name without its article.
    case variant
    /// Another name: in another language, historic, or colloquial.
    case alias
    /// A main name without its generic word: "Fulton" for Fulton County.
    case short
    /// An abbreviation or a postal code of a region: "Ga.", "GA".
    case code
    /// An ISO 3166 code.
    case countryCode
}

extension NameQuality: Comparable {
    /// Returns whether the first is the better name for its place.
    package static func < (first: NameQuality, second: NameQuality) -> Bool { first.rawValue < second.rawValue }
}

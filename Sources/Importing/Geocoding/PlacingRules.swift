import Gazetteer
public import Stories

/// When a place found by words is sure enough, and small enough, to give a story its location.
public struct PlacingRules: Hashable, Sendable {
    /// The least confidence of a place, 0...1.
    public var threshold: Double
    /// The largest extent of a place: a story somewhere in Texas has no place on a map of streets.
    public var coarsest: PlaceExtent

    /// The threshold at which less than one in a hundred places was wrong; see `waymark bench geocode-import`.
    public static let defaultThreshold = 0.9
    /// The number of candidates that a review offers.
    public static let candidates = 5

    /// Creates rules.
    public init(threshold: Double = PlacingRules.defaultThreshold, coarsest: PlaceExtent = .county) {
        self.threshold = threshold
        self.coarsest = coarsest
    }

    /// Returns the first candidate that is sure enough, if it is also small enough.
    public func choice(among candidates: [PlaceCandidate]) -> PlaceCandidate? {
        guard let first = candidates.first(where: { $0.confidence >= threshold }) else { return nil }
        return first.extent <= coarsest ? first : nil
    }
}

/// How rows without a position are located by their words.
public struct RowGeocoding: Sendable {
    /// Finds the places.
    public let locator: any PlaceLocator
    /// Decides.
    public let rules: PlacingRules
    /// What to do about rows that were not located.
    public let remedy: String

    /// Creates a value from its parts.
    public init(
        locator: any PlaceLocator,
        rules: PlacingRules,
        remedy: String = "--review FILE lists what they may mean"
    ) {
        self.locator = locator
        self.rules = rules
        self.remedy = remedy
    }
}

/// What the words of a row say about its place, for a row that gives no position.
public struct RowPlacement: Hashable, Sendable {
    /// The words.
    public let words: PlaceWords
    /// How the row wants its place shown, if it had one.
    public var precision = LocationPrecision.exact
    /// Whether the row lets family members see an exact point.
    public var familySeesExact = false
    /// Whether the row says that a program extracted its words, so that its owner must confirm the place (LOC-11).
    public var isExtracted = false
    /// The place that was found and is sure enough.
    public var place: PlaceCandidate?
    /// The places to choose from, for a row that was not located; empty if none was looked for or found.
    public var candidates: [PlaceCandidate] = []

    /// Creates a placement of words for which no place was found.
    public init(words: PlaceWords) { self.words = words }

    /// The location that the place gives the story, with the row's own names.
    ///
    /// It is shown no more precisely than the row allows and the size of the place justifies.
    public func location(names given: [LocationName: String]) -> StoryLocation? {
        place.map { location(at: $0, names: given) }
    }

    /// Returns the location that a place would give the story.
    public func location(at place: PlaceCandidate, names given: [LocationName: String]) -> StoryLocation {
        StoryLocation(
            coordinate: place.coordinate,
            source: isExtracted ? .aiExtracted : .geocoded,
            accuracy: place.kind == .coordinate ? nil : min(place.radius.rounded(), StoryLimits.accuracy),
            precision: precision.stricter(place.precision),
            familySeesExact: familySeesExact && place.precision == .exact,
            names: given.merging(place.names) { given, _ in given },
            derived: Set(place.names.keys).subtracting(given.keys)
        )
    }
}

/// A value that is stored apart from the structure that holds it.
indirect enum Kept<Value: Hashable & Sendable>: Hashable, Sendable {
    case value(Value)

    var value: Value {
        switch self {
        case .value(let value): value
        }
    }
}

/// Locates rows by their words, remembering what it found: archives name the same places again and again.
struct RowGeocoder {
    private let geocoding: RowGeocoding
    private var known: [PlaceWords: [PlaceCandidate]] = [:]
    /// The number of rows that were located, and of those that were not.
    private(set) var located = 0
    private(set) var left = 0

    /// More words than that are forgotten at once, so that the memory does not grow with the file.
    private static let mostKnown = 10_000

    init(_ geocoding: RowGeocoding) { self.geocoding = geocoding }

    /// Looks for the place of a row.
    mutating func locate(_ placement: inout RowPlacement) {
        let candidates = candidates(for: placement.words)
        placement.place = geocoding.rules.choice(among: candidates)
        if placement.place == nil {
            placement.candidates = candidates
            left += 1
        } else {
            located += 1
        }
    }

    private mutating func candidates(for words: PlaceWords) -> [PlaceCandidate] {
        if let found = known[words] { return found }
        let found = geocoding.locator.candidates(for: words, limit: PlacingRules.candidates)
        if known.count >= Self.mostKnown { known.removeAll(keepingCapacity: true) }
        known[words] = found
        return found
    }
}

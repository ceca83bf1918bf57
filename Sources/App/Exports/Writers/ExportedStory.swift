import Formats
import Gazetteer
import Geometry
import Library
import Stories

/// A story as the viewer of an export may see it.
///
/// The one place where exports ask what is shown: an approximate place is the middle of its cell and has no names, a
/// hidden one is absent, and times are as coarse as the place.
struct ExportedStory {
    /// A position in the reference system of the export: east before north.
    struct Position {
        let x: Double
        let y: Double
    }

    /// The story with its viewer, for the JSON of the HTTP interface, which asks the same functions.
    let view: StoryView
    /// The location as the viewer may see it.
    let location: StoryLocation?
    /// What its archive says in words about the place, for the owner of a story without a location.
    let words: WaitingWords?
    /// The date and times as the viewer may see them.
    let times: ShownTimes
    /// The point in the reference system of the export; `nil` without a place, or if it is undefined there.
    let position: Position?
    /// The county of an exact place, by the gazetteer, or that of the words.
    let county: String?

    init(_ view: StoryView, words: WaitingWords?, _ options: ExportOptions, maps: MapService) {
        self.view = view
        let location = view.story.location(for: view.viewer)
        self.location = location
        self.words = location == nil ? words : nil
        times = view.story.times(for: view.viewer)
        position = location.flatMap { location in
            guard let reference = options.reference else {
                return Position(x: location.coordinate.longitude, y: location.coordinate.latitude)
            }
            return reference.position(location.coordinate).map { Position(x: $0.x, y: $0.y) }
        }
        // Names are shown with exact places only: that of a cell's middle could be another county's.
        let isExact = location?.precision == .exact
        let found = isExact ? location.flatMap { maps.placeSearch?.reverse($0.coordinate)?.place.admin2 } : nil
        county = found ?? (location == nil ? words?.county : nil)
    }

    /// The story.
    var story: Story { view.story }

    /// The best name of the place, or `nil`.
    var placeName: String? { location?.bestName }

    /// Returns a name of the place, from the words if there is no location.
    func placeName(_ name: LocationName) -> String? {
        location.map { $0.names[name] } ?? words?.names[name]
    }

    /// How exactly the place is shown, or would be if the words found one.
    var precision: LocationPrecision? { location?.precision ?? words?.precision }

    /// Whether family members see an exact place, or would.
    var familySeesExact: Bool? { location?.familySeesExact ?? words?.familySeesExact }

    /// The source of the location, or of words that a program extracted.
    var source: LocationSource? { location?.source ?? (words?.isExtracted == true ? .aiExtracted : nil) }

    /// The days of the date, without those of an open beginning or end.
    var days: (first: CalendarDay?, last: CalendarDay?) {
        let (first, last) = (times.date?.first, times.date?.last)
        return (first == .earliest ? nil : first, last == .latest ? nil : last)
    }

    /// An address of the story, or a name for it if the service's address is not known.
    func address(_ options: ExportOptions) -> String {
        options.address.map { "\($0)/stories/\(story.id)" } ?? "urn:waymark:story:\(story.id)"
    }
}

extension StoryLocation {
    /// The best name, or `nil`.
    var bestName: String? {
        [LocationName.name, .address, .city, .state, .country].lazy.compactMap { names[$0] }.first
    }
}

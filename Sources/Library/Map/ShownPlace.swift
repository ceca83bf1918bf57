package import Geometry
import Stories

/// A place as a viewer sees it: stories that share it are at one place for them.
package struct ShownPlace: Hashable, Sendable {
    /// The place.
    package let id: PlaceID
    /// Whether it is exact; otherwise it is the middle of a cell, in which its stories happen to lie.
    package let isExact: Bool

    /// Creates the place of a story; returns `nil` if its viewer sees none.
    package init?(_ view: StoryView) {
        guard let location = view.story.location(for: view.viewer) else { return nil }
        id = PlaceID(location.coordinate)
        isExact = location.precision == .exact
    }
}

/// Puts stories of the same place together, the places in the order of their first stories.
struct PlaceOrder {
    private var numbers: [ShownPlace: Int] = [:]
    private var found: [(place: Int, id: StoryID)] = []

    /// Adds stories behind the others.
    mutating func add(_ stories: [StoryView]) {
        for view in stories {
            // Those without a place come last.
            let place = ShownPlace(view)
            let number = place.map { numbers[$0] ?? numbers.count } ?? .max
            if let place { numbers[place] = number }
            found.append((number, view.story.id))
        }
    }

    /// The ids in this order.
    var ids: [StoryID] {
        let order = found.indices.sorted { (found[$0].place, $0) < (found[$1].place, $1) }
        return order.map { found[$0].id }
    }
}

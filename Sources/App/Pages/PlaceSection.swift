import Library
import Formats
import Geometry
import Storage
import Stories

/// The place of a story, as exactly as its viewer may see it: an approximate one is an area, never a point.
struct PlaceSection: Sendable {
    let page: StoryHTML

    private var story: Story { page.story }
    private var viewer: Viewer { page.view.viewer }

    /// Writes the section.
    func write(to html: inout HTMLWriter) {
        html.element("section", [.text("class", "story-place"), .text("aria-labelledby", "place-title")]) { html in
            html.element("h2", [.text("id", "place-title")], text: page.words(.place))
            if let location = story.location(for: viewer) {
                write(location, to: &html)
            } else {
                html.element("p", text: page.words(.noPlace))
            }
            writeProposals(to: &html)
        }
    }

    private func write(_ location: StoryLocation, to html: inout HTMLWriter) {
        let precision = story.precision(for: viewer)
        if let cell = precision.cell {
            writeArea(cell, around: location.coordinate, to: &html)
        } else {
            writeNames(of: location, to: &html)
            writePoint(location.coordinate, to: &html)
        }
        writeMap(around: location.coordinate, precision.cell, to: &html)
        if let accuracy = location.accuracy { writeAccuracy(accuracy, to: &html) }
        html.element("p", [.text("class", "hint")], text: page.words(.source(location.source)))
        if page.isOwn { writeAudience(of: location, to: &html) }
        html.element("p") { html in
            html.element("a", [.href(WebAddress("/#story=\(story.id)"))], text: page.words(.showOnMap))
        }
    }

    private func writeNames(of location: StoryLocation, to html: inout HTMLWriter) {
        let names = PlaceSection.names(of: location)
        html.element("p", [.text("class", "place-name")]) { html in
            html.element("bdi", text: names.isEmpty ? page.words(.unnamedPlace) : names)
        }
    }

    private func writePoint(_ point: Coordinate, to html: inout HTMLWriter) {
        html.element("p") { html in
            html.text("\(page.words(.coordinates)): ")
            html.element(
                "bdi",
                [.text("dir", "ltr")],
                text: "\(PlaceSection.degrees(point.latitude)), \(PlaceSection.degrees(point.longitude))"
            )
        }
    }

    /// Writes the area that contains a place; what is written depends only on the cell.
    private func writeArea(_ cell: PublishedCell, around center: Coordinate, to html: inout HTMLWriter) {
        let box = cell.box(of: center)
        html.element("p", text: page.words(.approximate(cell)))
        html.element(
            "p",
            text: page.words(
                .between(
                    south: PlaceSection.degrees(box.south),
                    north: PlaceSection.degrees(box.north),
                    west: PlaceSection.degrees(box.west),
                    east: PlaceSection.degrees(box.east)
                )
            )
        )
    }

    private func writeMap(around center: Coordinate, _ cell: PublishedCell?, to html: inout HTMLWriter) {
        guard let tiles = page.site.tiles, let map = PlaceMap(around: center, cell: cell, tiles: tiles) else { return }
        map.write(label: page.words(cell.map(PageText.mapOfArea) ?? .mapOfPoint), to: &html)
    }

    private func writeAccuracy(_ accuracy: Double, to html: inout HTMLWriter) {
        guard let metres = Int(exactly: accuracy.rounded(.up)) else { return }
        let isDoubtful = accuracy > StoryLimits.doubtfulAccuracy
        html.element(
            "p",
            [.text("class", isDoubtful ? "story-note doubtful" : "hint")],
            text: page.words(isDoubtful ? .doubtful(metres: metres) : .accuracy(metres: metres))
        )
    }

    /// Says to the owner what others see of the place.
    private func writeAudience(of location: StoryLocation, to html: inout HTMLWriter) {
        html.element("p", [.text("class", "hint")]) { html in
            html.text(page.words(.othersSee(location.published)))
            guard location.published != .exact, location.familySeesExact else { return }
            html.text(" \(page.words(.familySeesExact))")
        }
    }

    private func writeProposals(to html: inout HTMLWriter) {
        let further = FurtherPlaces(page: page)
        guard !page.proposals.isEmpty || !further.waiting.isEmpty else { return }
        html.element("h3", text: page.words(.proposals))
        html.element("p", [.text("class", "story-note")], text: page.words(.proposed))
        html.element("ul", [.text("class", "proposals")]) { html in
            for proposal in page.proposals {
                // The script adds the buttons that confirm and reject it.
                html.element("li", [.text("data-proposal", proposal.id.description)]) { html in
                    writeNames(of: proposal.location, to: &html)
                    writePoint(proposal.location.coordinate, to: &html)
                    if let accuracy = proposal.location.accuracy { writeAccuracy(accuracy, to: &html) }
                }
            }
            for place in further.waiting {
                html.element("li", [.text("data-waiting", place.id.description)]) { html in
                    further.writeName(of: place, .exact, to: &html)
                    writePoint(place.location.coordinate, to: &html)
                    if let accuracy = place.location.accuracy { writeAccuracy(accuracy, to: &html) }
                }
            }
        }
    }

    /// Returns at most three names of a place, the smallest first, without repetitions.
    static func names(of location: StoryLocation) -> String {
        var names: [String] = []
        for kind in [LocationName.name, .address, .city, .state, .country] {
            if let name = location.names[kind], !name.isEmpty, !names.contains(name) { names.append(name) }
        }
        return names.prefix(3).joined(separator: ", ")
    }

    /// Returns degrees as the story's JSON writes them.
    static func degrees(_ degrees: Double) -> String {
        var json = JSONWriter(capacity: 16)
        json.degrees(degrees)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

import Geometry
import Library
import Stories

/// The places that a story has besides its location, as far as its viewer may see them, in the order of the recording.
struct FurtherPlaces: Sendable {
    let page: StoryHTML

    private var story: Story { page.story }

    /// The places that everybody sees who may: without those that wait for the owner.
    private var places: [StoryPlace] { page.view.places.filter(\.isConfirmed) }

    /// The places that programs extracted and that wait for the viewer, if the story is theirs.
    var waiting: [StoryPlace] { page.isOwn ? page.view.places.filter { !$0.isConfirmed } : [] }

    /// Writes the section; nothing for a story without such places.
    func write(to html: inout HTMLWriter) {
        guard !places.isEmpty else { return }
        html.element("section", [.text("class", "story-place"), .text("aria-labelledby", "places-title")]) { html in
            html.element("h2", [.text("id", "places-title")], text: page.words(.furtherPlaces))
            html.element("ul", [.text("class", "further-places")]) { html in
                for (index, place) in places.enumerated() {
                    html.element("li") { html in write(place, id: "further-place-\(index + 1)", to: &html) }
                }
            }
        }
    }

    private func write(_ place: StoryPlace, id: String, to html: inout HTMLWriter) {
        let precision = shownPrecision(of: place)
        writeName(of: place, precision, id: id, to: &html)
        html.element("p", [.text("class", "hint")], text: page.words(words(for: place, precision)))
        if page.isOwn, place.location.published != .exact {
            html.element("p", [.text("class", "hint")]) { html in
                html.text(page.words(.othersSeeFurther(place.location.published)))
                guard place.location.familySeesExact else { return }
                html.text(" \(page.words(.familySeesExact))")
            }
        }
        // Many links with the same words: the place says which is which.
        let described = HTMLAttribute.text("aria-describedby", id)
        html.element("p") { html in
            let address = FurtherPlaces.mapAddress(of: place, precision, in: story)
            html.element("a", [.href(address), described], text: page.words(.showOnMap))
        }
        writeHearing(of: place, described, to: &html)
    }

    /// Writes the part that a place plays, and its name, if one is shown.
    func writeName(
        of place: StoryPlace,
        _ precision: LocationPrecision,
        id: String? = nil,
        to html: inout HTMLWriter
    ) {
        var attributes: [HTMLAttribute] = [.text("class", "place-name")]
        if let id { attributes.append(.text("id", id)) }
        html.element("p", attributes) { html in
            html.text(page.words(.role(place.role)))
            guard precision == .exact else { return }
            let names = PlaceSection.names(of: place.location)
            html.text(": ")
            html.element("bdi", text: names.isEmpty ? page.words(.unnamedPlace) : names)
        }
    }

    private func words(for place: StoryPlace, _ precision: LocationPrecision) -> PageText {
        if let cell = precision.cell { return .approximate(cell) }
        switch place.shape {
        case nil: return .exactPlace
        case .line: return .lineOfPlace
        case .polygon: return .areaOfPlace
        case .multiPoint: return .pointsOfPlace
        case .multiLine: return .linesOfPlace
        case .multiPolygon: return .areasOfPlace
        }
    }

    /// Returns how exactly the viewer sees a place; by the place as stored, of which a copy for the viewer knows less.
    private func shownPrecision(of place: StoryPlace) -> LocationPrecision {
        let stored = story.places.first { $0.id == place.id }
        return stored.map { story.precision(of: $0, for: page.view.viewer) } ?? .hidden
    }

    /// Writes the link that opens the recording where the place comes up; a script plays it on this page.
    private func writeHearing(of place: StoryPlace, _ described: HTMLAttribute, to html: inout HTMLWriter) {
        guard let seconds = place.seconds, let medium = StoryMedium(of: story, origins: page.site.mediaOrigins),
            [.audio, .video].contains(medium.form)
        else { return }
        let number = FurtherPlaces.number(seconds)
        // A media fragment (W3C) in place of the one that the address may have.
        let address = WebAddress("\(medium.address.text.prefix { $0 != "#" })#t=\(number)")
        let link: [HTMLAttribute] = [
            .href(address), .text("rel", "noreferrer"), .text("data-seconds", number), described,
        ]
        html.element("p") { html in
            html.element("a", link, text: page.words(.hearFrom(FurtherPlaces.clock(seconds))))
        }
    }

    /// Returns the address of the map around a place as its viewer sees it, with the story.
    private static func mapAddress(
        of place: StoryPlace,
        _ precision: LocationPrecision,
        in story: Story
    ) -> WebAddress? {
        let point = place.location.coordinate
        let (latitude, longitude) = (PlaceSection.degrees(point.latitude), PlaceSection.degrees(point.longitude))
        return WebAddress("/#map=\(zoom(of: place, precision))/\(latitude)/\(longitude)&story=\(story.id)")
    }

    /// The zoom at which a place fills part of a map.
    private static func zoom(of place: StoryPlace, _ precision: LocationPrecision) -> Int {
        switch precision.cell {
        case .hundredth: return 13
        case .tenth: return 10
        case .degree: return 7
        case nil: break
        }
        guard let box = place.shape?.box else { return 15 }
        let width = box.east < box.west ? box.east - box.west + 360 : box.east - box.west
        var zoom = 15
        while zoom > 1, 360 / Double(1 << zoom) < max(width, box.north - box.south) { zoom -= 1 }
        return zoom
    }

    /// Returns seconds as a media fragment has them: `760` or `760.25`.
    private static func number(_ seconds: Double) -> String {
        Int(exactly: seconds).map { "\($0)" } ?? "\(seconds)"
    }

    /// Returns seconds as players show them: `12:40` or `1:02:03`.
    static func clock(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded(.down))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes, rest) = (whole / 3_600, whole / 60 % 60, whole % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
    }
}

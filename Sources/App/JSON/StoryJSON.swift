import Library
import Formats
import Geometry
import Stories

/// Writes stories as their viewers may see them.
enum StoryJSON: Sendable {
    /// Returns the story object of the HTTP interface.
    static func object(_ view: StoryView) -> [UInt8] {
        var json = JSONWriter(capacity: 1_024)
        write(view, to: &json)
        return json.bytes
    }

    /// Writes the story object of the HTTP interface.
    static func write(_ view: StoryView, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", view.story.id.description)
        writeContent(of: view, to: &json)
        json.endObject()
    }

    /// Writes the viewer's own story with everything stored about it, its point at full precision.
    static func writeOwn(_ view: StoryView, to json: inout JSONWriter) {
        let story = view.story
        json.beginObject()
        json.member("id", view.story.id.description)
        writeContent(of: view, to: &json)
        json.key("coordinates")
        if let point = story.location?.coordinate {
            json.position(point.longitude, point.latitude)
        } else {
            json.null()
        }
        json.member("source", story.source)
        json.member("source_id", story.sourceID)
        json.endObject()
    }

    /// Writes the story as a GeoJSON feature at the point the viewer gets; without one its geometry is null.
    ///
    /// With `distance` it also contains its distance in metres. `geometry` replaces that of the point, for answers in
    /// another reference system; `properties` and `members` write what its properties and the feature have besides.
    static func writeFeature(
        _ view: StoryView,
        distance: Double? = nil,
        place: StoryID? = nil,
        geometry: ((inout JSONWriter) -> Void)? = nil,
        properties: ((inout JSONWriter) -> Void)? = nil,
        members: ((inout JSONWriter) -> Void)? = nil,
        to json: inout JSONWriter
    ) {
        let point = view.story.point(for: view.viewer)
        json.beginObject()
        json.member("type", "Feature")
        json.member("id", view.story.id.description)
        json.key("geometry")
        if let geometry { geometry(&json) } else { GeoJSONShapes.writePoint(point, to: &json) }
        json.key("properties")
        json.beginObject()
        writeContent(of: view, to: &json)
        json.member("place_id", point.map { PlaceID($0).description })
        if let distance { json.member("distance", distance) }
        if let place { json.member("place", place.description) }
        writeExcerpts(of: view, to: &json)
        properties?(&json)
        json.endObject()
        members?(&json)
        json.endObject()
    }

    private static func writeContent(of view: StoryView, to json: inout JSONWriter) {
        let (story, viewer) = (view.story, view.viewer)
        let isMine = viewer.user == story.owner
        let times = story.times(for: viewer)
        func text(_ name: String, _ value: String?) {
            json.member(name, value)
        }
        text("client_id", isMine ? story.clientID : nil)
        text("kind", story.kind.rawValue)
        text("title", story.title)
        text("text", story.text)
        text("date", times.date?.text)
        json.member("tags", story.tags)
        json.member("people", story.people)
        json.member("mentions", story.mentions)
        text("collection", story.collection)
        text("media_url", story.mediaURL)
        text("thumbnail_url", story.thumbnailURL)
        json.key("thumbnail")
        writePicture(of: story, isShared: view.isShared, to: &json)
        text("alt", story.alt)
        text("media_sha256", isMine ? story.mediaChecksum : nil)
        text("owner", story.owner.rawValue)
        text("owner_name", view.ownerName)
        text("privacy", story.privacy.rawValue)
        text("family", view.shownFamily?.rawValue)
        json.member("auto_private", story.autoPrivate)
        // Only the owner sees a withheld story, and no one can hide their own.
        if story.isWithheld { json.member("withheld", true) }
        if view.isHidden { json.member("hidden", true) }
        if view.isFavourite { json.member("favourite", true) }
        writeWarnings(
            isNarrowed: view.isNarrowed,
            hasTellingExtent: isMine && story.hasTellingExtent,
            date: isMine ? story.date : nil,
            to: &json
        )
        json.key("location")
        writeLocation(of: view, to: &json)
        let places = view.places
        if !places.isEmpty {
            json.key("places")
            PlaceJSON.write(places, to: &json)
        }
        text("created_at", RFC3339.format(times.createdAt))
        text("updated_at", RFC3339.format(times.updatedAt))
    }

    private static func writeLocation(of view: StoryView, to json: inout JSONWriter) {
        guard let location = view.story.location(for: view.viewer) else { return json.null() }
        json.beginObject()
        writeMembers(of: location, isConfirmed: true, to: &json)
        json.endObject()
    }

    /// Writes the members of a location as its viewer may see it, or of a further place.
    static func writeMembers(
        of location: StoryLocation,
        isConfirmed: Bool,
        isFurther: Bool = false,
        to json: inout JSONWriter
    ) {
        json.key("lat")
        json.degrees(location.coordinate.latitude)
        json.key("lon")
        json.degrees(location.coordinate.longitude)
        json.member("source", location.source.rawValue)
        json.member("accuracy", location.accuracy)
        json.member("doubtful", location.accuracy.map { $0 > StoryLimits.doubtfulAccuracy } ?? false)
        json.member("precision", location.precision.name)
        json.key("cell")
        writeCell(of: location.precision, to: &json)
        json.member("published_as", location.published.name)
        json.key("published_cell")
        writeCell(of: location.published, to: &json)
        json.member("family_sees_exact", location.familySeesExact)
        // The times are those of the story and depend on its location.
        if !isFurther { json.member("date_precision", location.showsExactTimes ? "exact" : "place") }
        for name in LocationName.allCases {
            json.member(name.rawValue, location.names[name])
        }
        json.member("derived", LocationName.allCases.filter(location.derived.contains).map(\.rawValue))
        json.member("confirmed", isConfirmed)
        json.member("created_at", location.createdAt.map { RFC3339.format($0) })
        json.member("updated_at", location.updatedAt.map { RFC3339.format($0) })
    }
}

extension StoryJSON {
    /// Writes where the words of a search stand; nothing if there was none, or if none stands in what is shown.
    private static func writeExcerpts(of view: StoryView, to json: inout JSONWriter) {
        guard !view.excerpts.isEmpty else { return }
        json.key("matches")
        json.beginArray()
        for field in view.excerpts {
            json.beginObject()
            json.member("part", field.part.rawValue)
            json.member("text", field.excerpt.text)
            json.key("marks")
            json.beginArray()
            for mark in field.excerpt.marks {
                json.beginArray()
                json.value(mark.lowerBound)
                json.value(mark.upperBound)
                json.endArray()
            }
            json.endArray()
            json.member("cut_before", field.excerpt.isCutBefore)
            json.member("cut_after", field.excerpt.isCutAfter)
            json.endObject()
        }
        json.endArray()
    }

    /// Returns the path of a story's picture; with its version, so that other bytes have another address.
    ///
    /// The holder of a share link has a path of their own, which takes the link's secret.
    static func pictureAddress(of id: StoryID, version: UInt64, isShared: Bool = false) -> String {
        "/v1/\(isShared ? "shared/" : "")stories/\(id)/thumbnail?v=\(StoryPicture.name(of: version))"
    }

    private static func writePicture(of story: Story, isShared: Bool, to json: inout JSONWriter) {
        guard let picture = story.picture else { return json.null() }
        json.beginObject()
        json.member("url", pictureAddress(of: story.id, version: picture.version, isShared: isShared))
        json.member("width", picture.width)
        json.member("height", picture.height)
        json.member("media_type", StoryPicture.mediaType)
        json.endObject()
    }

    /// Writes the member `warnings`, if there is anything to warn of.
    private static func writeWarnings(
        isNarrowed: Bool,
        hasTellingExtent: Bool,
        date: StoryDate?,
        to json: inout JSONWriter
    ) {
        let isUnread = date.map { $0.days == nil } ?? false
        let mayMeanYears = date?.mayMeanYears ?? false
        guard isNarrowed || hasTellingExtent || isUnread || mayMeanYears else { return }
        func warning(_ code: String, _ message: String) {
            json.beginObject()
            json.member("code", code)
            json.member("message", message)
            json.endObject()
        }
        json.key("warnings")
        json.beginArray()
        if isNarrowed {
            warning(
                "neighbours",
                "Another story of yours from the same day is shown more exactly near here. Anyone who sees that the two "
                    + "belong together can locate this one more precisely than its cell. Show the other one no more "
                    + "exactly than this one, or remove the day from this one."
            )
        }
        if hasTellingExtent {
            warning(
                "extent",
                "The extent of the location is shown more exactly than the location itself. Anyone who sees the line or "
                    + "the area knows roughly where the location is. Show the extent no more exactly than the location, or "
                    + "change the precision of the location."
            )
        }
        if isUnread {
            warning(
                "date",
                "The date is kept as written but names no days, so that filters by date and the timeline do not find "
                    + "the story. Write it as YYYY, YYYY-MM, YYYY-MM-DD, in EDTF, or in words such as ca. 1920."
            )
        }
        if mayMeanYears {
            warning(
                "date",
                "The date is read as a season, as EDTF says. If it means years, write them out, such as 2001/2021."
            )
        }
        json.endArray()
    }

    private static func writeCell(of precision: LocationPrecision, to json: inout JSONWriter) {
        if let cell = precision.cell { json.value(cell.degrees) } else { json.null() }
    }
}

/// GeoJSON fragments (RFC 7946) shared by several answers.
enum GeoJSONShapes: Sendable {
    /// Writes a Point, or null.
    static func writePoint(_ point: Coordinate?, to json: inout JSONWriter) {
        guard let point else { return json.null() }
        json.beginObject()
        json.member("type", "Point")
        json.key("coordinates")
        json.coordinates(point)
        json.endObject()
    }

    /// Writes `[west,south,east,north]`; west is greater than east if the box crosses the antimeridian (§5.2).
    static func writeBox(_ box: BoundingBox, to json: inout JSONWriter) {
        json.beginArray()
        for edge in [box.west, box.south, box.east, box.north] { json.degrees(edge) }
        json.endArray()
    }
}

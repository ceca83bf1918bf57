package import Formats
import Geometry
import Stories

/// Reads a further place of a story in a request body: a whole one, or a change of one (LOC-10).
package struct PlaceInput: Sendable {
    package let body: JSONValue
    /// The problems that the schema found.
    package let knownProblems: [FieldProblem]
    /// The text before the names of fields in messages.
    let prefix: String

    /// Creates a value from its parts.
    package init(body: JSONValue, knownProblems: [FieldProblem] = [], prefix: String = "") {
        self.body = body
        self.knownProblems = knownProblems
        self.prefix = prefix
    }

    /// A place that was read, with at most one problem per field.
    struct Reading {
        var place: StoryPlace
        var problems: [FieldProblem]
    }

    /// Whether a program extracted the place, which then waits for the owner of the story.
    var isExtracted: Bool { body["source"]?.string == LocationSource.aiExtracted.rawValue }

    /// The shape in the body, with its point; `nil` if there is none.
    private struct Form {
        var shape: PlaceShape?
        var problems: [FieldProblem] = []
        var body: JSONValue
    }

    /// Reads the geometry, whose point takes the place of `lat` and `lon`.
    private var form: Form {
        guard let geometry = body["geometry"], !geometry.isNull, var members = body.object else {
            return Form(body: body)
        }
        func failed(_ field: String, _ message: String) -> Form {
            Form(problems: [FieldProblem(field: prefix + field, message: message)], body: body)
        }
        guard members["lat"] == nil, members["lon"] == nil else {
            return failed("geometry", "must not be given beside lat and lon")
        }
        do throws(PlaceGeometry.Invalid) {
            let (point, shape) = try PlaceGeometry.readGiven(geometry)
            members["lat"] = .number(point.latitude)
            members["lon"] = .number(point.longitude)
            return Form(shape: shape, body: .object(members))
        } catch {
            return failed("geometry", error.reason)
        }
    }

    /// Reads a new place with an id that `makeID` makes of its point and role.
    ///
    /// - Throws: ``Refusal`` naming every invalid field.
    func whole(
        for story: Story,
        id makeID: (Coordinate, PlaceRole) -> StoryID
    ) throws -> StoryPlace {
        try checked(reading(for: story, id: makeID))
    }

    /// Reads a new place with its problems.
    func reading(for story: Story, id makeID: (Coordinate, PlaceRole) -> StoryID) -> Reading {
        let form = self.form
        var bare = story
        // A further place begins exact, whatever the location of the story is.
        (bare.location, bare.absentLocation) = (nil, nil)
        var reading = LocationInput(body: form.body, prefix: prefix).whole(for: bare)
        if !form.problems.isEmpty {
            reading.problems.removeAll { [prefix + "lat", prefix + "lon"].contains($0.field) }
        }
        let role = body["role"]?.string.flatMap { PlaceRole($0) } ?? .spokenOf
        let place = StoryPlace(
            id: makeID(reading.location.coordinate, role),
            role: role,
            seconds: PlaceInput.milliseconds(body["seconds"]?.number),
            location: reading.location,
            shape: form.shape,
            isConfirmed: !isExtracted
        )
        return Reading(place: place, problems: form.problems + reading.problems + wrongRole(of: place, in: story))
    }

    /// Reads a change of a place after RFC 7396: missing members are kept, null clears the seconds or a name.
    ///
    /// - Throws: ``Refusal`` naming every invalid field; ``ExtractionRefusal`` if a program would move a place.
    func change(of place: StoryPlace, in story: Story) throws -> StoryPlace {
        let changed = try checked(reading(changing: place, in: story))
        try checkExtraction(changed, replacing: place)
        return changed
    }

    /// Reads a change of a place with its problems; see ``change(of:in:)``.
    func reading(changing place: StoryPlace, in story: Story) -> Reading {
        var form = self.form
        if body["geometry"]?.isNull == true, body["lat"] == nil || body["lon"] == nil {
            let message =
                "must not be null: a place keeps a position; give another geometry, or lat and lon, or delete the place"
            form.problems.append(FieldProblem(field: prefix + "geometry", message: message))
        }
        var holder = story
        holder.location = place.location
        let reading = LocationInput(body: form.body, prefix: prefix).change(of: holder)
        var changed = place
        changed.location = reading.location
        if let given = body["role"]?.string, let role = PlaceRole(given) { changed.role = role }
        if let given = body["seconds"] { changed.seconds = PlaceInput.milliseconds(given.number) }
        let isMoved = reading.location.coordinate != place.location.coordinate
        if form.shape != nil || isMoved || body["geometry"] != nil { changed.shape = form.shape }
        return Reading(place: changed, problems: form.problems + reading.problems + wrongRole(of: changed, in: story))
    }

    /// Checks that no program moves a place.
    ///
    /// - Throws: ``ExtractionRefusal``.
    func checkExtraction(_ changed: StoryPlace, replacing place: StoryPlace) throws {
        let isMoved = changed.location.coordinate != place.location.coordinate
        guard isExtracted, isMoved || place.location.source != .aiExtracted else { return }
        throw ExtractionRefusal.given(place.location.source)
    }

    /// The positions are kept to the millisecond.
    private static func milliseconds(_ seconds: Double?) -> Double? { seconds.map { ($0 * 1_000).rounded() / 1_000 } }

    /// Returns the place that was read.
    ///
    /// - Throws: ``Refusal`` naming every invalid field.
    private func checked(_ reading: Reading) throws -> StoryPlace {
        let problems = knownProblems.adding(reading.problems)
        guard problems.isEmpty else { throw Refusal.body(problems) }
        return reading.place
    }

    /// The problems of the role.
    private func wrongRole(of place: StoryPlace, in story: Story) -> [FieldProblem] {
        var problems: [FieldProblem] = []
        if let given = body["role"]?.string, PlaceRole(given) == nil {
            problems.append(
                FieldProblem(
                    field: prefix + "role",
                    message: "must be a word of small letters, digits and underscores, such as born or spoken_of"
                )
            )
        }
        if place.role == .recorded, place.location.precision != .exact, story.location == nil {
            // The exact times of a story without a location would give the place away, and coarse ones its existence.
            problems.append(
                FieldProblem(
                    field: prefix + "role",
                    message: "must not be recorded for a coarse place of a story without a location; set that as its "
                        + "location"
                )
            )
        }
        return problems
    }
}

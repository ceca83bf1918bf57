package import Formats
import Geometry
import Stories

/// Reads a further place of a story in a request body: a whole one, or a change of one (LOC-10).
package struct PlaceInput: Sendable {
    package let body: JSONValue
    /// The problems that the schema found.
    package let knownProblems: [FieldProblem]

    /// Creates a value from its parts.
    package init(body: JSONValue, knownProblems: [FieldProblem] = []) {
        self.body = body
        self.knownProblems = knownProblems
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
            Form(problems: [FieldProblem(field: field, message: message)], body: body)
        }
        guard members["lat"] == nil, members["lon"] == nil else {
            return failed("geometry", "must not be given beside lat and lon")
        }
        do throws(PlaceGeometry.Invalid) {
            let (point, shape) = try PlaceGeometry.read(geometry)
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
        let form = self.form
        var bare = story
        // A further place begins exact, whatever the location of the story is.
        (bare.location, bare.absentLocation) = (nil, nil)
        var reading = LocationInput(body: form.body).whole(for: bare)
        if !form.problems.isEmpty { reading.problems.removeAll { ["lat", "lon"].contains($0.field) } }
        let role = body["role"]?.string.flatMap { PlaceRole($0) } ?? .spokenOf
        try check(role, reading.location.precision, of: story, form.problems + reading.problems)
        return StoryPlace(
            id: makeID(reading.location.coordinate, role),
            role: role,
            seconds: PlaceInput.milliseconds(body["seconds"]?.number),
            location: reading.location,
            shape: form.shape,
            isConfirmed: !isExtracted
        )
    }

    /// Reads a change of a place after RFC 7396: missing members are kept, null clears the seconds or a name.
    ///
    /// - Throws: ``Refusal`` naming every invalid field; ``ExtractionRefusal`` if a program would move a place.
    func change(of place: StoryPlace, in story: Story) throws -> StoryPlace {
        let form = self.form
        var holder = story
        holder.location = place.location
        let reading = LocationInput(body: form.body).change(of: holder)
        var changed = place
        changed.location = reading.location
        if let given = body["role"]?.string, let role = PlaceRole(given) { changed.role = role }
        if let given = body["seconds"] { changed.seconds = PlaceInput.milliseconds(given.number) }
        let isMoved = reading.location.coordinate != place.location.coordinate
        if form.shape != nil || isMoved || body["geometry"] != nil { changed.shape = form.shape }
        try check(changed.role, changed.location.precision, of: story, form.problems + reading.problems)
        if isExtracted, isMoved || place.location.source != .aiExtracted {
            throw ExtractionRefusal.given(place.location.source)
        }
        return changed
    }

    /// The positions are kept to the millisecond.
    private static func milliseconds(_ seconds: Double?) -> Double? { seconds.map { ($0 * 1_000).rounded() / 1_000 } }

    private func check(
        _ role: PlaceRole,
        _ precision: LocationPrecision,
        of story: Story,
        _ others: [FieldProblem]
    ) throws {
        var problems = others
        if let given = body["role"]?.string, PlaceRole(given) == nil {
            problems.append(
                FieldProblem(
                    field: "role",
                    message: "must be a word of small letters, digits and underscores, such as born or spoken_of"
                )
            )
        }
        if role == .recorded, precision != .exact, story.location == nil {
            // The exact times of a story without a location would give the place away, and coarse ones its existence.
            problems.append(
                FieldProblem(
                    field: "role",
                    message: "must not be recorded for a coarse place of a story without a location; set that as its "
                        + "location"
                )
            )
        }
        let all = knownProblems.adding(problems)
        guard all.isEmpty else { throw Refusal.body(all) }
    }
}

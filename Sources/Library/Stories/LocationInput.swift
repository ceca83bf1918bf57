package import Formats
import Geometry
package import Stories

/// Reads the location in a request body: a whole one, or a change of a story's location.
package struct LocationInput: Sendable {
    package let body: JSONValue
    /// The text before the names of fields in messages.
    package var prefix = ""

    /// Creates a value from its parts.
    package init(body: JSONValue, prefix: String = "") {
        self.body = body
        self.prefix = prefix
    }

    /// A location that was read, with at most one problem per field.
    package struct Reading: Sendable {
        package var location: StoryLocation
        package var problems: [FieldProblem] = []

        /// Returns the location.
        ///
        /// - Throws: ``Refusal`` naming every invalid field.
        package func get() throws -> StoryLocation {
            guard problems.isEmpty else { throw Refusal.body(problems) }
            return location
        }
    }

    /// Reads a whole location, for `story` if there is one.
    ///
    /// Unless the body specifies a precision, keeps that of the current location or, if it was removed, of the last
    /// one: moving a location does not reveal it.
    package func whole(for story: Story?) -> Reading {
        var base = StoryLocation(coordinate: Coordinate(wrappingLatitude: 0, longitude: 0))
        if let old = story?.location {
            (base.precision, base.familySeesExact) = (old.precision, old.familySeesExact)
            base.showsExactTimes = old.showsExactTimes
            // The floor is kept until the sensitive areas are applied to the stored location, so that a move within one
            // area changes nothing for other viewers.
            base.floor = old.floor
        } else if let absent = story?.absentLocation {
            (base.precision, base.familySeesExact) = (absent.precision, absent.familySeesExact)
        }
        guard let latitude = body["lat"]?.number, let longitude = body["lon"]?.number,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { return Reading(location: base, problems: wrongPosition() + merge(into: &base, replacing: nil)) }
        base.coordinate = coordinate
        let problems = merge(into: &base, replacing: story?.location)
        return Reading(location: base, problems: problems)
    }

    /// Reads a change according to RFC 7396: missing members are kept, null clears a name.
    ///
    /// Moving the point removes the derived names. It also removes the names entered for the old point, unless the move
    /// is only a correction: see ``StoryLocation/correction``.
    package func change(of story: Story) -> Reading {
        guard let old = story.location else { return whole(for: story) }
        var location = old
        let latitude = body["lat"]?.number ?? old.coordinate.latitude
        let longitude = body["lon"]?.number ?? old.coordinate.longitude
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            let wrong = wrongPosition(isKeptIfMissing: true)
            return Reading(location: old, problems: wrong + merge(into: &location, replacing: old))
        }
        if coordinate != old.coordinate {
            location.coordinate = coordinate
            location.source = .manual
            location.accuracy = nil
            for name in old.derived { location.names[name] = nil }
            location.derived = []
            if GreatCircle.distance(old.coordinate, coordinate) > StoryLocation.correction { location.names = [:] }
        }
        let problems = merge(into: &location, replacing: old)
        return Reading(location: location, problems: problems)
    }

    /// Returns the problems of a position that is missing, not given in numbers, or out of range.
    private func wrongPosition(isKeptIfMissing: Bool = false) -> [FieldProblem] {
        var problems: [FieldProblem] = []
        for (name, limit) in [("lat", 90), ("lon", 180)] {
            if let given = body[name] {
                let range = -Double(limit)...Double(limit)
                if let number = given.number, range.contains(number) { continue }
                let message = "must be a number between -\(limit) and \(limit)"
                problems.append(FieldProblem(field: prefix + name, message: message))
            } else if !isKeptIfMissing {
                problems.append(FieldProblem(field: prefix + name, message: "is missing"))
            }
        }
        return problems
    }

    private func merge(into location: inout StoryLocation, replacing old: StoryLocation?) -> [FieldProblem] {
        var problems: [FieldProblem] = []
        if let source = body["source"]?.string.flatMap(LocationSource.init) { location.source = source }
        if let accuracy = body["accuracy"] { location.accuracy = accuracy.number }
        if let family = body["family_sees_exact"]?.bool { location.familySeesExact = family }
        if let times = body["date_precision"]?.string { location.showsExactTimes = times == "exact" }
        switch wish(for: location) {
        case .precision(let precision): location.precision = precision
        case .cellProblem(let message): problems.append(FieldProblem(field: prefix + "cell", message: message))
        }
        for name in LocationName.allCases {
            guard let given = body[name.rawValue] else { continue }
            let text = given.string.flatMap { $0.isEmpty ? nil : $0 }
            if let text, let problem = StoryInput.lineProblem(text, prefix + name.rawValue) { problems.append(problem) }
            // A derived name that the client sends back was not entered by anyone.
            if let text, let old, old.derived.contains(name), old.names[name] == text {
                guard old.coordinate == location.coordinate else { continue }
                location.names[name] = text
                location.derived.insert(name)
                continue
            }
            location.names[name] = text
            location.derived.remove(name)
        }
        return problems
    }

    /// How exactly others are to see a location, or the problem of the requested cell.
    private enum Wish {
        case precision(LocationPrecision)
        case cellProblem(String)
    }

    /// Returns the requested precision of the location.
    ///
    /// A cell alone is refused for an exact location: the client that sent it expects others to see the cell, not the
    /// point.
    private func wish(for old: StoryLocation) -> Wish {
        let cell: PublishedCell?
        if let given = body["cell"], !given.isNull {
            guard let size = given.number.flatMap({ PublishedCell(degrees: $0) }) else {
                return .cellProblem("must be 0.01, 0.1 or 1")
            }
            cell = size
        } else {
            cell = nil
        }
        switch body["precision"]?.string ?? old.precision.name {
        case "hidden": return .precision(.hidden)
        case "exact":
            guard cell != nil, body["precision"]?.string == nil else { return .precision(.exact) }
            return .cellProblem("belongs to an approximate location; send \"precision\": \"approximate\" with it")
        default:
            if cell == nil, case .approximate = old.precision { return .precision(old.precision) }
            return .precision(.approximate(cell ?? .hundredth))
        }
    }

    /// Applies the precision in a body, or in a query converted to one, to a location.
    ///
    /// - Throws: ``Refusal`` naming a cell that is unknown, or given alone for an exact location.
    package func show(_ location: inout StoryLocation) throws {
        if let family = body["family_sees_exact"]?.bool { location.familySeesExact = family }
        switch wish(for: location) {
        case .precision(let precision): location.precision = precision
        case .cellProblem(let message): throw Refusal.parameter("cell", message)
        }
    }
}

import Geometry
import HTTPTypes
import Library
import Queries
import Stories
import StoryMap
import Web

/// What a request asks of a collection.
struct FeatureQuestion: Sendable {
    /// A box in a projected system, in which the positions of features are compared.
    struct ProjectedBox: Sendable {
        let system: ReferenceSystem
        let low: QueryPlane.Position
        let high: QueryPlane.Position
    }

    /// The steps that the conditions may take for each feature on average, enough to read the longest text twice.
    static let stepsPerFeature = 40_000

    /// The part that the map answers from its index.
    private(set) var search: StorySearch
    private(set) var window: ListWindow
    /// The parts that are asked of each feature.
    private var conditions: [QueryCondition] = []
    private(set) var projectedBox: ProjectedBox?
    let projection: FeatureProjection

    /// Reads the question of a call.
    ///
    /// - Throws: ``InvalidParameter``
    init(_ call: Call, of collection: FeatureLayer, projection: FeatureProjection) throws {
        self.projection = projection
        search = try call[StoryFilters.all]
        window = ListWindow(limit: min(try call[FeatureParameters.limit], FeatureParameters.mostItems))
        try readBox(call)
        if let time = try call[FeatureParameters.time] { narrow(to: time) }
        for parameter in collection.properties {
            guard let text = try call[parameter] else { continue }
            conditions.append(.comparison(parameter.name, .equal, .text(text)))
        }
        if let text = try call[FeatureParameters.filter] {
            let plane = projection.plane(of: try call[FeatureParameters.filterSystem])
            do throws(QueryTextError) {
                let properties = collection.queryables.map(\.property)
                conditions += try CQLText.condition(in: text, properties: properties, plane: plane).conjuncts
            } catch {
                throw FeatureParameters.filter.invalid(error.description)
            }
        }
        // The index knows the stories alone.
        if collection.id == FeatureLayer.stories.id { for condition in conditions { narrow(by: condition) } }
    }

    /// Lets the answer begin behind a position in the list.
    mutating func start(after cursor: ListCursor?) { window.after = cursor }

    /// Whether features need not be asked whether they fit a condition.
    var isUnconditional: Bool { conditions.isEmpty }

    /// Whether the map can answer it for stories from its index alone.
    var isPlain: Bool { isUnconditional && projectedBox == nil }

    /// The work that the conditions are for each feature, in relation to reading it.
    var weight: Double { 1 + Double(conditions.count) / 10 }

    /// Returns for each feature whether the conditions hold, of which `value` returns the properties.
    ///
    /// - Throws: ``Problem`` if that is more work than `steps`.
    func holding<Feature>(
        _ features: [Feature],
        steps: Int,
        _ value: (_ property: String, _ feature: Feature) -> QueryValue?
    ) throws -> [Bool] {
        var evaluation = QueryEvaluation(steps: steps)
        var fitting: [Bool] = []
        for feature in features {
            do throws(QueryEvaluation.TooMuchWork) {
                var fits = true
                for condition in conditions where fits {
                    fits = try evaluation.holds(condition) { value($0, feature) }
                }
                fitting.append(fits)
            } catch {
                throw Problem(
                    .badRequest,
                    "filter-too-costly",
                    "The filter takes too much work. Use fewer LIKE with several %, and areas with fewer corners."
                )
            }
        }
        return fitting
    }

    /// Returns for each story whether it fits the conditions, and the box of a projected system.
    ///
    /// The box finds a story at any of its places that the viewer sees, as on the map, though its geometry is the location
    /// alone. That conforms: of a feature with several spatial geometries, the server decides whether the box is compared
    /// with one or with all (17-069r4, 7.15.3). A story of which the viewer sees no place lies in every box, as one without
    /// a date in every `datetime` (17-069r4, /req/core/fc-bbox-response C and /req/core/fc-time-response C). A place that
    /// is hidden from the viewer is none.
    ///
    /// - Throws: ``Problem`` if that is too much work.
    func fits(_ stories: [StoryView]) throws -> [Bool] {
        let steps = FeatureQuestion.stepsPerFeature * stories.count
        let fitting = try holding(stories, steps: steps) { FeatureQueryables.value($0, of: $1) }
        guard let projectedBox else { return fitting }
        // A story lies in a box with any of its places, as on the map.
        let points = stories.map(\.points)
        let positions = try projectedBox.system.positions(of: Array(points.joined()), by: projection)
        var next = positions.makeIterator()
        let (low, high) = (projectedBox.low, projectedBox.high)
        return zip(fitting, points)
            .map { fits, points in
                let positions = points.map { _ in next.next() ?? nil }.compactMap(\.self)
                let isInside = positions.contains { position in
                    low.first <= position.first && position.first <= high.first
                        && low.second <= position.second && position.second <= high.second
                }
                return fits && (isInside || points.isEmpty && window.includesUnplaced)
            }
    }

    private mutating func readBox(_ call: Call) throws {
        let parameter = FeatureParameters.box
        guard let numbers = try call[parameter] else { return }
        guard numbers.count == 4 || numbers.count == 6 else {
            throw parameter.invalid("must have four numbers, or six with heights")
        }
        if numbers.count == 6, numbers[2] > numbers[5] {
            throw parameter.invalid("the first height is greater than the second; give the lower one first")
        }
        let half = numbers.count / 2
        let (low, high) = ((numbers[0], numbers[1]), (numbers[half], numbers[half + 1]))
        let system = try call[FeatureParameters.boxSystem]
        guard let shape = projection.plane(of: system).box(from: low, to: high), let bounds = shape.bounds else {
            throw parameter.invalid(
                FeatureQuestion.fault(from: low, to: high, in: system)
                    ?? "is not a box of this reference system; give the smaller values first"
            )
        }
        window.box = bounds
        window.includesUnplaced = true
        guard !system.isInDegrees else { return }
        // The edges are curves on the map, of which only some points were converted.
        window.box = bounds.expanded(byMetres: 2_000)
        projectedBox = ProjectedBox(system: system, low: low, high: high)
    }

    /// Returns what is wrong with the corners of a box in degrees; `nil` if nothing is, or in another system.
    private static func fault(
        from low: QueryPlane.Position,
        to high: QueryPlane.Position,
        in system: ReferenceSystem
    ) -> String? {
        guard system.isInDegrees else { return nil }
        let isNorthFirst = system.isNorthFirst
        let names = isNorthFirst ? ["south", "west", "north", "east"] : ["west", "south", "east", "north"]
        for (name, number) in zip(names, [low.first, low.second, high.first, high.second]) {
            let limit = name == "west" || name == "east" ? 180 : 90
            if abs(number) > Double(limit) { return "\(name) must lie between -\(limit) and \(limit)" }
        }
        guard isNorthFirst ? low.first > high.first : low.second > high.second else { return nil }
        return "south is greater than north; the order is \(names.joined(separator: ","))"
    }

    /// Lets the index leave out stories of other days; those without a date belong to every `datetime`, but to none of the
    /// filters of days that are not of the standard.
    private mutating func narrow(to time: TimeWindow) {
        search.filter.includesUndated = !search.filter.hasDates
        search.filter.from = [search.filter.from, time.first].compactMap(\.self).max()
        search.filter.to = [search.filter.to, time.last].compactMap(\.self).min()
    }

    /// Lets the index leave out what a condition that must hold excludes.
    private mutating func narrow(by condition: QueryCondition) {
        switch condition {
        case .intersects("geometry", let shape):
            // What has no geometry intersects nothing.
            window.includesUnplaced = false
            if window.box == nil { window.box = shape.bounds }
        case .comparison("kind", .equal, .text(let text)): narrow(toKinds: [text])
        case .oneOf("kind", let values):
            narrow(
                toKinds: values.compactMap { value in
                    if case .text(let text) = value { text } else { nil }
                }
            )
        case .comparison("owner", .equal, .text(let text)):
            if search.filter.owners.isEmpty, let owner = UserID(text) { search.filter.owners = [owner] }
        default: break
        }
    }

    private mutating func narrow(toKinds names: [String]) {
        let kinds = names.compactMap { StoryKind($0) }
        if search.filter.kinds.isEmpty, !kinds.isEmpty { search.filter.kinds = Set(kinds) }
    }
}

import CProj
import Geometry

/// A conversion between any two reference systems, with the error to expect, using PROJ.
///
/// Like ``Projection`` it never uses the network: where a grid of corrections is missing, PROJ converts without it, and the
/// result says which grid would help. Every instance has its own context and is not for concurrent use.
public final class Conversion {
    /// A converted position.
    public struct Result: Equatable, Sendable {
        /// East before north, in the units of the target.
        public let x: Double
        /// North.
        public let y: Double
        /// The expected error in metres; `nil` if it is not known.
        public let accuracy: Double?
        /// What would be used if all grids were installed, if that is something better.
        public let missing: Missing?
    }

    /// A grid that is not installed.
    public struct Missing: Equatable, Sendable {
        /// The name of its file.
        public let grid: String
        /// Where it can be fetched, or empty.
        public let address: String
        /// The expected error in metres with it; `nil` if it is not known.
        public let accuracy: Double?
    }

    /// A way to convert, in PROJ's order of preference as if all grids were installed.
    private struct Way {
        let grid: (name: String, address: String)?
        let accuracy: Double?
        let area: (west: Double, south: Double, east: Double, north: Double)?
    }

    private let context: OpaquePointer
    private let operation: OpaquePointer
    private let toDegrees: Projection
    private let ways: [Way]
    /// Whether results are longitude and latitude.
    public let isGeographic: Bool

    /// Creates a conversion between two reference systems, each as in ``Projection/init(from:)``.
    ///
    /// - Throws: ``ProjectionError`` if PROJ does not know one of them or cannot convert between them.
    public init(from source: String, to target: String) throws(ProjectionError) {
        toDegrees = try Projection(from: source)
        let end = try Projection(from: target)
        isGeographic = end.isGeographic
        guard let context = proj_context_create() else {
            throw ProjectionError(description: "PROJ could not be started: not enough memory")
        }
        proj_log_level(context, PJ_LOG_NONE)
        proj_context_set_enable_network(context, 0)
        guard let plain = proj_create_crs_to_crs(context, source, target, nil) else {
            proj_context_destroy(context)
            throw ProjectionError(
                description: "PROJ cannot convert \(source.prefix(80)) to \(target.prefix(80))"
            )
        }
        defer { proj_destroy(plain) }
        guard let normalized = proj_normalize_for_visualization(context, plain) else {
            proj_context_destroy(context)
            throw ProjectionError(
                description: "the axes of \(target.prefix(80)) cannot be put in the order east, north"
            )
        }
        ways = Conversion.ways(from: source, to: target, context)
        self.context = context
        operation = normalized
    }

    deinit {
        proj_destroy(operation)
        proj_context_destroy(context)
    }

    /// Converts a position, east before north; `nil` if the conversion is undefined there.
    public func convert(x: Double, y: Double) -> Result? {
        proj_errno_reset(operation)
        let point = proj_trans(operation, PJ_FWD, proj_coord(x, y, 0, .infinity))
        guard proj_errno(operation) == 0, point.xy.x.isFinite, point.xy.y.isFinite else { return nil }
        let accuracy = usedAccuracy()
        var missing: Missing?
        if let best = bestWay(x: x, y: y), let grid = best.grid {
            missing = Missing(grid: grid.name, address: grid.address, accuracy: best.accuracy)
        }
        return Result(x: point.xy.x, y: point.xy.y, accuracy: accuracy, missing: missing)
    }

    /// The accuracy of the operation that PROJ chose for the last position.
    private func usedAccuracy() -> Double? {
        guard let used = proj_trans_get_last_used_operation(operation) else { return nil }
        defer { proj_destroy(used) }
        return Conversion.known(proj_coordoperation_get_accuracy(context, used))
    }

    /// Returns the way that PROJ would prefer at a position if all grids were installed.
    private func bestWay(x: Double, y: Double) -> Way? {
        guard ways.contains(where: { $0.grid != nil }), let place = toDegrees.coordinate(x: x, y: y) else { return nil }
        return ways.first { way in
            guard let area = way.area else { return true }
            let isInside =
                area.west <= area.east
                ? (area.west...area.east).contains(place.longitude)
                : place.longitude >= area.west || place.longitude <= area.east
            return isInside && area.south <= place.latitude && place.latitude <= area.north
        }
    }

    private static func known(_ accuracy: Double) -> Double? { accuracy >= 0 ? accuracy : nil }

    private static func ways(from source: String, to target: String, _ context: OpaquePointer) -> [Way] {
        guard let first = proj_create(context, source) else { return [] }
        defer { proj_destroy(first) }
        guard let second = proj_create(context, target) else { return [] }
        defer { proj_destroy(second) }
        guard let factory = proj_create_operation_factory_context(context, nil) else { return [] }
        defer { proj_operation_factory_context_destroy(factory) }
        proj_operation_factory_context_set_spatial_criterion(
            context,
            factory,
            PROJ_SPATIAL_CRITERION_PARTIAL_INTERSECTION
        )
        proj_operation_factory_context_set_grid_availability_use(context, factory, PROJ_GRID_AVAILABILITY_IGNORED)
        guard let list = proj_create_operations(context, first, second, factory) else { return [] }
        defer { proj_list_destroy(list) }
        return (0..<proj_list_get_count(list))
            .compactMap { index in
                guard let way = proj_list_get(context, list, index) else { return nil }
                defer { proj_destroy(way) }
                return Way(
                    grid: missingGrid(of: way, context),
                    accuracy: known(proj_coordoperation_get_accuracy(context, way)),
                    area: area(of: way, context)
                )
            }
    }

    private static func missingGrid(of way: OpaquePointer, _ context: OpaquePointer) -> (name: String, address: String)?
    {
        for index in 0..<proj_coordoperation_get_grid_used_count(context, way) {
            var (name, address): (UnsafePointer<CChar>?, UnsafePointer<CChar>?) = (nil, nil)
            var isAvailable: Int32 = 0
            guard
                proj_coordoperation_get_grid_used(
                    context,
                    way,
                    index,
                    &name,
                    nil,
                    nil,
                    &address,
                    nil,
                    nil,
                    &isAvailable
                ) != 0, isAvailable == 0
            else { continue }
            return (name.map { String(cString: $0) } ?? "", address.map { String(cString: $0) } ?? "")
        }
        return nil
    }

    private static func area(
        of way: OpaquePointer,
        _ context: OpaquePointer
    ) -> (west: Double, south: Double, east: Double, north: Double)? {
        var (west, south, east, north) = (0.0, 0.0, 0.0, 0.0)
        guard proj_get_area_of_use(context, way, &west, &south, &east, &north, nil) != 0, west >= -180 else {
            return nil
        }
        return (west, south, east, north)
    }
}

@available(*, unavailable)
extension Conversion: Sendable {}

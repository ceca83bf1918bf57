import HTTPTypes
import Projections
import Web

extension FeatureProjection {
    /// Conversions by PROJ.
    ///
    /// Every call makes an object of its own, because none is for two threads.
    static let proj = FeatureProjection(
        positions: { system, points in
            let projection = try projection(system)
            return points.map { projection.point(of: $0).map { ($0.x, $0.y) } }
        },
        coordinates: { system, positions in
            try projection(system).coordinates(x: positions.map(\.first), y: positions.map(\.second))
        }
    )

    private static func projection(_ system: String) throws -> Projection {
        do throws(ProjectionError) {
            return try Projection(from: system)
        } catch {
            throw Problem(
                .serviceUnavailable,
                "projection-unavailable",
                "The service cannot convert: \(error.description)."
            )
        }
    }
}

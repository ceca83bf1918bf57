import Web
import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import TestSupport

/// Services that are not as the others, and answer some routes otherwise.
enum GoldenOddService: String, CaseIterable, Sendable {
    /// One without a gazetteer.
    case placeless
    /// One that takes few requests.
    case limited
    /// One that a developer runs.
    case development

    /// What is asked of it.
    private var operations: [String] {
        switch self {
        case .placeless:
            [
                "GET /v1/geocode", "GET /v1/suggest", "GET /v1/reverse", "GET /nominatim/search",
                "GET /nominatim/reverse",
                "GET /nominatim/lookup", "GET /nominatim/status", "GET /photon/api", "GET /photon/reverse",
                "GET /photon/status", "GET /pelias/v1/search", "GET /pelias/v1/autocomplete", "GET /pelias/v1/reverse",
                "POST /v1/stories", "GET /readyz",
            ]
        case .limited:
            [
                "GET /v1/stories", "GET /nominatim/search", "GET /photon/api", "GET /pelias/v1/search", "GET /v1/me",
                "GET /v1/me/export", "POST /v1/tokens/refresh", "POST /v1/unsubscribe", "GET /healthz",
                "POST /v1/traces",
            ]
        case .development: ["GET /v1/me", "GET /v1/clusters", "GET /healthz"]
        }
    }

    /// Asks it, each route on a copy of the world.
    func ask(
        _ all: [TwinOperation],
        in world: GoldenWorld,
        _ document: JSONValue
    ) async throws -> [GoldenRecord] {
        var records: [GoldenRecord] = []
        for operation in all where operations.contains(operation.name) {
            guard let rule = RouteRule.table[operation.name] else { continue }
            let copy = try await world.copy(hasGazetteer: self != .placeless)
            records += try await copy.runGolden(adjusted: adjust) { client in
                let stage = try await RoleStage(world: copy, client: client)
                var route = GoldenRoute(
                    stage: stage,
                    operation: operation,
                    rule: rule,
                    document: document,
                    thing: "service: \(rawValue)"
                )
                try await ask(&route)
                return route.records
            }
        }
        return records
    }

    private func adjust(_ options: inout WaymarkService.Options) {
        if self == .limited { options.rateLimit = RateLimit(unitsPerSecond: 1, burst: 30) }
        options.isDevelopment = self == .development
    }

    private func ask(_ route: inout GoldenRoute) async throws {
        for role in [Role.owner, .anonymous, .badToken] {
            // As often as makes it too often.
            for _ in 1...(self == .limited ? 32 : 1) { try await route.say("asked", as: role) }
        }
    }
}

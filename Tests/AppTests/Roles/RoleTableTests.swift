import Formats
import HTTPTypes
import Stories
import Testing

@Suite("Role × route × object")
struct RoleTableTests {
    @Test("PRV-08 Every route answers every role about every object as the table states", arguments: Role.allCases)
    func asTheTableSays(role: Role) async throws {
        let population = try TwinPopulation(
            .whole,
            viewer: TwinCast.viewer(nil),
            seed: 1,
            count: 0,
            now: TwinWorld.start
        )
        let world = try await TwinWorld(population, seed: 1)
        try await world.run { client async throws in
            let stage = try await RoleStage(world: world, client: client)
            let document = try await stage.document()
            for operation in try TwinOperation.all(in: document) {
                guard let rule = RouteRule.table[operation.name] else {
                    Issue.record("\(operation.name) is not in the table: add it to RouteRule.table.")
                    continue
                }
                try await RoleTableTests.check(operation, rule, as: role, on: stage)
            }
            let names = Set(try TwinOperation.all(in: document).map(\.name))
            #expect(Set(RouteRule.table.keys).subtracting(names) == [], "rows of routes that are no more")
        }
    }

    private static func check(
        _ operation: TwinOperation,
        _ rule: RouteRule,
        as role: Role,
        on stage: RoleStage
    ) async throws {
        let cells = try await stage.cells(rule, for: role)
        #expect(!cells.isEmpty || role == .service, "\(operation.name): nothing to ask about")
        var unseen: TwinReply?
        for cell in cells {
            var path = operation.path
            for (name, value) in cell.values { path = path.replacing("{\(name)}", with: value) }
            #expect(!path.contains("{"), "\(operation.name): the table gives no value for every part of the path")
            let reply = try await stage.send(operation.method, path + rule.query, as: role, rule.body)
            let expected = expected(cell, rule, operation, role)
            #expect(reply.status == expected, "\(operation.name) as \(role) about \(cell.name)")
            guard expected == 404, reply.status == 404 else { continue }
            // What one may not see answers like what never was, byte for byte.
            #expect(reply == unseen ?? reply, "\(operation.name) as \(role) about \(cell.name): another 404")
            unseen = reply
        }
    }

    private static func expected(_ cell: RoleCell, _ rule: RouteRule, _ operation: TwinOperation, _ role: Role) -> Int {
        rule.refusal(of: role, operation) ?? cell.status
    }
}

extension RouteRule {
    /// The status with which a role is refused whatever it asks about; `nil` where that matters.
    ///
    /// A token is judged before what it asks about, and its scopes after it.
    func refusal(of role: Role, _ operation: TwinOperation) -> Int? {
        if role == .badToken { return 401 }
        // The secret of a link opens the routes for holders alone, and nothing else opens these.
        if access == .link || role == .holder { return access == .link && role == .holder ? nil : 401 }
        if role == .anonymous, access != .anyone { return 401 }
        if access == .service, role != .service { return 403 }
        // Most routes for users are for somebody in particular, which this key is not.
        if role == .operatorKey, access == .user { return 403 }
        // Where any token will do, that of a device will not.
        if role == .device, operation.scopes.isEmpty, access == .user { return 403 }
        if role != .anonymous, !role.scopes.isSuperset(of: operation.scopes) { return 403 }
        return nil
    }
}

extension RoleStage {
    /// The description of the service by itself.
    func document() async throws -> JSONValue {
        let reply = try await send(.get, "/openapi.json", as: .anonymous, nil)
        return try JSONValue(parsing: reply.bytes, limits: .init(bytes: .max))
    }
}

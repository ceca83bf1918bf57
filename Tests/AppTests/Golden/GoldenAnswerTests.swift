import Formats
import Foundation
import TestSupport
import Testing

/// Holds every answer of the service to what was recorded: every documented route as every role about every sort of
/// thing, and in the ways in which clients ask well and badly, on a fixed world.
///
/// It is the net under changes that must not change an answer. `answers.txt` has a line for each: who asked what, the
/// status, and a digest of headers and body.
///
/// - `WAYMARK_GOLDEN_RECORD=1` records the answers anew, to be committed with the reason.
/// - `WAYMARK_GOLDEN_FOLDER=DIR` writes the whole answers there, a file a route, so that two commits can be compared
///   with `diff -r`.
@Suite("Golden answers")
struct GoldenAnswerTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// How many routes are asked at a time.
    private static let width = 4

    @Test("Every route's answers to every role match the recording, byte for byte")
    func asRecorded() async throws {
        let records = try await GoldenAnswerTests.ask()
        #expect(Set(records.map(\.key)).count == records.count, "two records of one name")
        if let folder = GoldenAnswerTests.environment["WAYMARK_GOLDEN_FOLDER"] {
            try GoldenFile.write(records, to: folder)
        }
        if GoldenAnswerTests.environment["WAYMARK_GOLDEN_RECORD"] == "1" { try GoldenFile.write(records) }
        let difference = GoldenDifference(records, from: try GoldenFile.read())
        #expect(difference.count == 0, "\(difference.description)")
    }

    /// Asks all routes, each on a copy of the world, and returns the answers in the order of the routes.
    private static func ask() async throws -> [GoldenRecord] {
        let world = try await GoldenWorld()
        let document = try await document(of: world)
        let operations = try TwinOperation.all(in: document)
        var work: [@Sendable () async throws -> [GoldenRecord]] = []
        for operation in operations {
            guard let rule = RouteRule.table[operation.name] else {
                throw TwinFault("\(operation.name) is not in the table of roles: add it to RouteRule.table.")
            }
            work.append { try await ask(operation, rule, in: world, document) }
        }
        for kind in GoldenOddService.allCases {
            work.append { try await kind.ask(operations, in: world, document) }
        }
        return try await inTurns(work).flatMap(\.self)
    }

    /// Does several things at a time; what came of them stands in the order of the things.
    private static func inTurns<Value: Sendable>(
        _ work: [@Sendable () async throws -> Value]
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            var done: [Int: Value] = [:]
            for (index, piece) in work.enumerated() {
                if index >= width, let (finished, value) = try await group.next() { done[finished] = value }
                group.addTask { (index, try await piece()) }
            }
            for try await (finished, value) in group { done[finished] = value }
            return work.indices.compactMap { done[$0] }
        }
    }

    private static func ask(
        _ operation: TwinOperation,
        _ rule: RouteRule,
        in world: GoldenWorld,
        _ document: JSONValue
    ) async throws -> [GoldenRecord] {
        let copy = try await world.copy()
        return try await copy.runGolden { client in
            let stage = try await RoleStage(world: copy, client: client)
            var route = GoldenRoute(stage: stage, operation: operation, rule: rule, document: document)
            do {
                try await route.askAll()
            } catch {
                Issue.record("\(operation.name): \(error)")
            }
            return route.records
        }
    }

    private static func document(of world: GoldenWorld) async throws -> JSONValue {
        let copy = try await world.copy()
        return try await copy.runGolden { client in
            try await RoleStage(world: copy, client: client).document()
        }
    }
}

import Formats
import Foundation
import GRDB
import HTTPTypes
import Library
import Storage
import Stories
import TestSupport
import Testing

/// What a check finds in a database of a service, and what a repair makes of it.
@Suite("Checking a database")
struct CheckTests {
    /// Runs `body` on a service with stories of several people, notices, channels and sealed stories.
    private static func world(_ body: @escaping @Sendable (ServiceFixture, Client) async throws -> Void) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            for number in 1...12 {
                let id = try await client.create(as: number % 2 == 0 ? "ana" : "ben", title: "Harvest \(number)")
                if number == 3 { _ = try await client.send(.delete, "/v1/stories/\(id)", as: "ben") }
            }
            try await body(fixture, client)
        }
    }

    private static func checks(_ fixture: ServiceFixture) -> CheckService {
        CheckService(store: fixture.library.store, now: fixture.library.now)
    }

    @Test("REL-04 A sound database is healthy, and the outcome is recorded beside it")
    func healthy() async throws {
        try await CheckTests.world { fixture, client in
            let report = try await CheckTests.checks(fixture).check()
            #expect(report.findings.isEmpty, "\(report.findings)")
            #expect(report.outcome == .healthy)
            #expect(report.figures["stories"] == 11 && report.figures["sealed_stories"] == 1)
            #expect((report.figures["pages"] ?? 0) > 100)
            let record = UpkeepRecord(.check, besideDatabase: fixture.library.store.path)
            #expect(record?.outcome == "healthy" && record?.at == fixture.library.now())
            #expect(try await client.get("/readyz").json["warnings"] == nil)
        }
    }

    /// A change that damages what can be made anew, and the code of the finding.
    static let derived: [(sql: String, code: String)] = [
        ("DELETE FROM idx_stories_geom WHERE pkid = (SELECT max(fid) FROM stories)", "spatial-missing"),
        ("INSERT INTO idx_stories_geom VALUES (999, 1, 1, 2, 2)", "spatial-surplus"),
        ("UPDATE idx_stories_geom SET xmin = xmin + 5, xmax = xmax + 5 WHERE pkid = 2", "spatial-missing"),
        ("UPDATE idx_stories_geom_node SET data = zeroblob(length(data)) WHERE nodeno = 1", "spatial-index"),
        ("UPDATE stories SET search_text = 'other' WHERE fid = 2; DELETE FROM outside_edits", "stories-derived"),
    ]

    @Test("REL-04 What can be derived is made anew, and is right again", arguments: CheckTests.derived.indices)
    func repaired(index: Int) async throws {
        let (sql, code) = CheckTests.derived[index]
        try await CheckTests.world { fixture, _ in
            try fixture.library.store.inspect { try $0.execute(sql: sql) }
            let found = try await CheckTests.checks(fixture).check()
            #expect(found.outcome == .attention && found.findings.contains { $0.code == code }, "\(found.findings)")
            let repaired = try await CheckTests.checks(fixture).repair()
            #expect(repaired.outcome == .repaired && repaired.repaired.contains { $0.code == code }, "\(repaired)")
            #expect(try await CheckTests.checks(fixture).check().outcome == .healthy)
        }
    }

    /// A change that nothing can undo, the code of the finding, and whether it names stories.
    static let lost: [(sql: String, code: String)] = [
        (
            "PRAGMA ignore_check_constraints = ON; UPDATE stories SET privacy = 'secret' WHERE fid = 2",
            "stories-invalid"
        ),
        ("UPDATE sealed_stories SET blob = zeroblob(length(blob))", "sealed-stories"),
        ("PRAGMA foreign_keys = OFF; UPDATE stories SET owner = 'nobody' WHERE fid = 2", "foreign-keys"),
        ("DROP INDEX stories_family", "schema"),
        ("CREATE TRIGGER evil AFTER INSERT ON users BEGIN DELETE FROM stories; END", "schema-added"),
    ]

    @Test("REL-04 What cannot be derived needs attention, with what to do", arguments: CheckTests.lost.indices)
    func attention(index: Int) async throws {
        let (sql, code) = CheckTests.lost[index]
        try await CheckTests.world { fixture, client in
            try fixture.library.store.inspect { try $0.execute(sql: sql) }
            let report = try await CheckTests.checks(fixture).repair()
            let finding = try #require(report.findings.first { $0.code == code }, "\(report.findings)")
            #expect(report.outcome == .attention)
            guard case .byHand(let words) = finding.remedy else {
                Issue.record("\(finding) can be repaired")
                return
            }
            #expect(!words.isEmpty)
            let warnings = try await client.get("/readyz").json["warnings"]?.array ?? []
            #expect(warnings.contains { $0["code"]?.string == "database-damaged" })
        }
    }

    @Test("REL-03 A service starts past pages that cannot be read, serves the rest, and says what is missing")
    func damagedPages() async throws {
        let fixture = try await ServiceFixture()
        let text = String(repeating: "Wheat and rye. ", count: 60)
        try await fixture.run { client async throws in
            for number in 1...40 {
                let body = #"{"title":"Harvest \#(number)","text":"\#(text)","privacy":"public","kind":"interview"}"#
                #expect(try await client.send(.post, "/v1/stories", as: "ana", body).status == 201)
            }
        }
        try fixture.library.store.close()
        let path = fixture.folder.path("waymark.db")
        var bytes = try Data(contentsOf: URL(filePath: path))
        let place = try #require(bytes.firstRange(of: Data("Harvest 20".utf8))).lowerBound / 4_096 * 4_096
        for index in place + 200..<place + 700 { bytes[index] = 0x5A }
        try bytes.write(to: URL(filePath: path))
        let again = try await ServiceFixture(of: fixture)
        let damaged = try await CheckTests.checks(again).check()
        let named = try #require(damaged.findings.first { $0.code == "stories-unreadable" }).stories
        #expect(!named.isEmpty && named.count < 10)
        #expect(damaged.findings.contains { $0.code == "page-damaged" })
        try await again.run { client async throws in
            let list = try await client.get("/v1/stories?limit=100").json
            #expect(list["numberMatched"]?.integer == 40 - named.count)
            for id in named {
                let reply = try await client.get("/v1/stories/\(id)")
                #expect(reply.status == 503 && reply.json["type"]?.string == "/problems/damaged", "\(reply.status)")
            }
            let ready = try await client.get("/readyz")
            #expect(ready.status == 503 && ready.json["type"]?.string == "/problems/database-damaged")
            #expect(try await client.create(as: "ben", title: "Still works") != "")
        }
    }

    @Test("REL-04 A service checks in full once a week, in a quiet minute or after a day, never right at its start")
    func turns() throws {
        let (minute, day): (Int64, Int64) = (60_000, 86_400_000)
        func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_000 * day + milliseconds) }
        var turn = CheckTurn(started: at(0))
        // When it is asked, when the last check was, whether nobody writes, and whether it comes.
        let rounds: [(now: Int64, last: Int64?, isQuiet: Bool, comes: Bool)] = [
            (9 * minute, nil, true, false), (11 * minute, nil, false, false), (12 * minute, nil, true, true),
            (6 * day, 12 * minute, true, false), (8 * day, 12 * minute, false, false),
            (9 * day - minute, 12 * minute, false, false), (9 * day, 12 * minute, false, true),
            (day, 400 * day, true, true),
        ]
        for round in rounds {
            let comes = turn.comes(at: at(round.now), last: round.last.map(at), isQuiet: round.isQuiet)
            #expect(comes == round.comes, "\(round)")
        }
    }
}

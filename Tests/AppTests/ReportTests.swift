import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import Testing
import TestSupport

@Suite("Reports")
struct ReportTests {
    private static let spam = "{\"reason\":\"spam\",\"text\":\"Buy now\"}"

    @Test("PRV-06 A report has a tracking id, the same for a repeat; only its reporter can query its status")
    func tracking() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x")
            let first = try await client.send(.post, "/v1/stories/\(id)/report", as: "cora", ReportTests.spam)
            #expect(first.status == 201 && first.json["status"]?.string == "pending")
            let tracking = try #require(first.json["tracking_id"]?.string)
            #expect(first.headers[.location] == "/v1/reports/\(tracking)")
            let again = try await client.send(.post, "/v1/stories/\(id)/report", as: "cora", "{\"reason\":\"other\"}")
            #expect(again.status == 200 && again.bytes == first.bytes)
            let others = try await client.send(.post, "/v1/stories/\(id)/report", as: "ben", ReportTests.spam)
            #expect(others.status == 201 && others.json["tracking_id"]?.string != tracking)
            #expect(try await client.get("/v1/reports/\(tracking)", as: "cora").bytes == first.bytes)
            let absent = try await client.get("/v1/reports/00000000000000000000000000000000", as: "ben")
            for user in ["ana", "ben"] {
                let foreign = try await client.get("/v1/reports/\(tracking)", as: user)
                #expect(foreign.status == 404 && foreign.bytes == absent.bytes)
            }
            #expect(try await client.get("/v1/reports/\(tracking)").status == 401)
            // A repeat finds the report also when the story is gone.
            _ = try await client.send(.delete, "/v1/stories/\(id)", as: "ana")
            let late = try await client.send(.post, "/v1/stories/\(id)/report", as: "cora", ReportTests.spam)
            #expect(late.status == 200 && late.bytes == first.bytes)
        }
    }

    @Test("PRV-06 Only someone else's visible story can be reported, for a listed reason")
    func refusals() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x")
            let secret = try await client.create(as: "ana", title: "y", extra: ",\"privacy\":\"private\"")
            let missing = "00000000000000000000000000000000"
            func report(_ id: String, as user: String?, _ body: String) async throws -> Client.Reply {
                try await client.send(.post, "/v1/stories/\(id)/report", as: user, body)
            }
            #expect(try await report(id, as: "ana", ReportTests.spam).status == 409)
            #expect(try await report(id, as: nil, ReportTests.spam).status == 401)
            let closed = try await report(secret, as: "cora", ReportTests.spam)
            let absent = try await report(missing, as: "cora", ReportTests.spam)
            #expect(closed.status == 404 && closed.bytes == absent.bytes)
            let long = String(repeating: "a", count: 2_001)
            for body in ["{}", "{\"reason\":\"boring\"}", "{\"reason\":\"spam\",\"text\":\"\(long)\"}"] {
                #expect(try await report(id, as: "cora", body).status == 422)
            }
            for reason in ReportReason.allCases {
                let another = try await client.create(as: "ana", title: "z")
                #expect(try await report(another, as: "cora", "{\"reason\":\"\(reason.rawValue)\"}").status == 201)
            }
        }
    }

    @Test("PRV-06 An actioned report withholds the story from everyone but its owner, until none remains")
    func withholding() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "Wheat harvest")
            let surfaces = Surfaces(client: client, id: id, word: "harvest")
            var reports: [StoryID] = []
            for user in ["ben", "cora"] {
                let reply = try await client.send(.post, "/v1/stories/\(id)/report", as: user, ReportTests.spam)
                reports.append(try #require(reply.json["tracking_id"]?.string.flatMap { StoryID($0) }))
            }
            let everybody: Set<String?> = ["ana", "ben", "cora", nil]
            try await surfaces.expect(everybody, "reported")
            for (report, status, seen) in [
                (0, .reviewed, everybody), (0, .actioned, ["ana"]), (1, .actioned, ["ana"]), (0, .dismissed, ["ana"]),
                (1, .reviewed, everybody), (1, .actioned, ["ana"]), (1, .pending, everybody),
            ] as [(Int, ReportStatus, Set<String?>)] {
                fixture.clock.advance(seconds: 60)
                let entry = try await fixture.library.moderation.reports.setStatus(
                    status,
                    note: nil,
                    of: reports[report]
                )
                #expect(entry?.count == 2 && entry?.owner?.rawValue == "ana")
                try await surfaces.expect(seen, "report \(report) \(status)")
                let mine = try await client.get("/v1/stories/\(id)", as: "ana").json
                #expect(mine["withheld"]?.bool == (seen.count == 1 ? true : nil))
                #expect(mine["privacy"]?.string == "public")
                let told = try await client.get("/v1/reports/\(reports[report])", as: report == 0 ? "ben" : "cora").json
                #expect(told["status"]?.string == status.rawValue)
                #expect(told["updated_at"]?.string == RFC3339.format(fixture.clock.now))
                // The owner changes the level meanwhile: it counts once nothing is withheld.
                let path = "/v1/stories/\(id)/privacy"
                _ = try await client.send(.put, path, as: "ana", "{\"privacy\":\"private\"}")
                _ = try await client.send(.put, path, as: "ana", "{\"privacy\":\"public\"}")
                try await surfaces.expect(seen, "report \(report) \(status), changed by its owner")
            }
            #expect(
                try await fixture.library.moderation.reports.setStatus(
                    .actioned,
                    note: nil,
                    of: StoryID(high: 0, low: 0)
                ) == nil
            )
        }
    }

    @Test("PRV-06 Users cannot access operators' routes")
    func operatorsOnly() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let path = "/v1/service/reports"
                #expect(try await client.get(path).status == 401)
                #expect(try await client.get(path, as: "ana").status == 403)
                let id = "/0123456789abcdef0123456789abcdef"
                #expect(try await client.send(.patch, path + id, as: "ana", "{\"status\":\"actioned\"}").status == 403)
                let body = "{\"auto_private\":true,\"user\":\"ana\"}"
                #expect(try await client.send(.put, "/v1/service/auto-private", as: "ana", body).status == 403)
            }
    }

    @Test("NTF-09 A removed reporter leaves no text; the story stays withheld and can be released")
    func removedReporter() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            var reports: [StoryID] = []
            for title in ["a", "b"] {
                let id = try await client.create(as: "ana", title: title)
                let reply = try await client.send(.post, "/v1/stories/\(id)/report", as: "cora", ReportTests.spam)
                reports.append(try #require(reply.json["tracking_id"]?.string.flatMap { StoryID($0) }))
            }
            _ = try await fixture.library.moderation.reports.setStatus(.actioned, note: "seen", of: reports[0])
            let cora = try #require(UserID("cora"))
            #expect(try await fixture.library.rights.erasures.removeUser(cora))
            let left = try await fixture.library.store.read { transaction in
                try transaction.reportEntries(statuses: [], after: nil, limit: 10)
            }
            #expect(left.map(\.report.id) == [reports[0]])
            #expect(left.first?.report.text == nil && left.first?.report.reporter == nil)
            #expect(try await client.get("/v1/stories").json["numberMatched"]?.integer == 1)
            _ = try await fixture.library.moderation.reports.setStatus(.dismissed, note: nil, of: reports[0])
            #expect(try await client.get("/v1/stories").json["numberMatched"]?.integer == 2)
        }
    }

    @Test("PRV-06 NTF-09 A new user with an erased reporter's name can report and follow the report")
    func reportedAnew() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "a")
            let first = try await client.send(.post, "/v1/stories/\(id)/report", as: "cora", ReportTests.spam)
            let report = try #require(first.json["tracking_id"]?.string.flatMap { StoryID($0) })
            _ = try await fixture.library.moderation.reports.setStatus(.actioned, note: "seen", of: report)
            _ = try await client.send(.delete, "/v1/me", as: "cora")
            _ = try await fixture.library.moderation.reports.setStatus(.dismissed, note: nil, of: report)
            fixture.clock.advance(seconds: 60)
            let body = "{\"reason\":\"other\",\"text\":\"Once more\"}"
            let again = try await client.send(.post, "/v1/stories/\(id)/report", as: "cora", body)
            #expect(again.status == 201)
            let path = try #require(again.headers[.location])
            let status = try await client.get(path, as: "cora")
            #expect(status.status == 200 && status.bytes == again.bytes)
            let entries = try await fixture.library.store.read { transaction in
                try transaction.reportEntries(statuses: [.pending], after: nil, limit: 10)
            }
            #expect(entries.map(\.report.text) == ["Once more"] && entries.first?.report.note == nil)
        }
    }
}

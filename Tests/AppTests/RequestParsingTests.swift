import App
import Library
import Formats
import HTTPTypes
import Stories
import Testing
import TestSupport

@Suite("Request parsing")
struct RequestParsingTests {
    @Test(
        "A body that names a member twice, at any depth, is rejected with its name",
        arguments: [
            #"{"kind":"photo","title":"x","privacy":"private","privacy":"public"}"#: "privacy",
            #"{"kind":"photo","title":"x","location":{"lat":1,"lon":2,"lat":3}}"#: "lat",
            #"{"kind":"photo","title":"x","tit\u006ce":"y"}"#: "title",
        ]
    )
    func repeatedNames(body: String, name: String) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let reply = try await client.send(.post, "/v1/stories", as: "ana", body)
                #expect(reply.status == 400 && reply.json["type"]?.string == "/problems/bad-json")
                let detail = try #require(reply.json["detail"]?.string)
                #expect(detail.contains("has the member \"\(name)\" twice at line 1, column "), "\(detail)")
                #expect(try await client.get("/v1/stories", as: "ana").json["numberMatched"]?.integer == 0)
            }
    }

    @Test("A body in an unsupported encoding is rejected as such, and stores nothing")
    func encodings() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let body = #"{"kind":"photo","title":"x"}"#
                for (encoding, status) in [("gzip", 415), ("br", 415), ("identity, deflate", 415), ("Identity", 201)] {
                    let reply = try await client.send(
                        .post,
                        "/v1/stories",
                        as: "ana",
                        body,
                        headers: [.contentEncoding: encoding]
                    )
                    #expect(reply.status == status, "\(encoding)")
                    guard status == 415 else { continue }
                    #expect(reply.json["type"]?.string == "/problems/unsupported-encoding")
                    #expect(reply.json["detail"]?.string?.contains("Content-Encoding") == true)
                    #expect(reply.headers[.acceptEncoding] == "identity")
                }
                #expect(try await client.get("/v1/stories", as: "ana").json["numberMatched"]?.integer == 1)
                // What unpacks files itself takes them with or without the header.
                let trace = "time,lat,lon\n2026-11-22T10:00:00Z,1,2\n2026-11-22T10:01:00Z,1,2\n"
                for (encoding, isRefused) in [("gzip", false), ("br", true)] {
                    let path = "/v1/traces?dry_run=true"
                    let reply = try await client.send(
                        .post,
                        path,
                        as: "ana",
                        trace,
                        headers: [.contentEncoding: encoding]
                    )
                    #expect((reply.status == 415) == isRefused, "\(encoding): \(reply.status)")
                }
            }
    }

    @Test("A name in a message is short and on one line")
    func shownNames() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let name = "a\\n" + String(repeating: "b", count: 5_000)
                let reply = try await client.send(.post, "/v1/stories", as: "ana", "{\"\(name)\":1,\"\(name)\":1}")
                let detail = try #require(reply.json["detail"]?.string)
                #expect(reply.status == 400 && detail.utf8.count < 300 && !detail.contains("\n"), "\(detail)")
                #expect(detail.contains("\"a\u{FFFD}bbb") && detail.contains("b…\" twice"), "\(detail)")
            }
    }

    @Test("A nonexistent date and a badly written one have different messages")
    func dates() async throws {
        let noSuchDay = "names a date that does not exist in the calendar"
        let form =
            "must be YYYY, YYYY-MM, YYYY-MM-DD, two of these separated by /, or a date in words such as ca. 1920"
        let messages = [
            "2026-02-30": noSuchDay, "2025-02-29": noSuchDay, "1936-13": noSuchDay,
            "1936/1937-06-31": noSuchDay, "1937/1936": "ends before it begins", "30.2.2026": form, "1/": form,
            "1936/1937/1938": form, "12000 BC": "must be within the years -9999 to 9999",
        ]
        try await ServiceFixture()
            .run { client async throws in
                for (date, message) in messages.sorted(by: { $0.key < $1.key }) {
                    let body = "{\"kind\":\"photo\",\"title\":\"x\",\"date\":\"\(date)\"}"
                    let reply = try await client.send(.post, "/v1/stories", as: "ana", body)
                    #expect(reply.status == 422, "\(date)")
                    #expect(reply.json["errors"]?[0]?["field"]?.string == "date", "\(date)")
                    #expect(reply.json["errors"]?[0]?["message"]?.string == message, "\(date)")
                }
                let body = "{\"kind\":\"photo\",\"title\":\"x\",\"date\":\"2024-02-29\"}"
                #expect(try await client.send(.post, "/v1/stories", as: "ana", body).status == 201)
                let reply = try await client.get("/v1/stories?from=2026-02-30")
                #expect(reply.status == 400 && reply.json["detail"]?.string == "from: " + noSuchDay)
            }
    }

    @Test("A parameter in the wrong form is rejected with the expected form, at any length")
    func forms() async throws {
        let day =
            "must be a day as YYYY-MM-DD, a month as YYYY-MM, a year as YYYY, or another date such as 1920s or May 1936"
        let box = "must be west,south,east,north: four numbers in degrees, separated by commas"
        let country = "must be a country's name or its code of two letters (ISO 3166-1)"
        let messages = [
            "/v1/stories?from=abc": "from: " + day, "/v1/stories?to=12": "to: " + day,
            "/v1/stories?from=yesterday": "from: " + day, "/v1/stories?from=2026-02-30T00:00": "from: " + day,
            "/v1/stories?to=": "to: " + day, "/v1/stories?bbox=1,2,3": "bbox: " + box,
            "/v1/stories?bbox=": "bbox: " + box, "/v1/clusters?zoom=1&bbox=1": "bbox: " + box,
            "/v1/geocode?q=x&bbox=1,2": "bbox: " + box, "/v1/geocode?q=x&near=1": "near: must be LAT,LON in degrees",
            "/v1/geocode?q=x&country=u": "country: " + country,
        ]
        try await ServiceFixture()
            .run { client async throws in
                for (path, message) in messages.sorted(by: { $0.key < $1.key }) {
                    let reply = try await client.get(path)
                    #expect(reply.status == 400 && reply.json["detail"]?.string == message, "\(path)")
                }
            }
    }

    @Test("PRV-06 Operators' routes accept a non-user key, and a user's token with their scope")
    func operators() async throws {
        let fixture = try await ServiceFixture()
        let request = Accounts.KeyRequest(holder: .service([.adminOps]), name: "operations", days: nil)
        let key = try await fixture.accounts.makeKey(request).text
        let opal = try #require(UserID("opal"))
        let token = try await fixture.accounts.issueToken(for: opal, seconds: 600, scopes: [.adminOps])
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x")
            let report = try await client.send(.post, "/v1/stories/\(id)/report", as: "cora", "{\"reason\":\"spam\"}")
            let path = "/v1/service/reports/" + (try #require(report.json["tracking_id"]?.string))
            for (bearer, status) in [(key, "reviewed"), (token, "actioned")] {
                let headers: HTTPFields = [.authorization: "Bearer " + bearer]
                let list = try await client.get("/v1/service/reports", headers: headers)
                #expect(list.status == 200 && list.json["reports"]?.array?.count == 1)
                let body = "{\"status\":\"\(status)\"}"
                let decided = try await client.send(.patch, path, as: nil, body, headers: headers)
                #expect(decided.status == 200 && decided.json["status"]?.string == status)
                // Neither is good for anything else.
                #expect(try await client.get("/v1/stories", headers: headers).status == 403)
                #expect(try await client.get("/v1/me/hidden", headers: headers).status == 403)
            }
            #expect(try await client.get("/v1/service/reports").status == 401)
            #expect(try await client.get("/v1/service/reports", as: "ana").status == 403)
        }
    }
}

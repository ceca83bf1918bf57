import Foundation
import Testing
import WaymarkClient

/// The client against a service that follows a script.
struct WaymarkClientTests {
    private let clock = HastyClock()

    private func client(_ service: ScriptedService, token: String? = "t0ken") throws -> Waymark {
        let address = try #require(URL(string: "https://stories.example/base"))
        return Waymark(at: address, token: token, transport: service, clock: clock, jitter: { 1 })
    }

    private static let notification = """
        {"id":"n1","type":"story.nearby","title":"Auburn Avenue","body":"3 stories nearby",\
        "created_at":"2026-11-21T12:00:36.250Z","read":false,"url":"/#notice=n1"}
        """

    /// The events of a stream that ends in an error, which a script without further answers never does by itself.
    private func events(
        _ stream: AsyncThrowingStream<LiveEvent, any Error>
    ) async -> (
        events: [LiveEvent], failure: WaymarkFailure?
    ) {
        var events: [LiveEvent] = []
        do {
            for try await event in stream { events.append(event) }
        } catch {
            return (events, error as? WaymarkFailure)
        }
        return (events, nil)
    }

    private static let denied = ScriptedService.Answer(401, #"{"type":"/problems/unauthenticated","detail":"No."}"#)

    @Test("A request has the token, the path below the address, and parameters in a form that comes back whole")
    func requests() async throws {
        let page = #"{"numberMatched":0,"features":[],"links":[]}"#
        let service = ScriptedService([.init(200, page), .init(200, page)])
        let box = GeoBox(west: -84.5, south: 33.6, east: -84.2, north: 33.9)
        _ = try await client(service).stories(searching: "a+b c&d", in: box, limit: 5)
        _ = try await client(service, token: nil).stories()
        let first = service.asked[0]
        #expect(first.method == "GET" && first.headers["Authorization"] == "Bearer t0ken" && first.body == nil)
        #expect(first.url.absoluteString.hasPrefix("https://stories.example/base/v1/stories?q=a%2Bb%20c%26d&"))
        let items = try #require(URLComponents(url: first.url, resolvingAgainstBaseURL: false)?.queryItems)
        #expect(items.first { $0.name == "bbox" }?.value == "-84.5,33.6,-84.2,33.9")
        #expect(service.asked[1].headers["Authorization"] == nil && service.asked[1].url.query() == nil)
    }

    @Test("A page names the cursor of the next; stories are read with what is absent")
    func page() async throws {
        let story = """
            {"type":"Feature","id":"ab12","geometry":null,"properties":{"kind":"photo","title":"T","text":null,\
            "date":"1936","tags":["x"],"people":[],"owner":"ana","owner_name":"Ana","privacy":"public","location":null,\
            "created_at":"2026-11-21T12:00:36Z","updated_at":"2026-11-21T12:00:36.500Z"}}
            """
        let link = #"{"rel":"next","href":"/v1/stories?limit=1&cursor=c%2B1"}"#
        let text = #"{"numberMatched":7,"features":["# + story + #"],"links":["# + link + "]}"
        let page = try await client(ScriptedService([.init(200, text)])).stories()
        #expect(page.matched == 7 && page.next == "c+1" && page.stories.count == 1)
        let read = try #require(page.stories.first)
        #expect(read.id == "ab12" && read.ownerName == "Ana" && read.location == nil && read.tags == ["x"])
        #expect(read.updatedAt.timeIntervalSince(read.createdAt) == 0.5)
    }

    @Test("Clusters and single stories are told apart, and one that is neither is an error")
    func markers() async throws {
        let cluster = """
            {"type":"Feature","id":9,"bbox":[1,2,3,4],"geometry":{"type":"Point","coordinates":[-84.4,33.7]},\
            "properties":{"cluster":true,"cluster_id":9,"point_count":12,"expansion_zoom":14,"stacked":false}}
            """
        let single = """
            {"type":"Feature","id":"ab","geometry":{"type":"Point","coordinates":[1.5,2.5]},\
            "properties":{"cluster":false,"kind":"photo","title":"T"}}
            """
        let box = GeoBox(west: -1, south: -1, east: 1, north: 1)
        let good = ScriptedService([.init(200, #"{"features":["# + cluster + "," + single + "]}")])
        let markers = try await client(good).markers(in: box, zoom: 3)
        #expect(markers.map(\.count) == [12, 1] && markers.last?.point == GeoPoint(latitude: 2.5, longitude: 1.5))
        let clusters = markers.compactMap { if case .cluster(let cluster) = $0 { cluster } else { nil } }
        #expect(clusters.map(\.id) == [9] && clusters.map(\.expansionZoom) == [14])
        let neither = single.replacing(#""kind":"photo","#, with: "")
        let bad = ScriptedService([.init(200, #"{"features":["# + neither + "]}")])
        await #expect {
            _ = try await client(bad).markers(in: box, zoom: 3)
        } throws: {
            ($0 as? WaymarkFailure)?.kind == .unreadable
        }
    }

    @Test(
        "Problems are typed by their status, with code, fields, request id and waiting time",
        arguments: [
            (401, WaymarkFailure.Kind.unauthenticated, false), (403, .forbidden, false), (404, .notFound, false),
            (409, .conflict, false), (412, .conflict, false), (422, .invalid, false), (429, .tooManyRequests, true),
            (503, .unavailable, true), (507, .unavailable, true), (302, .unreadable, false),
        ]
    )
    func problems(_ status: Int, _ kind: WaymarkFailure.Kind, _ isTemporary: Bool) async throws {
        let body = #"{"type":"/problems/odd","detail":"Why.","errors":[{"field":"a","message":"must b"}]}"#
        let headers = ["x-request-id": "r7", "retry-after": "12"]
        for text in [body, "<html>Bad gateway</html>", ""] {
            let service = ScriptedService([.init(status, text, headers: headers)])
            do {
                _ = try await client(service).account()
                Issue.record("no failure")
            } catch let failure as WaymarkFailure {
                #expect(failure.kind == kind && failure.isTemporary == isTemporary && failure.status == status)
                #expect(failure.retryAfter == 12 && failure.requestID == "r7")
                guard text == body else { continue }
                #expect(failure.code == "odd" && failure.description == "Why.; a must b")
            }
        }
    }

    @Test("Without an answer the service is unreachable; an id that is none asks for nothing")
    func unreachable() async throws {
        let service = ScriptedService([])
        await #expect {
            _ = try await client(service).account()
        } throws: {
            ($0 as? WaymarkFailure)?.kind == .unreachable
        }
        for id in ["", "..", "a/b", "a%2fb", "a?b"] {
            await #expect {
                _ = try await client(service).story(id)
            } throws: {
                ($0 as? WaymarkFailure)?.kind == .notFound
            }
        }
        #expect(service.asked.count == 1)
    }

    @Test("DLV-02 Events are read wherever the stream is cut, with any end of line, comments and later kinds")
    func pieces() async throws {
        let lines = [
            "\u{FEFF}retry: 500", "", ": ka", "", "id: 4", "event: notification",
            "data: " + WaymarkClientTests.notification, "", "id: 5", "event: badge",
            #"data: {"unread":1,"unseen":0,"display":"1"}"#, "", "id:6", "event:later", "data: one", "data:two", "",
            "event: gap",
            "data: {}", "", "data: never ended",
        ]
        for end in ["\n", "\r\n", "\r"] {
            let bytes = Data(lines.joined(separator: end).utf8)
            for cut in stride(from: 0, through: bytes.count, by: end == "\r\n" ? 1 : 7) {
                var answer = ScriptedService.Answer()
                answer.pieces = [bytes.prefix(cut), bytes.dropFirst(cut)]
                let service = ScriptedService([answer, WaymarkClientTests.denied])
                let (found, failure) = await events(try client(service).notifications())
                #expect(failure?.kind == .unauthenticated)
                #expect(found.map(\.id) == ["4", "5", "6", "6"])
                guard found.count == 4, case .notification(let item) = found[0].content else {
                    Issue.record("cut at \(cut): \(found)")
                    continue
                }
                #expect(item.title == "Auburn Avenue" && item.createdAt.timeIntervalSince1970 == 1_795_262_436.25)
                #expect(found[1].content == .badge(unread: 1, unseen: 0) && found[3].content == .gap)
                #expect(found[2].content == .other(name: "later", json: "one\ntwo"))
                #expect(service.asked.last?.headers["Last-Event-ID"] == "6")
            }
        }
        #expect(clock.waits.allSatisfy { $0 == .milliseconds(500) })
    }

    @Test("DLV-02 A stream goes on after the last event that came, also if its connection breaks")
    func resume() async throws {
        var first = ScriptedService.Answer(200, "id: 7\nevent: gap\ndata: {}\n\nid: 8\nevent: gap\ndata: {}\n\nid: 9\n")
        first.error = URLError(.networkConnectionLost)
        let service = ScriptedService([first, .init(200, "id: 9\nevent: gap\ndata: {}\n\n"), WaymarkClientTests.denied])
        let (found, failure) = await events(try client(service).notifications(after: "6"))
        #expect(found.map(\.id) == ["7", "8", "9"] && failure?.kind == .unauthenticated)
        #expect(service.asked.map { $0.headers["Last-Event-ID"] } == ["6", "8", "9"])
        #expect(service.asked.allSatisfy { $0.url.path().hasSuffix("/v1/notifications/stream") })
    }

    @Test("DLV-02 After failures it waits twice as long each time, up to a minute, and as long as it is told")
    func backoff() async throws {
        let away = ScriptedService.Answer(503)
        let busy = ScriptedService.Answer(429, headers: ["retry-after": "100"])
        let good = ScriptedService.Answer(200, "retry: 1000\n\n")
        let answers = Array(repeating: away, count: 6) + [busy, good, away, WaymarkClientTests.denied]
        let (found, failure) = await events(try client(ScriptedService(answers)).notifications())
        #expect(found.isEmpty && failure?.kind == .unauthenticated)
        #expect(clock.waits.map { $0 / .seconds(1) } == [3, 6, 12, 24, 48, 60, 100, 1, 1])
    }

    @Test("Who stops reading ends the stream and its transfer", .timeLimit(.minutes(1)))
    func stopping() async throws {
        var answer = ScriptedService.Answer(200, "id: 7\nevent: gap\ndata: {}\n\n")
        answer.isOpen = true
        let service = ScriptedService([answer])
        for try await _ in try client(service).notifications() { break }
        for await _ in service.ends { break }
        #expect(service.asked.count == 1 && clock.waits.isEmpty)
    }
}

import Library
import App
import Formats
import HTTPTypes
import Stories
import TestSupport
import Testing

@Suite("Shares of limited resources")
struct ShareTests {
    private static func user(_ number: Int) throws -> UserID { try #require(UserID("user\(number)")) }

    /// Opens streams of maps until one is refused, at most so many.
    private static func take(
        _ most: Int,
        in hub: LiveHub,
        _ owner: (Int) throws -> LiveOwner
    ) rethrows -> [LiveHub.Seat] {
        var seats: [LiveHub.Seat] = []
        for number in 0..<most {
            let owner = try owner(number)
            guard let seat = try? hub.open(.map, for: owner) else { break }
            seats.append(seat)
        }
        return seats
    }

    @Test("An address has a share of map streams, under any names, and others have theirs")
    func addresses() throws {
        let hub = LiveHub()
        var first = ShareTests.take(3_000, in: hub) { _ in LiveOwner(nil, address: "192.0.2.1") }
        #expect(first.count == LiveHub.mostOfAddress)
        var named = try ShareTests.take(3_000, in: hub) { number in
            LiveOwner(try ShareTests.user(number / 4), address: "192.0.2.2")
        }
        #expect(named.count == LiveHub.mostOfAddress)
        #expect(ShareTests.take(1, in: hub) { _ in LiveOwner(nil, address: "192.0.2.3") }.count == 1)
        // What is closed is there for the next one.
        first.removeLast(10)
        let again = ShareTests.take(20, in: hub) { _ in LiveOwner(nil, address: "192.0.2.1") }
        #expect(again.count == 10)
        (first, named) = ([], [])
    }

    @Test("Anonymous clients leave room for named ones; a service has its own share for all its users")
    func strangers() throws {
        let hub = LiveHub()
        let strangers = ShareTests.take(3_000, in: hub) { LiveOwner(nil, address: "192.0.\($0 / 100).1") }
        #expect(strangers.count == LiveHub.mostOfAnyone)
        let users = try ShareTests.take(3_000, in: hub) {
            LiveOwner(try ShareTests.user($0), address: "198.51.\($0 / 100).1")
        }
        #expect(users.count == LiveHub.mostOfMap - LiveHub.mostOfAnyone)
        let other = LiveHub()
        let served = try ShareTests.take(3_000, in: other) {
            LiveOwner(try ShareTests.user($0), service: "app", address: "192.0.2.1")
        }
        #expect(served.count == LiveHub.mostOfService)
        #expect(
            try ShareTests.take(9, in: other) { _ in LiveOwner(try ShareTests.user(9_999)) }.count == LiveHub.mostOfUser
        )
    }

    @Test("A user has a few tickets at a time; used and expired ones make room, and others have theirs")
    func tickets() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            func ticket(_ user: String) async throws -> Client.Reply {
                try await client.send(.post, "/v1/notifications/stream/ticket", as: user)
            }
            var tickets: [String] = []
            for _ in 0..<100 {
                let reply = try await ticket("ana")
                guard reply.status == 201 else {
                    let retryAfter = try #require(HTTPField.Name("Retry-After"))
                    #expect(reply.status == 429 && reply.headers[retryAfter] != nil)
                    break
                }
                tickets.append(try #require(reply.json["ticket"]?.string))
            }
            #expect(tickets.count == 20)
            #expect(try await ticket("ben").status == 201)
            let path = "/v1/notifications/stream?ticket="
            #expect(try await client.get(path + tickets[0]).status == 200)
            #expect(try await ticket("ana").status == 201)
            #expect(try await ticket("ana").status == 429)
            fixture.clock.advance(seconds: 61)
            fixture.library.live.tick(at: fixture.clock.now)
            for _ in 0..<20 { #expect(try await ticket("ana").status == 201) }
        }
    }

    @Test("An address has a share of tickets, for all its users; other addresses have theirs")
    func ticketsOfAddress() throws {
        let tickets = LiveTickets()
        func take(_ most: Int, of address: String) throws -> Int {
            for number in 0..<most {
                let owner = LiveOwner(try ShareTests.user(number), address: address)
                let now = Timestamp(milliseconds: 0)
                let ticket = try? tickets.issue(Credentials(), for: owner, random: .system, at: now)
                guard ticket != nil else { return number }
            }
            return most
        }
        #expect(try take(20_000, of: "192.0.2.1") == LiveTickets.mostOfAddress)
        #expect(try take(100, of: "192.0.2.2") == 100)
        tickets.dropOld(at: Timestamp(milliseconds: 60_000))
        #expect(try take(100, of: "192.0.2.1") == 100)
    }

    @Test("Viewing thousands of map parts evicts only the viewer's own cached ones")
    func views() {
        func key(_ number: Int) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }
        let views = MapViews()
        for number in 0..<10 { views.keep([1], of: key(number), for: .address("192.0.2.1")) }
        for number in 10..<20_000 { views.keep([2], of: key(number), for: .address("192.0.2.2")) }
        #expect((0..<10).allSatisfy { views.holds(key($0)) })
        #expect((0..<20_000).count { views.holds(key($0)) } <= MapViews.most)
        #expect(views.holds(key(19_999)))
    }

    @Test("Holders without cached map parts are not remembered")
    func holders() {
        let views = MapViews()
        for number in 0..<2 * MapViews.most {
            views.keep([1], of: withUnsafeBytes(of: number) { Array($0) }, for: .address("2001:db8::\(number)"))
        }
        #expect(views.holderCount <= MapViews.most)
    }
}

import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import TestSupport

extension RoleStage {
    /// Lets people do a little of everything, so that every route has something to answer with.
    func populate() async throws {
        try await tellStories()
        try await makeFamilies()
        try await makeAccounts()
        try await walk()
        try await sendMessages()
    }

    private func tellStories() async throws {
        let place = #""location":{"lat":33.7554,"lon":-84.3736}"#
        let full = """
            {"kind":"interview","title":"At the mill","text":"The river took the bridge.","date":"1936-05","tags":["blues"],\
            "people":["Ida"],"collection":"summer","media_url":"https://example.org/a.jpg","alt":"A mill","privacy":"public",\
            "client_id":"full-1","location":{"lat":33.7554,"lon":-84.3736,"precision":"approximate","cell":0.01}}
            """
        let mill = try await id(.post, "/v1/stories", as: "mia", full)
        let train = try await id(
            .post,
            "/v1/stories",
            as: "sue",
            #"{"kind":"photo","title":"A train","privacy":"public",\#(place)}"#
        )
        _ = try await id(.post, "/v1/stories", as: "olga", #"{"kind":"document","title":"Kept","privacy":"private"}"#)
        _ = try await prepare(.put, "/v1/stories/\(mill)/favourite", as: "olga", nil)
        _ = try await prepare(.post, "/v1/stories/\(mill)/viewed", as: "olga", nil)
        _ = try await prepare(.put, "/v1/stories/\(train)/hide", as: "olga", nil)
        let why = #"{"reason":"spam","text":"It sells something."}"#
        _ = try await answer(GoldenAsk(variant: "", body: why), .post, "/v1/stories/\(train)/report", as: .owner)
        let gone = try await story(of: "olga", "public")
        world.clock.advance(seconds: 30)
        _ = try await prepare(.delete, "/v1/stories/\(gone)", as: "olga", nil)
        _ = try await make(.proposal, of: "olga")
        _ = try await collection(of: "olga", "family_only")
        _ = try await namedPlace(of: "olga", .familyOnly)
    }

    private func makeFamilies() async throws {
        let family = try await id(.post, "/v1/families", as: "olga", #"{"name":"Lighthouse"}"#)
        let guests = #"{"invitations":[{"user":"sue"},{"email":"guest@example.org","role":"admin"}]}"#
        _ = try await prepare(.post, "/v1/families/\(family)/invitations", as: "olga", guests)
        _ = try await make(.invitation, of: "olga")
        _ = try await prepare(.put, "/v1/me/labels/mia", as: "olga", #"{"label":"Aunt Mia"}"#)
    }

    private func makeAccounts() async throws {
        _ = try await prepare(.patch, "/v1/me", as: "olga", #"{"email":"olga@example.org"}"#)
        _ = try await prepare(.post, "/v1/me/keys", as: "olga", #"{"name":"Laptop"}"#)
        _ = try await prepare(.post, "/v1/me/keys", as: "olga", #"{"name":"My phone","device":"phone"}"#)
        _ = try await make(.channel, of: "olga")
        let mail = #"{"kind":"email","target":{"address":"olga@example.org"}}"#
        _ = try await answer(GoldenAsk(variant: "", body: mail), .post, "/v1/me/channels", as: .owner)
    }

    /// Somebody comes by a place of stories and stays for a while.
    private func walk() async throws {
        let settings = #"{"enabled":true,"radius":150,"min_dwell":0,"keep_fixes_days":1}"#
        for user in ["olga", "mia"] {
            _ = try await prepare(.put, "/v1/me/notification-settings", as: user, settings)
            for step in 0..<8 {
                let time = RFC3339.format(world.library.now())
                let latitude = 33.7554 + (step == 0 ? 0.02 : 0)
                let fix = #"{"t":"\#(time)","lat":\#(latitude),"lon":-84.3736,"acc":5}"#
                _ = try await prepare(.post, "/v1/fixes", as: user, #"{"device":"phone","fixes":[\#(fix)]}"#)
                world.clock.advance(seconds: 20)
                _ = try await world.library.fences.fireTimers()
            }
        }
    }

    private func sendMessages() async throws {
        for number in 1...3 {
            guard let olga = UserID("olga") else { continue }
            let title = "News \(number)"
            _ = try await FeedWorld.tell(olga, in: world.library, title: title, number: 1_000_000 + UInt64(number))
            world.clock.advance(seconds: 60)
        }
        let message = #"{"users":["olga","mia"],"type":"comment.new","title":"A comment","body":"Well told."}"#
        _ = try await answer(GoldenAsk(variant: "", body: message), .post, "/v1/notifications", as: .service)
        world.clock.advance(seconds: 60)
    }

    /// Makes something and returns its id.
    private func id(
        _ method: HTTPRequest.Method,
        _ path: String,
        as user: String,
        _ body: String
    ) async throws -> String {
        guard let id = try await prepare(method, path, as: user, body)["id"]?.string else {
            throw TwinFault("\(method) \(path) gave no id.")
        }
        return id
    }
}

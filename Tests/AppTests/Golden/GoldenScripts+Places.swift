import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import TestSupport

extension GoldenScripts {
    private static let settings = "/v1/me/notification-settings"

    static let feed: [String: Script] = [
        "GET /v1/notifications": { route in
            try await route.ask(
                [
                    "?unread=true", "?archived=true", "?archived=false", "?type=comment.new",
                    "?type=nearby,new_stories", "?limit=3",
                ],
                as: [.owner, .member, .stranger]
            )
        },
        "GET /v1/notifications/stream": { route in
            let ticket = try await route.prepare(.post, "/v1/notifications/stream/ticket")["ticket"]?.string ?? ""
            try await route.say("with a ticket", as: .anonymous, query: "?ticket=\(ticket)")
            try await route.say("with the ticket again", as: .anonymous, query: "?ticket=\(ticket)")
            try await route.say("after an event", ["Last-Event-ID": "1"])
            try await route.say("after none", ["Last-Event-ID": "nonsense"])
        },
        "POST /v1/notifications/read-all": { route in try await readUp(&route) },
        "POST /v1/notifications/seen": { route in try await readUp(&route) },
        "PATCH /v1/notifications/{notification}": { route in
            try await route.say([
                "read": #"{"read":true}"#, "unread": #"{"read":false}"#, "archived": #"{"archived":true}"#,
                "opened": #"{"opened":true}"#, "nothing": "{}", "read and archived": #"{"read":true,"archived":false}"#,
            ])
        },
        "GET /v1/notifications/{notification}": { route in try await eachNotice(&route) },
        "GET /v1/notifications/{notification}/stories": { route in try await eachNotice(&route) },
        "POST /v1/notifications/{notification}/opened": { route in try await eachNotice(&route) },
        "PUT /v1/me/notification-settings": { route in
            try await route.say([
                "off": #"{"enabled":false}"#, "on": #"{"enabled":true,"radius":300}"#,
                "a link": #"{"link_template":"https://example.org/{id}"}"#,
                "an app's link": #"{"link_template":"myapp://s/{id}"}"#,
                "another app's link": #"{"link_template":"other://s/{id}"}"#,
                "a zone": #"{"time_zone":"Europe/Berlin"}"#,
                "no zone": #"{"time_zone":"Moon/Base"}"#,
                "a type": #"{"types":[{"type":"comment.new","enabled":false}]}"#,
                "no type": #"{"types":[{"type":"No Type"}]}"#, "a kind": #"{"kinds":["photo","No Kind"]}"#,
                "a place": #"{"places":[{"place_id":"nowhere","muted":true}]}"#,
                "quiet hours": #"{"quiet_hours":[{"from":"22:00","to":"07:00"}]}"#,
                "no quiet hours": #"{"quiet_hours":[{"from":"25:00","to":"x"}]}"#,
                "a digest": #"{"digest":{"every":"week","day":"monday","hour":8}}"#,
                "caps": #"{"caps":{"per_hour":1,"per_day":null,"min_interval":60}}"#,
                "a version of consent": #"{"enabled":true,"consent_version":"none"}"#,
            ])
        },
        "PUT /v1/me/labels/{user}": { route in
            try await route.say([
                "a label": #"{"label":"Aunt"}"#, "another": #"{"label":"Aunt Mia"}"#, "blank": #"{"label":" "}"#,
                "nothing to read": #"{"label":"\u200b"}"#,
            ])
        },
        "GET /v1/unsubscribe": { route in
            try await route.ask(["?token=nonsense", "?token=email.olga.0"], as: [.anonymous])
        },
        "POST /v1/unsubscribe": { route in
            try await route.ask(["", "?token=nonsense", "?token=webhook.olga.0.1"], as: [.anonymous])
        },
    ]

    /// Marks everything up to the second notification.
    private static func readUp(_ route: inout GoldenRoute) async throws {
        let feed = try await route.prepare(.get, "/v1/notifications")["notifications"]?.array ?? []
        guard feed.count > 1, let id = feed[1]["id"]?.string else { return }
        try await route.say("up to the second", body: #"{"before":"\#(id)"}"#)
        try await route.say("again", body: #"{"before":"\#(id)"}"#)
    }

    /// The notifications that the world begins with.
    private static func eachNotice(_ route: inout GoldenRoute) async throws {
        let feed = try await route.prepare(.get, "/v1/notifications")["notifications"]?.array ?? []
        for notice in feed {
            guard let id = notice["id"]?.string else { continue }
            route.use(["notification": id])
            try await route.say(notice["type"]?.string ?? "none")
        }
    }

    static let fixes: [String: Script] = [
        "POST /v1/fixes": { route in
            try await route.prepare(.put, settings, #"{"enabled":true,"radius":150,"min_dwell":0}"#)
            for step in 0..<6 {
                let time = RFC3339.format(route.stage.world.clock.now)
                let body = #"{"device":"walk","fixes":[{"t":"\#(time)","lat":33.7554,"lon":-84.3736,"acc":5}]}"#
                try await route.say("step \(step)", body: body)
                if step == 2 { try await route.say("step \(step) again", body: body) }
                route.stage.world.clock.advance(seconds: 20)
                _ = try await route.stage.world.library.fences.fireTimers()
            }
            let time = RFC3339.format(route.stage.world.clock.now)
            try await route.say([
                "without a place": #"{"device":"p","fixes":[{"t":"\#(time)"}]}"#,
                "beyond the pole": #"{"device":"p","fixes":[{"t":"\#(time)","lat":91,"lon":0,"acc":5}]}"#,
                "some day": #"{"device":"p","fixes":[{"t":"some day","lat":1,"lon":0,"acc":5}]}"#,
                "next year": #"{"device":"p","fixes":[{"t":"2027-12-01T00:00:00Z","lat":1,"lon":0,"acc":5}]}"#,
                "long ago": #"{"device":"p","fixes":[{"t":"2019-12-01T00:00:00Z","lat":1,"lon":0,"acc":5}]}"#,
                "by nothing": #"{"fixes":[]}"#, "by a device without a name": #"{"device":"","fixes":[]}"#,
                "good and bad": """
                {"device":"p","fixes":[{"t":"\(time)","lat":1,"lon":2,"acc":5},{"t":"\(time)","lat":1,"lon":2,"acc":-5},\
                {"t":"\(time)","lat":1,"lon":2,"acc":5,"speed":1,"mode":"walk","simulated":true}]}
                """,
            ])
            try await route.say("as somebody who has not opted in", as: .stranger)
        },
        "GET /v1/fixes": { route in
            try await route.ask(["?device=phone", "?device=never"], as: [.owner, .member, .stranger])
        },
        "POST /v1/traces": { route in
            let rows =
                "time,lat,lon,accuracy\n"
                + (0..<12).map { "2019-05-01T12:00:\(10 + 4 * $0)Z,33.7554,-84.3736,8\n" }
                .joined()
            let gpx = """
                <gpx version="1.1"><trk><trkseg><trkpt lat="33.7554" lon="-84.3736"><time>2019-05-01T12:00:00Z</time></trkpt>\
                </trkseg></trk></gpx>
                """
            try await route.prepare(.put, settings, #"{"enabled":true,"radius":150}"#)
            for query in [
                "?dry_run=true", "", "?radius=10", "?radius=200&dry_run=true", "?format=gpx", "?name=2026-11.rec",
            ] {
                try await route.say("rows \(query)", query: query, body: rows)
            }
            for body in [
                "", "hello", "<gpx>", gpx, "time,lat\n1,2\n", rows + "x,y,z,1\n", "[]",
                "{\"type\":\"FeatureCollection\"}",
            ] {
                try await route.say("file of \(body.utf8.count) bytes", query: "?dry_run=true", body: body)
            }
            try await route.say("as somebody who has not opted in", as: .stranger, query: "", body: rows)
        },
        "POST /v1/walk": { route in
            let rows =
                "time,lat,lon,accuracy\n"
                + (0..<12).map { "2019-05-01T12:00:\(10 + 4 * $0)Z,33.7554,-84.3736,8\n" }
                .joined()
            let line = #"{"type":"LineString","coordinates":[[-84.38,33.75],[-84.37,33.76]]}"#
            try await route.prepare(.put, settings, #"{"enabled":true,"radius":150}"#)
            for query in [
                "", "?forget=true", "?radius=10", "?radius=300&noise=10&outliers=0.1&seed=3", "?noise=1000",
                "?seed=x", "?speed=fast", "?interval=0",
            ] {
                try await route.say("rows \(query)", query: query, body: rows)
            }
            for query in ["", "?speed=10&interval=2", "?speed=0.1&interval=1"] {
                try await route.say("line \(query)", query: query, body: line)
            }
            for body in ["", "hello", "<gpx>", "time,lat\n1,2\n", "[]"] {
                try await route.say("file of \(body.utf8.count) bytes", query: "", body: body)
            }
            try await route.say("as somebody who has not opted in", as: .stranger, query: "", body: rows)
        },
        "GET /v1/fences": { route in
            try await route.ask(
                ["?lat=33.7554&lon=-84.3736", "?lat=33.7554&lon=-84.3736&limit=4", "?lat=0&lon=0", "?lat=33.7554"],
                as: [.owner, .member, .stranger, .device]
            )
        },
        "POST /v1/fences/{place}/entered": { route in
            try await route.prepare(.put, settings, #"{"enabled":true,"radius":150,"min_dwell":0}"#)
            try await route.say([
                "now": "{}", "again": "{}", "some day": #"{"t":"some day"}"#,
                "next year": #"{"t":"2027-12-01T00:00:00Z"}"#,
                "earlier": #"{"t":"2026-11-21T11:00:00Z","stayed":600}"#, "too fast": #"{"speed":60}"#,
                "by a phone": #"{"device":"phone"}"#,
            ])
        },
        "GET /v1/me/devices/{device}": { route in
            route.use(["device": "never"])
            try await route.say("never heard of")
            route.use(["device": String(repeating: "d", count: 65)])
            try await route.say("a long name")
        },
        "PUT /v1/me/devices/{device}": { route in
            try await route.say([
                "denied": #"{"permission":"denied"}"#, "always": #"{"permission":"always","platform":"ios"}"#,
                "perhaps": #"{"permission":"perhaps"}"#, "nothing": "{}",
            ])
            route.use(["device": String(repeating: "d", count: 65)])
            try await route.say("a long name")
        },
        "GET /v1/fixes/{fix}/explain": { route in
            let kept = try await route.prepare(.get, "/v1/fixes")["fixes"]?.array ?? []
            for fix in kept.prefix(8) {
                route.use(["fix": fix["id"]?.string ?? ""])
                try await route.say("kept")
            }
        },
    ]

    static let ingest: [String: Script] = [
        "POST /ingest/owntracks": { route in
            for body in [
                #"{"_type":"location","lat":33.7554,"lon":-84.3736,"acc":8,"tst":1795262400}"#,
                #"{"_type":"location","lat":95,"lon":0,"tst":1}"#, #"{"_type":"location"}"#, #"{"_type":"waypoints"}"#,
                "{}", "",
                "{", "[]",
            ] { try await route.say(body, as: .device, query: "?u=jane&d=other", body: body) }
            try await route.say("with a name and a word", as: .anonymous, ["Authorization": "Basic amFuZTp3b3Jk"])
        },
        "POST /ingest/overland": { route in
            for body in [
                """
                {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[-84.3736,33.7554]},"properties":\
                {"timestamp":"2026-11-21T12:00:00Z","horizontal_accuracy":8,"device_id":"pad"}}]}
                """, #"{"locations":[{}]}"#, #"{"locations":1}"#, "{}", "", "[",
            ] { try await route.say(body, as: .device, body: body) }
            try await route.say("with a word", as: .anonymous, query: "?access_token=word")
        },
        "POST /ingest/ulogger/client/index.php": { route in
            for body in [
                "action=auth&user=jane&pass=word", "action=addtrack&track=walk", "action=erase", "",
                "action=addpos&lat=33.7554&lon=-84.3736&time=1795262400&speed=3&bearing=9&accuracy=8&trackid=1",
                "action=addpos&lat=95&lon=0&time=1", "action=addpos&lat=1&lon=2&time=soon",
            ] { try await route.say(body, as: .device, body: body) }
            try await route.say("with a word", as: .anonymous, body: "action=auth&user=jane&pass=word")
        },
        "GET /ingest/osmand": { route in try await osmAnd(&route) },
        "POST /ingest/osmand": { route in try await osmAnd(&route) },
    ]

    private static func osmAnd(_ route: inout GoldenRoute) async throws {
        try await route.ask(
            [
                "?id=phone&lat=33.7554&lon=-84.3736&timestamp=1795262400&hdop=1", "?id=phone&lat=95&lon=0", "?id=phone",
                "",
                "?id=phone&location=33.7554,-84.3736&speed=3&speed_unit=kmh", "?id=phone&lat=x&lon=y",
                "?id=phone&lat=1&lon=2&timestamp=soon",
            ],
            as: [.device, .owner]
        )
        try await route.ask(["?id=word&lat=1&lon=2"], as: [.anonymous])
    }
}

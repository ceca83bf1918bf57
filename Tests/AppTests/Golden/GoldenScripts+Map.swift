import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import TestSupport

extension GoldenScripts {
    private static let viewers: [Role] = [.owner, .member, .stranger, .former, .anonymous]
    private static let world = "bbox=-180,-90,180,90"
    private static let town = "bbox=-84.5,33.6,-84.2,33.9"

    static let map: [String: Script] = [
        "GET /v1/clusters": { route in
            try await route.ask((0...6).map { "?\(world)&zoom=\($0)" }, as: viewers)
            try await route.ask((7...20).map { "?\(town)&zoom=\($0)" }, as: viewers)
            try await route.ask(
                [
                    "?\(town)&zoom=12&kind=photo", "?\(world)&zoom=2&from=1936&to=1940", "?\(world)&zoom=2&q=river",
                    "?\(world)&zoom=2&view=mine", "?\(world)&zoom=2&favourites=true", "?\(world)&zoom=20",
                    "?bbox=170,-20,-170,-15&zoom=5", "?\(world)&zoom=2&to=1936&from=1940",
                ],
                as: viewers
            )
        },
        "GET /v1/stories": { route in
            try await route.ask(
                [
                    "?\(world)", "?\(town)&q=river", "?q=zebra", "?q=river%20mill&kind=photo", "?view=shared",
                    "?view=family",
                    "?view=mine", "?view=mine,family", "?favourites=true", "?favourites=false", "?tag=blues&person=Ida",
                    "?from=1936&to=1936-05", "?to=1936&from=1940", "?owner=olga,mia&family=north", "?collection=summer",
                    "?limit=3&cursor=", "?limit=3&q=river",
                    "?sort=date&limit=3", "?sort=nearest&near=33.75,-84.37&limit=3", "?sort=nearest", "?placed=false",
                ],
                as: viewers
            )
        },
        "GET /v1/bounds": { route in
            try await route.ask(["", "?q=zebra", "?view=mine", "?q=nothing-at-all", "?kind=photo"], as: viewers)
        },
        "GET /v1/approximate-cell": { route in
            try await route.ask([
                "?lat=33.7554&lon=-84.3736", "?lat=33.7554&lon=-84.3736&cell=0.1", "?lat=-90&lon=180&cell=1",
                "?lat=33.7554&lon=-84.3736&cell=0.2", "?lat=33.7554",
            ])
        },
        "GET /v1/histogram": { route in
            try await route.ask(["", "?\(town)", "?from=1930&to=1950", "?q=river"], as: viewers)
        },
        "GET /v1/facets": { route in
            try await route.ask(["", "?\(town)", "?kind=photo&tag=blues", "?q=river", "?favourites=true"], as: viewers)
        },
        "GET /v1/tags": { route in
            try await route.ask(["", "?\(town)", "?prefix=b", "?view=mine", "?limit=1"], as: viewers)
        },
        "GET /v1/people": { route in
            try await route.ask(["", "?\(town)", "?prefix=i", "?view=mine", "?limit=1"], as: viewers)
        },
        "GET /v1/nearby": { route in
            try await route.ask(
                [
                    "?lat=33.7554&lon=-84.3736", "?lat=33.7554&lon=-84.3736&radius=500", "?lat=0&lon=0&limit=3",
                    "?lat=-17.8&lon=179.995&q=river", "?lat=90&lon=0",
                ],
                as: viewers
            )
        },
        "GET /v1/events": { route in
            try await route.ask(["?\(world)&zoom=2", "?\(town)&zoom=14", "?\(town)&zoom=14&kind=photo"], as: viewers)
            try await route.say("after an event", ["Last-Event-ID": "1"])
            try await route.say("after none", ["Last-Event-ID": "nonsense"])
        },
        "GET /v1/tiles.json": { route in
            try await route.ask(["", "?kind=photo", "?q=river"], as: viewers)
            try await route.say("at another host", ["Host": "other.example"])
        },
        "GET /v1/tiles/{z}/{x}/{y}.mvt": { route in
            for (z, x, y) in [(0, 0, 0), (1, 0, 0), (5, 8, 12), (10, 271, 410), (14, 4351, 6557)] {
                route.use(["z": "\(z)", "x": "\(x)", "y": "\(y)"])
                for role in viewers {
                    try await route.say("\(z)/\(x)/\(y)", as: role)
                    try await route.say("\(z)/\(x)/\(y) filtered", as: role, query: "?kind=photo")
                }
            }
        },
        "GET /v1/offline-package": { route in
            try await route.ask(
                [
                    "?\(town)&zoom=12", "?\(world)&zoom=20", "?\(town)&zoom=30",
                    "?bbox=-84.38,33.75,-84.37,33.76&zoom=14",
                ],
                as: viewers
            )
        },
        "GET /v1/changes": { route in
            let first = try await route.say("from the start")
            let since = GoldenScripts.cursor(in: first)
            try await route.prepare(.post, "/v1/stories", #"{"kind":"photo","title":"Since"}"#)
            try await route.say("since then", query: "?since=\(since)")
            try await route.say("since then, as somebody else", as: .member, query: "?since=\(since)")
            try await route.say("since then, as nobody", as: .anonymous, query: "?since=\(since)")
        },
    ]

    /// What an answer gives to go on from.
    private static func cursor(in reply: TwinReply) -> String {
        let text = String(decoding: reply.bytes, as: UTF8.self)
        guard let match = text.firstMatch(of: /since=([^"&]+)/) else { return "none" }
        return String(match.output.1)
    }

    static let lists: [String: Script] = [
        "POST /v1/collections": { route in
            try await route.say([
                "a trip": #"{"title":"Trip","text":"To the sea","privacy":"public"}"#,
                "the title again": #"{"title":"Trip"}"#,
                "one family": #"{"title":"Ours","privacy":"family_only","family":"north"}"#,
                "a family of others": #"{"title":"Theirs","privacy":"family_only","family":"lake"}"#,
                "a family but private": #"{"title":"Mine","privacy":"private","family":"north"}"#,
                "two lines": #"{"title":"a\nb"}"#,
            ])
            try await route.say("the title of somebody else", as: .member, body: #"{"title":"Trip"}"#)
        },
        "DELETE /v1/collections/{collection}": { route in
            try await route.say("once")
            try await route.say("again")
        },
        "POST /v1/named-places": { route in
            try await route.say([
                "a place": #"{"name":"Home","lat":10,"lon":10,"radius":200}"#,
                "again": #"{"name":"Home","lat":10,"lon":10}"#,
                "public": #"{"name":"Square","lat":10,"lon":10,"privacy":"public"}"#,
                "one family": #"{"name":"Ours","lat":10,"lon":10,"privacy":"family_only","family":"north"}"#,
                "a family of others": #"{"name":"Theirs","lat":10,"lon":10,"privacy":"family_only","family":"lake"}"#,
                "too small": #"{"name":"Here","lat":10,"lon":10,"radius":1}"#, "nowhere": #"{"name":"Here"}"#,
                "without a longitude": #"{"name":"Here","lat":10}"#, "blank": #"{"name":" ","lat":1,"lon":2}"#,
                "two lines": #"{"name":"a\nb","lat":1,"lon":2}"#,
            ])
            try await route.say(
                "public, as an operator",
                as: .operatorUser,
                body: #"{"name":"S","lat":1,"lon":2,"privacy":"public"}"#
            )
        },
        "PATCH /v1/named-places/{named_place}": { route in
            try await route.say([
                "a new name": #"{"name":"There"}"#, "moves": #"{"lat":11,"lon":11}"#,
                "moves north alone": #"{"lat":12}"#,
                "wider": #"{"radius":400}"#, "too wide": #"{"radius":1e7}"#, "public": #"{"privacy":"public"}"#,
                "a family of others": #"{"privacy":"family_only","family":"lake"}"#, "nothing": "{}",
            ])
        },
        "DELETE /v1/named-places/{named_place}": { route in
            try await route.say("once")
            try await route.say("again")
        },
    ]
}

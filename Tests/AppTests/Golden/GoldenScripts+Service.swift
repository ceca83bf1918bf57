import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import TestSupport

extension GoldenScripts {
    static let service: [String: Script] = [
        "PUT /v1/service/auto-private": { route in
            let id = try await route.prepare(.post, "/v1/stories", #"{"kind":"photo","title":"A"}"#)["id"]?.string ?? ""
            try await route.say([
                "an account": #"{"auto_private":true,"user":"olga"}"#, "again": #"{"auto_private":true,"user":"olga"}"#,
                "no account": #"{"auto_private":true,"user":"never-was"}"#,
                "no id": #"{"auto_private":true,"user":"no id"}"#,
                "stories": #"{"auto_private":false,"stories":["\#(id)","\#(RoleStage.absent)","x"]}"#,
                "both": #"{"auto_private":true,"user":"olga","stories":[]}"#, "neither": #"{"auto_private":true}"#,
            ])
        },
        "GET /v1/service/reports": { route in
            try await route.ask(
                ["?status=new", "?status=reviewed", "?status=other", "?limit=1"],
                as: [.operatorKey, .operatorUser]
            )
        },
        "PATCH /v1/service/reports/{report}": { route in
            try await route.say([
                "reviewed": #"{"status":"reviewed"}"#, "again": #"{"status":"reviewed"}"#, "back": #"{"status":"new"}"#,
                "a note": #"{"note":"Seen."}"#, "no note": #"{"note":null}"#, "some other": #"{"status":"other"}"#,
                "dismissed": #"{"status":"dismissed"}"#, "nothing": "{}",
            ])
        },
        "GET /v1/service/outbox": { route in
            try await route.ask(
                [
                    "?state=waiting", "?state=dead", "?state=done", "?channel=\(RoleStage.absent)", "?before=2",
                    "?limit=1",
                ],
                as: [.operatorKey, .operatorUser]
            )
        },
        "POST /v1/service/outbox/replay": { route in
            try await route.say([
                "all": #"{"all":true}"#, "of a channel": #"{"all":true,"channel":"\#(RoleStage.absent)"}"#,
                "some": #"{"entries":[1,2]}"#, "none": #"{"entries":[]}"#, "both": #"{"all":true,"entries":[1]}"#,
                "neither": "{}", "some of a channel": #"{"entries":[1],"channel":"\#(RoleStage.absent)"}"#,
            ])
        },
        "POST /v1/notifications": { route in
            try await route.say([
                "good": """
                {"users":["olga","mia","never-was"],"type":"comment.new","title":"Hello","body":"You","key":"k",\
                "link":"https://example.org/a","details":{"a":"b"}}
                """,
                "again": #"{"users":["olga"],"type":"comment.new","title":"Hello","key":"k"}"#,
                "nobody": #"{"users":[],"type":"comment.new","title":"Hello"}"#,
                "several faults": #"{"users":["no id",1],"type":"No","title":" ","link":"x y","details":{"a":1}}"#,
                "a type of the service's": #"{"users":["olga"],"type":"nearby","title":"Hello"}"#,
                "an app's link": #"{"users":["olga"],"type":"a.b","title":"Hello","link":"myapp://a"}"#,
                "nothing to read": #"{"users":["olga"],"type":"a.b","title":"\u200b"}"#,
            ])
        },
    ]

    static let geocoders: [String: Script] = [
        "GET /v1/geocode": { route in
            try await route.ask([
                "?q=Atlanta,%20Georgia", "?q=30303", "?q=Sweet%20Auburn", "?q=Paris&country=fr", "?q=Paris&country=us",
                "?q=33.75,-84.39", "?q=nowhere-at-all", "?q=Atlanta&near=33.75,-84.37&limit=1",
                "?city=Atlanta&state=GA", "",
                "?q=Atlanta&city=Atlanta",
            ])
        },
        "GET /v1/suggest": { route in try await route.ask(["?q=Atl&limit=1", "?q=x", "?q=Sweet%20A", "?q=Ge"]) },
        "GET /v1/reverse": { route in
            try await route.ask(["?lat=33.7554&lon=-84.3736", "?lat=0&lon=0", "?lat=48.8&lon=2.3", "?lat=33.75"])
        },
        "GET /nominatim/search": { route in
            for format in ["json", "jsonv2", "geojson", "geocodejson", "xml", "yaml"] {
                for query in [
                    "q=Atlanta", "q=nowhere-at-all", "q=Paris&addressdetails=1&extratags=1&namedetails=1", "",
                ] {
                    try await route.ask(["?\(query)&format=\(format)"])
                }
            }
            try await route.ask([
                "?city=Atlanta&state=Georgia&country=us", "?q=Atlanta&city=Atlanta", "?postalcode=30303",
                "?q=Atlanta&limit=1",
                "?q=Atlanta&viewbox=-85,33,-84,34&bounded=1", "?q=Atlanta&viewbox=x", "?q=Atlanta&countrycodes=fr",
                "?q=Atlanta&json_callback=call", "?q=Atlanta&json_callback=1%2B1", "?q=Atlanta&exclude_place_ids=2",
                "?q=",
                "?q=Atlanta&polygon_geojson=1&format=jsonv2", "?q=Atlanta&accept-language=fr",
            ])
        },
        "GET /nominatim/reverse": { route in
            for format in ["json", "jsonv2", "geojson", "geocodejson", "xml", "yaml"] {
                for query in ["lat=33.7554&lon=-84.3736", "lat=0&lon=0", "lat=91&lon=0", "lat=33.7554"] {
                    try await route.ask(["?\(query)&format=\(format)"])
                }
            }
            try await route.ask((0...18).map { "?lat=33.7554&lon=-84.3736&zoom=\($0)" })
        },
        "GET /nominatim/lookup": { route in
            for format in ["json", "jsonv2", "geojson", "geocodejson", "xml", "yaml"] {
                try await route.ask([
                    "?osm_ids=N1,N2&format=\(format)", "?osm_ids=&format=\(format)", "?format=\(format)",
                ])
            }
        },
        "GET /nominatim/status": { route in try await route.ask(["?format=text", "?format=json", "?format=xml"]) },
        "GET /photon/api": { route in
            try await route.ask([
                "?q=Atlanta&limit=1", "?q=nowhere-at-all", "", "?q=", "?q=Atlanta&lat=33.75&lon=-84.39",
                "?q=Atlanta&lat=33.75",
                "?q=Atlanta&lang=fr", "?q=Atlanta&lang=xx", "?q=Atlanta&bbox=-85,33,-84,34", "?q=Atlanta&bbox=x",
                "?q=Atlanta&osm_tag=place", "?q=Atlanta&osm_tag=!place", "?q=Atlanta&layer=city",
                "?q=Atlanta&layer=moon",
                "?q=Atlanta&limit=x", "?q=Atlanta&unknown=1",
            ])
        },
        "GET /photon/reverse": { route in
            try await route.ask([
                "?lat=33.7554&lon=-84.3736", "?lat=0&lon=0", "?lat=91&lon=0", "?lat=x&lon=0", "?lat=33", "",
            ])
        },
        "GET /pelias/v1/search": { route in
            try await route.ask([
                "?text=Atlanta&size=1", "?text=nowhere-at-all", "", "?text=", "?text=Atlanta&layers=locality",
                "?text=Atlanta&layers=moon", "?text=Atlanta&boundary.country=FR", "?text=Atlanta&boundary.country=zz",
                "?text=Atlanta&focus.point.lat=33.75&focus.point.lon=-84.39", "?text=Atlanta&focus.point.lat=33.75",
                "?text=Atlanta&size=x", "?text=Atlanta&unknown=1",
            ])
        },
        "GET /pelias/v1/reverse": { route in
            try await route.ask([
                "?point.lat=33.7554&point.lon=-84.3736", "?point.lat=0&point.lon=0", "?point.lat=91&point.lon=0",
                "?point.lat=33",
                "", "?point.lat=33.7554&point.lon=-84.3736&layers=country",
            ])
        },
    ]

    static let addresses: [String: Script] = [
        "GET /healthz": { route in
            let origin = ["Origin": "https://app.example"]
            for path in [
                "/", "/assets/page.js", "/assets/none.js", "/sw.js", "/nothing", "/v1", "/v1/", "/v1/stories/",
                "//v1/stories", "/v1/../v1/me",
                "/v1/stories/a/b", "/v1/stories%2Fa", "/%00", "/v1/tiles/1/2/3.png",
            ] {
                for method in [HTTPRequest.Method.get, .head, .options, .post, .delete] {
                    try await route.say("\(method.rawValue) \(path)", method: method, path: path)
                }
                try await route.say("OPTIONS \(path) from a listed origin", origin, method: .options, path: path)
            }
            try await route.say("the page", ["Accept": "text/html"], path: "/")
            try await route.say("a file, packed", ["Accept-Encoding": "gzip"], path: "/assets/page.js")
            try await route.say("before a request from a listed origin", origin, method: .options, path: "/v1/stories")
            try await route.say(
                "before a request from another origin",
                ["Origin": "https://x.example"],
                method: .options
            )
            for host in ["a b", "[::1]:80", "-", "a/b"] { try await route.say("at \(host)", ["Host": host]) }
        }
    ]
}

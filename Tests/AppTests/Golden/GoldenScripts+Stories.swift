import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import TestSupport

extension GoldenScripts {
    static let stories: [String: Script] = [
        "POST /v1/stories": { route in
            try await route.say([
                "with everything": """
                {"kind":"interview","title":"At the mill","text":"The river.","date":"1936-05","tags":["blues","blues"],\
                "people":["Ida"],"collection":"summer","media_url":"https://example.org/a.jpg","alt":"A mill",\
                "privacy":"family_only","family":"north","client_id":"c-1","location":{"lat":33.7554,"lon":-84.3736,\
                "precision":"approximate","cell":0.01,"accuracy":20,"source":"gps","name":"The mill"}}
                """,
                "the client's id again": #"{"kind":"photo","title":"A","client_id":"c-1"}"#,
                "a client's id": #"{"kind":"photo","title":"A","client_id":"c-2"}"#,
                "the same once more": #"{"kind":"photo","title":"A","client_id":"c-2"}"#,
                "an unknown kind": #"{"kind":"No Kind","title":"A"}"#,
                "an extension kind": #"{"kind":"diary","title":"A"}"#,
                "several faults": #"{"kind":1,"title":"","tags":"a","surprise":1,"date":"soon"}"#,
                "a family of others": #"{"kind":"photo","title":"A","family":"lake"}"#,
                "a family that is none": #"{"kind":"photo","title":"A","family":"no id"}"#,
                "a script": #"{"kind":"photo","title":"A","media_url":"javascript:1"}"#,
                "no such day": #"{"kind":"photo","title":"A","date":"1936-02-30"}"#,
                "days backwards": #"{"kind":"photo","title":"A","date":"1940/1936"}"#,
                "a digest that is none": #"{"kind":"photo","title":"A","media_sha256":"abc"}"#,
                "a level that is none": #"{"kind":"photo","title":"A","privacy":"secret"}"#,
                "no longitude": #"{"kind":"photo","title":"A","location":{"lat":1}}"#,
                "beyond the pole": #"{"kind":"photo","title":"A","location":{"lat":91,"lon":0}}"#,
                "round the world": #"{"kind":"photo","title":"A","location":{"lat":1,"lon":361}}"#,
                "a cell of no size": #"{"kind":"photo","title":"A","location":{"lat":1,"lon":2,"cell":0.5}}"#,
                "a cell alone": #"{"kind":"photo","title":"A","location":{"lat":1,"lon":2,"cell":0.1}}"#,
                "no location": #"{"kind":"photo","title":"A","location":null}"#,
                "read out of the text":
                    #"{"kind":"photo","title":"A","location":{"lat":1,"lon":2,"source":"ai_extracted"}}"#,
            ])
            let made = try await route.prepare(.post, "/v1/stories", #"{"kind":"photo","title":"A","client_id":"c-3"}"#)
            try await route.prepare(.delete, "/v1/stories/\(made["id"]?.string ?? "")")
            try await route.say(
                "a client's id of a deleted story",
                body: #"{"kind":"photo","title":"A","client_id":"c-3"}"#
            )
        },
        "PUT /v1/stories/{id}/thumbnail": { route in
            try await route.say([
                "no bytes": "", "a drawing with a script": "<svg><script/></svg>",
                "a picture cut off": "RIFF\0\0\0\0WEBP", "another shade": SmallPicture.webp(7),
            ])
        },
        "GET /v1/stories/{id}": { route in
            for (name, location) in [
                ("hidden", #"{"lat":1.23456,"lon":2.34567,"precision":"hidden"}"#),
                ("approximate", #"{"lat":1.23456,"lon":2.34567,"precision":"approximate","cell":0.1}"#),
                ("exact for families", #"{"lat":1.2,"lon":2.3,"precision":"hidden","family_sees_exact":true}"#),
                ("nowhere", "null"),
            ] {
                let body =
                    #"{"kind":"photo","title":"A","date":"1936-05-17","privacy":"public","location":\#(location)}"#
                route.use(["id": try await route.prepare(.post, "/v1/stories", body)["id"]?.string ?? ""])
                for role in [Role.owner, .member, .stranger, .anonymous, .service] {
                    try await route.say(name, as: role)
                }
            }
        },
        "GET /stories/{id}": { route in
            for (name, fields) in [
                ("nowhere", #""title":"A""#),
                (
                    "with everything",
                    #"""
                    "title":"<b>At</b> the mill & \"river\"","text":"One.\n\nTwo\nlines.","date":"1936-05","tags":["blues"],\#
                    "people":["Ida"],"mentions":["Rome"],"collection":"summer","alt":"A mill",\#
                    "media_url":"https://example.org/a.mp3","location":{"lat":1.23456,"lon":2.34567,"accuracy":80,\#
                    "name":"The mill","city":"Gordes"}
                    """#
                ),
                ("approximate", #""title":"A","location":{"lat":1.2,"lon":2.3,"precision":"approximate","cell":0.1}"#),
                (
                    "exact for families",
                    #""title":"A","location":{"lat":1.2,"lon":2.3,"precision":"hidden","family_sees_exact":true}"#
                ),
                ("for the family", #""title":"A","privacy":"family_only""#),
            ] {
                let body = #"{"kind":"photo",\#(fields)}"#
                route.use(["id": try await route.prepare(.post, "/v1/stories", body)["id"]?.string ?? ""])
                for role in [Role.owner, .member, .stranger, .anonymous, .service] {
                    try await route.say(name, as: role)
                }
            }
        },
        "PATCH /v1/stories/{id}": { route in
            let tag = try await route.say("a new title").fields[.eTag] ?? ""
            try await route.say("the version it is", ["If-Match": tag], body: #"{"title":"C"}"#)
            try await route.say("the version it was", ["If-Match": tag], body: #"{"title":"D"}"#)
            try await route.say([
                "blank": #"{"title":" "}"#, "clears": #"{"text":null,"date":null,"tags":null,"location":null}"#,
                "moves": #"{"location":{"lat":50,"lon":8}}"#, "moves north alone": #"{"location":{"lat":51}}"#,
                "clears what must be": #"{"title":null,"kind":null}"#, "to the family": #"{"privacy":"family_only"}"#,
                "to another family": #"{"family":"lake"}"#, "another id": #"{"id":"x"}"#,
                "a client's id": #"{"client_id":"late"}"#,
            ])
            try await route.say("somebody else's", as: .member)
        },
        "DELETE /v1/stories/{id}": { route in
            try await route.say("once")
            try await route.say("again")
        },
        "PUT /v1/stories/{id}/location": { route in
            try await route.say([
                "here": #"{"lat":33.75,"lon":-84.39}"#, "hidden": #"{"lat":1,"lon":2,"precision":"hidden"}"#,
                "without a longitude": #"{"lat":1}"#,
                "a precision that is none": #"{"lat":1,"lon":2,"precision":"about"}"#,
                "by a machine": #"{"lat":1,"lon":2,"source":"ai_extracted"}"#,
                "a name of two lines": #"{"lat":1,"lon":2,"name":"a\nb"}"#,
            ])
            try await route.prepare(.delete, "/v1/stories/{id}/location")
            try await route.say(
                "by a machine, after it was removed",
                body: #"{"lat":1,"lon":2,"source":"ai_extracted"}"#
            )
        },
        "DELETE /v1/stories/{id}/location": { route in
            try await route.say("once")
            try await route.say("again")
        },
        "PUT /v1/stories/{id}/privacy": { route in
            try await route.say([
                "public": #"{"privacy":"public"}"#, "again": #"{"privacy":"public"}"#,
                "one family": #"{"privacy":"family_only","family":"north"}"#,
                "a family of others": #"{"privacy":"family_only","family":"lake"}"#,
                "a family but private": #"{"privacy":"private","family":"north"}"#, "secret": #"{"privacy":"secret"}"#,
            ])
        },
    ]

    static let batches: [String: Script] = [
        "POST /v1/stories/batch": { route in
            let id = try await route.prepare(.post, "/v1/stories", #"{"kind":"photo","title":"A"}"#)["id"]?.string ?? ""
            let other =
                try await
                route
                .prepare(
                    .post,
                    "/v1/stories",
                    as: "mia",
                    #"{"kind":"photo","title":"Hers","privacy":"public"}"#
                )["id"]?
                .string ?? ""
            let items = [
                #"{"op":"create","client_id":"b-1","story":{"kind":"photo","title":"B"}}"#,
                #"{"op":"create","client_id":"b-1","story":{"kind":"photo","title":"B"}}"#,
                #"{"op":"create","client_id":"b-1","story":{"kind":"photo","title":"Other"}}"#,
                #"{"op":"create","client_id":"b-2","story":{"kind":"photo","title":"B","client_id":"b-3"}}"#,
                #"{"op":"create","story":{"kind":"No Kind","title":"","surprise":1}}"#, #"{"op":"create"}"#,
                #"{"op":"update","id":"\#(id)","story":{"title":"C"}}"#,
                #"{"op":"update","id":"\#(id)","if_match":"\"old\"","story":{"title":"D"}}"#,
                #"{"op":"update","id":"\#(id)","story":{"title":" "}}"#, #"{"op":"update","story":{"title":"E"}}"#,
                #"{"op":"update","client_id":"b-1","story":{"title":"F"}}"#,
                #"{"op":"update","id":"\#(other)","story":{"title":"Mine"}}"#,
                #"{"op":"update","id":"\#(RoleStage.absent)","story":{"title":"Mine"}}"#,
                #"{"op":"delete","id":"\#(other)"}"#, #"{"op":"delete","id":"\#(id)"}"#,
                #"{"op":"delete","id":"\#(id)"}"#,
                #"{"op":"delete","client_id":"never"}"#, #"{"op":"move","id":"\#(id)"}"#, "1", "{}", "null",
            ]
            try await route.say("items of every sort", body: #"{"items":[\#(items.joined(separator: ","))]}"#)
            for (index, item) in items.enumerated() {
                try await route.say("item \(index)", body: #"{"items":[\#(item)]}"#)
            }
            let collections = [
                #"{"op":"create_collection","collection":{"title":"Trip"}}"#,
                #"{"op":"create_collection","collection":{"title":"Trip"}}"#,
                #"{"op":"create_collection","collection":{"title":"Trip","text":"To the sea"}}"#,
                #"{"op":"create_collection","collection":{"title":"Ours","family":"lake"}}"#,
                #"{"op":"order_collection","title":"Trip","stories":["\#(other)"]}"#,
                #"{"op":"order_collection","title":"Trip","stories":[]}"#, #"{"op":"delete_collection"}"#,
                #"{"op":"delete_collection","title":"Trip"}"#,
                #"{"op":"delete_collection","id":"\#(RoleStage.absent)"}"#,
            ]
            try await route.say("collections", body: #"{"items":[\#(collections.joined(separator: ","))]}"#)
            try await route.say(
                "items of every sort, as somebody else",
                as: .member,
                body: #"{"items":[\#(items[6])]}"#
            )
        }
    ]

    static let proposals: [String: Script] = [
        "POST /v1/me/location-proposals/{proposal}/confirm": { route in
            try await route.say("once")
            try await route.say("again")
        },
        "POST /v1/me/location-proposals/{proposal}/reject": { route in
            try await route.say("once")
            try await route.say("again")
        },
    ]

    static let reactions: [String: Script] = [
        "PUT /v1/stories/{id}/hide": { route in
            try await route.say("once")
            try await route.say("again")
            try await route.say("one's own", as: .member)
        },
        "DELETE /v1/stories/{id}/hide": { route in
            try await route.prepare(.put, "/v1/stories/{id}/hide")
            try await route.say("once")
            try await route.say("again")
        },
        "PUT /v1/stories/{id}/favourite": { route in try await route.say("again") },
        "POST /v1/stories/{id}/viewed": { route in try await route.say("again") },
        "POST /v1/stories/{id}/report": { route in
            try await route.say([
                "once": #"{"reason":"spam","text":"It sells."}"#, "again": #"{"reason":"spam"}"#,
                "for another reason": #"{"reason":"privacy"}"#, "for no reason": #"{"reason":"dull"}"#,
            ])
            try await route.say("one's own", as: .member)
            try await route.say("as a stranger", as: .stranger)
        },
    ]
}

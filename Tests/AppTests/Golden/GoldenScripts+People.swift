import App
import Library
import Formats
import HTTPTypes
import Storage
import Stories
import TestSupport

extension GoldenScripts {
    static let families: [String: Script] = [
        "POST /v1/families": { route in
            try await route.say([
                "blank": #"{"name":" "}"#, "two lines": #"{"name":"a\nb"}"#, "again": #"{"name":"New"}"#,
            ])
        },
        "DELETE /v1/families/{family}": { route in
            try await route.say("once")
            try await route.say("again")
        },
        "PATCH /v1/families/{family}/members/{user}": { route in
            try await route.say([
                "to owner": #"{"role":"owner"}"#, "to owner again": #"{"role":"owner"}"#,
                "to admin": #"{"role":"admin"}"#,
                "to king": #"{"role":"king"}"#,
            ])
            let family = try await route.prepare(.post, "/v1/families", #"{"name":"Alone"}"#)["id"]?.string ?? ""
            route.use(["family": family, "user": "olga"])
            try await route.say("the last owner steps down", body: #"{"role":"member"}"#)
        },
        "DELETE /v1/families/{family}/members/{user}": { route in
            try await route.say("once")
            try await route.say("again")
            let family = try await route.prepare(.post, "/v1/families", #"{"name":"Alone"}"#)["id"]?.string ?? ""
            route.use(["family": family, "user": "olga"])
            try await route.say("the last owner leaves")
        },
    ]

    static let invitations: [String: Script] = [
        "POST /v1/families/{family}/invitations": { route in
            let guests = [
                #"{"user":"sue"}"#, #"{"user":"sue"}"#, #"{"user":"olga"}"#, #"{"user":"xia"}"#, #"{"user":"no id"}"#,
                #"{"email":"Guest@Example.org"}"#, #"{"email":"guest@example.org"}"#, #"{"email":"none"}"#,
                #"{"user":"a","email":"a@example.org"}"#, "{}", #"{"user":"b","role":"admin"}"#,
                #"{"user":"b","role":"owner"}"#, #"{"user":"b","role":"king"}"#,
            ]
            for guest in guests { try await route.say(guest, body: #"{"invitations":[\#(guest)]}"#) }
            try await route.say("several", body: #"{"invitations":[\#(guests[0]),\#(guests[2]),\#(guests[4])]}"#)
            for _ in 1...8 { try await route.say("often", body: #"{"invitations":[{"email":"often@example.org"}]}"#) }
        },
        "POST /v1/families/{family}/invitations/{invitation}/resend": { route in
            for _ in 1...6 { try await route.say("often") }
        },
        "DELETE /v1/families/{family}/invitations/{invitation}": { route in
            try await route.say("once")
            try await route.say("again")
        },
        "GET /v1/families/{family}/invitations": { route in
            let guests = #"{"invitations":[{"user":"sue"},{"email":"guest@example.org","role":"admin"}]}"#
            try await route.prepare(.post, "/v1/families/{family}/invitations", guests)
            try await route.say("two")
            route.stage.world.clock.advance(seconds: 60 * 86_400)
            try await route.say("expired")
        },
        "POST /v1/invitations/{invitation}/accept": { route in try await answer(&route) },
        "POST /v1/invitations/{invitation}/decline": { route in try await answer(&route) },
    ]

    /// An invitation that is answered twice, one that was taken back, one that was declined, one by its token, and one that
    /// expired.
    private static func answer(_ route: inout GoldenRoute) async throws {
        try await route.say("once")
        try await route.say("again")
        let family =
            try await route.prepare(.post, "/v1/families", as: "mia", #"{"name":"Guests"}"#)["id"]?.string ?? ""
        for (name, guest, end) in [
            ("taken back", #"{"user":"olga"}"#, "cancel"), ("declined", #"{"user":"olga"}"#, "decline"),
            ("by its link", #"{"email":"x@example.org"}"#, ""), ("sent again", #"{"email":"y@example.org"}"#, "resend"),
            ("expired", #"{"user":"olga"}"#, "expire"),
        ] {
            let made = try await route.prepare(
                .post,
                "/v1/families/\(family)/invitations",
                as: "mia",
                #"{"invitations":[\#(guest)]}"#
            )
            let outcome = made.object?.values.compactMap(\.array).first?.first
            let id = outcome?["invitation"]?["id"]?.string ?? ""
            let link = outcome?["link"]?.string ?? outcome?["token"]?.string ?? id
            route.use(["invitation": String(link.split(separator: "/").last ?? "")])
            switch end {
            case "cancel": try await route.prepare(.delete, "/v1/families/\(family)/invitations/\(id)", as: "mia")
            case "decline": try await route.prepare(.post, "/v1/invitations/\(id)/decline")
            case "resend": try await route.prepare(.post, "/v1/families/\(family)/invitations/\(id)/resend", as: "mia")
            case "expire": route.stage.world.clock.advance(seconds: 60 * 86_400)
            default: break
            }
            try await route.say(name)
            try await route.say("\(name), again")
        }
    }

    static let accounts: [String: Script] = [
        "GET /v1/me": { route in
            for header in [
                "Basic YTpi", "Bearer", "Bearer a b", "Bearer a.b.c", "Bearer wmk_12345678_nothing", "bearer nonsense",
            ] {
                try await route.say(header, ["Authorization": header])
            }
            for name in ["no id", "", "unknown"] {
                try await route.say("for '\(name)'", as: .service, naming: .user(name))
            }
            try await route.say("for a user perhaps", as: .service, ["Waymark-User-Create": "maybe"])
            let token = route.stage.authorizations[.owner] ?? ""
            try await route.say(
                "with a bit changed",
                ["Authorization": String(token.dropLast()) + (token.hasSuffix("A") ? "B" : "A")]
            )
            route.stage.world.clock.advance(seconds: 11 * 365 * 86_400)
            try await route.say("with an old token")
        },
        "PATCH /v1/me": { route in
            try await route.say([
                "blank": #"{"name":" "}"#, "two lines": #"{"name":"a\nb"}"#, "no address": #"{"email":"none"}"#,
                "an address": #"{"email":"Olga@Example.org"}"#, "no address any more": #"{"email":null}"#,
                "two faults": #"{"name":"","email":"none"}"#,
            ])
            try await route.say("as somebody new", as: .operatorUser, body: #"{"name":"Opal"}"#)
        },
        "POST /v1/me/keys": { route in
            try await route.say([
                "for a device": #"{"name":"P","device":"phone"}"#, "for thirty days": #"{"name":"P","days":30}"#,
                "for a device with scopes": #"{"name":"P","device":"phone","scopes":["stories:read"]}"#,
                "with a scope": #"{"name":"P","scopes":["stories:read"]}"#,
                "with a scope that is none": #"{"name":"P","scopes":["everything"]}"#,
                "with a scope that one lacks": #"{"name":"P","scopes":["admin:ops"]}"#,
                "with none": #"{"name":"P","scopes":[]}"#,
                "two lines": #"{"name":"a\nb"}"#,
            ])
        },
        "POST /v1/me/owntracks": { route in
            try await route.say([
                "for a phone": #"{"name":"P","device":"phone"}"#, "without a device": #"{"name":"P"}"#,
                "two lines": #"{"name":"a\nb","device":"phone"}"#,
                "a device that is none": #"{"name":"P","device":""}"#,
            ])
        },
        "DELETE /v1/me/keys/{key}": { route in
            try await route.say("once")
            try await route.say("again")
        },
        "DELETE /v1/me/sessions": { route in
            try await route.say("all", as: .member, query: "")
            try await route.say("with an ended token", as: .member, query: "")
        },
        "DELETE /v1/me": { route in
            for role in [Role.former, .owner, .stranger] {
                try await route.say("all of it", as: role, query: "")
                try await route.say("with an ended token", as: role, query: "")
            }
            try await route.say("for somebody", as: .service, query: "", naming: .user("mia"))
        },
        "DELETE /v1/me/location-data": { route in
            try await route.say("once")
            try await route.say("again")
        },
        "DELETE /v1/me/consents": { route in
            try await route.say("once")
            try await route.say("again")
            for kind in ["location", "other"] { try await route.say(kind, query: "?kind=\(kind)") }
        },
        "POST /v1/tokens/refresh": { route in
            guard let mia = UserID("mia") else { return }
            route.beginPreparation()
            let pair = try await route.stage.world.accounts.signIn(mia)
            let body = #"{"refresh_token":"\#(pair.refresh)"}"#
            try await route.say("good", as: .anonymous, body: body)
            try await route.say("good, again", as: .anonymous, body: body)
            route.stage.world.clock.advance(seconds: 31)
            try await route.say("used", as: .anonymous, body: body)
            try await route.say("used, again", as: .anonymous, body: body)
            try await route.say("an access token", as: .anonymous, body: #"{"refresh_token":"\#(pair.access)"}"#)
        },
        "POST /v1/tokens/revoke": { route in
            guard let mia = UserID("mia") else { return }
            route.beginPreparation()
            let pair = try await route.stage.world.accounts.signIn(mia)
            try await route.say("good", as: .anonymous, body: #"{"refresh_token":"\#(pair.refresh)"}"#)
            try await route.say("again", as: .anonymous, body: #"{"refresh_token":"\#(pair.refresh)"}"#)
        },
    ]

    static let channels: [String: Script] = [
        "POST /v1/me/channels": { route in
            try await route.say([
                "once": #"{"kind":"webhook","target":{"url":"https://example.org/a"},"name":"Mine"}"#,
                "again": #"{"kind":"webhook","target":{"url":"https://example.org/a"}}"#,
                "by mail": #"{"kind":"email","target":{"address":"a@example.org"}}"#,
                "by mail to nobody": #"{"kind":"email","target":{"address":"none"}}"#,
                "by mail, without": #"{"kind":"email","target":{}}"#, "by pigeon": #"{"kind":"pigeon","target":{}}"#,
                "plain": #"{"kind":"webhook","target":{"url":"http://example.org/a"}}"#,
                "at home": #"{"kind":"webhook","target":{"url":"https://127.0.0.1/a"}}"#,
                "with a name in it": #"{"kind":"webhook","target":{"url":"https://a:b@example.org/"}}"#,
                "no address": #"{"kind":"webhook","target":{"url":"none"}}"#,
                "more than that": #"{"kind":"webhook","target":{"url":"https://example.org/b","colour":"red"}}"#,
                "by ntfy": #"{"kind":"ntfy","target":{"url":"https://ntfy.example/topic"}}"#,
                "by APNs": #"{"kind":"apns","target":{"token":"00"}}"#,
                "by FCM": #"{"kind":"fcm","target":{"token":"t"}}"#,
                "by a browser":
                    #"{"kind":"webpush","target":{"endpoint":"https://push.example/1","p256dh":"x","auth":"y"}}"#,
            ])
            for number in 1...21 {
                try await route.say(
                    "one more",
                    as: .member,
                    body: #"{"kind":"webhook","target":{"url":"https://example.org/\#(number)"}}"#
                )
            }
        },
        "PATCH /v1/me/channels/{channel}": { route in
            try await route.say([
                "off": #"{"enabled":false}"#, "on": #"{"enabled":true}"#, "another name": #"{"name":"Other"}"#,
                "no name": #"{"name":null}"#, "nothing": "{}",
            ])
        },
        "DELETE /v1/me/channels/{channel}": { route in
            try await route.say("once")
            try await route.say("again")
        },
        "POST /v1/me/channels/{channel}/verify": { route in
            try await route.say("with a code", body: #"{"code":"12345678"}"#)
            try await mailbox(&route)
            for _ in 1...11 { try await route.say("with a wrong code, by mail", body: #"{"code":"12345678"}"#) }
            try await route.say("a new code, by mail")
            try await route.say("a new code, by mail, again")
        },
        "POST /v1/me/channels/{channel}/rotate": { route in
            try await route.say("once")
            try await route.say("again")
            try await mailbox(&route)
            try await route.say("by mail")
        },
        "POST /v1/me/channels/{channel}/test": { route in
            try await mailbox(&route)
            try await route.say("by mail")
            let body = #"{"kind":"ntfy","target":{"url":"https://ntfy.example/topic"}}"#
            let made = try await route.stage.answer(
                GoldenAsk(variant: "", body: body),
                .post,
                "/v1/me/channels",
                as: .owner
            )
            guard let id = made.json["id"]?.string else { return }
            route.use(["channel": id])
            try await route.say("by ntfy")
            try await route.prepare(.patch, "/v1/me/channels/{channel}", #"{"enabled":false}"#)
            try await route.say("switched off")
        },
    ]

    /// Makes the next requests be about an e-mail address that is not proven.
    private static func mailbox(_ route: inout GoldenRoute) async throws {
        try await route.renew()
        let body = #"{"kind":"email","target":{"address":"box@example.org"}}"#
        let made = try await route.prepare(.post, "/v1/me/channels", body)
        route.use(["channel": made["id"]?.string ?? ""])
    }
}

extension TwinReply {
    /// The body as JSON; null when it is none.
    var json: JSONValue { (try? JSONValue(parsing: bytes, limits: .init(bytes: .max))) ?? .null }
}

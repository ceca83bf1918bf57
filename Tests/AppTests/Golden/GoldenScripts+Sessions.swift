import Library
import Formats
import Stories

extension GoldenScripts {
    /// The header that the page sends.
    private static let page = ["Waymark-Page": "1"]

    /// What the routes of the page's sessions refuse, and the answers to visitors and to sign-ins that fail.
    static let sessions: [String: Script] = [
        "GET /v1/session": { route in
            try await route.say("with a cookie that is none", as: .anonymous, ["Cookie": "waymark_session=none"])
            try await route.say(
                "with two cookies",
                as: .anonymous,
                ["Cookie": "waymark_session=a; waymark_session=b"]
            )
        },
        "POST /v1/session": { route in
            for body in [
                "{}", #"{"code":"none"}"#, #"{"code":"0000000000"}"#, #"{"token":"none"}"#, #"{"demo_user":"olga"}"#,
                #"{"code":"0000000000","token":"none"}"#,
            ] {
                try await route.say(body, as: .anonymous, page, body: body)
            }
            try await route.say(
                "of another origin",
                as: .anonymous,
                ["Waymark-Page": "1", "Origin": "https://a.example"]
            )
            try await route.say(
                "of another site",
                as: .anonymous,
                ["Waymark-Page": "1", "Sec-Fetch-Site": "cross-site"]
            )
        },
        "DELETE /v1/session": { route in try await route.say("of the page", as: .anonymous, page) },
        "POST /v1/session/code": { route in
            try await route.say("unknown", as: .anonymous, page, body: #"{"code":"0000000000"}"#)
        },
        "POST /v1/session/email": { route in
            try await route.say("without a mail server", as: .anonymous, page)
            try await route.say("no address", as: .anonymous, page, body: #"{"email":"none@"}"#)
        },
        "POST /v1/session/passkey": { route in
            try await route.say("with an unknown ticket", as: .anonymous, page)
            try await route.say("without a signature", as: .anonymous, page, body: #"{"ticket":"none"}"#)
        },
        "DELETE /v1/me/passkeys/{passkey}": { route in
            try await route.say("once")
            try await route.say("again")
        },
        "DELETE /v1/me/sessions/{session}": { route in
            try await route.say("once")
            try await route.say("again")
        },
        "POST /v1/invitations/{invitation}/join": { route in
            try await route.say("unknown", as: .anonymous, page)
            try await route.say("blank", as: .anonymous, page, body: #"{"name":" "}"#)
            try await route.say("with an account", page)
        },
    ]
}

import Library
import Formats
import Stories

extension GoldenScripts {
    /// What the routes of share links refuse.
    static let sharing: [String: Script] = [
        "POST /v1/me/share-links": { route in
            let absent = RoleStage.absent
            for body in [
                "{}", "{\"collection\":\"\(absent)\"}", "{\"story\":\"\(absent)\",\"collection\":\"\(absent)\"}",
                "{\"story\":\"\(absent)\",\"days\":0}", "{\"story\":\"\(absent)\",\"days\":366}",
                "{\"story\":\"\(absent)\",\"precision\":\"near\"}", #"{"story":"none"}"#,
            ] {
                try await route.say(body, body: body)
            }
        },
        "DELETE /v1/me/share-links/{link}": { route in
            try await route.say("once")
            try await route.say("again")
        },
    ]
}

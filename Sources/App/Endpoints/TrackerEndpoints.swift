import Web
import Library
import Formats
import HTTPTypes
import Storage
import Stories

/// The route that sets a phone's app up to send its positions.
struct TrackerEndpoints: Sendable {
    let accounts: Accounts
    let address: PublicAddress

    var all: [Endpoint] { [setUpOwnTracks] }

    private var setUpOwnTracks: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/me/owntracks",
            name: "setUpOwnTracks",
            summary: """
                Creates a device key, and returns it as a link and a QR code that set the OwnTracks app up to send \
                that device's positions here. All three are shown only once.
                """,
            access: .user,
            scope: .accountManage,
            cost: .normal,
            body: .init(schema: "OwnTracksInput", maxBytes: 16_384),
            success: [
                .init(
                    status: .created,
                    mediaType: MediaType.json,
                    schema: .named("OwnTracksSetup"),
                    description: "The key with the link and the QR code."
                )
            ],
            handler: { call in
                let device = call.body?["device"]?.string ?? ""
                let user = try call.user
                let name = try call.displayName("name")
                try AccountEndpoints.checkMayMakeDeviceKey(call)
                let request = Accounts.KeyRequest(holder: .device(user, device), name: name, days: nil)
                let made = try await accounts.keyWithinLimit(request)
                let base = address.url(authority: call.authority, headers: call.headers)
                let link = OwnTracksSetup(
                    url: "\(base)/ingest/owntracks",
                    user: user.rawValue,
                    device: device,
                    key: made.text
                )
                .link
                var json = JSONWriter(capacity: 24_000)
                json.beginObject()
                AccountJSON.writeMembers(of: made.key, text: made.text, to: &json)
                json.member("link", link)
                json.member("qr_code", QRCode(link)?.svg)
                json.endObject()
                return Answer(
                    status: .created,
                    headers: [.location: "/v1/me/keys/\(made.key.id)"],
                    body: json.bytes
                )
            }
        )
    }
}

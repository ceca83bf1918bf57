import Formats

/// What sets the OwnTracks app up to send a device's positions to this service.
struct OwnTracksSetup: Sendable {
    /// The address to which the app posts.
    let url: String
    /// The user, whose name the service does not look at.
    let user: String
    /// The device of the key.
    let device: String
    /// The text of the device key.
    let key: String

    /// The link that the app opens and takes its settings from
    /// (https://owntracks.org/booklet/features/remoteconfig/).
    var link: String {
        // In a query, a plus stands for a space.
        let inline = Base64.encode(configuration)
            .replacing("+", with: "%2B")
            .replacing("/", with: "%2F")
            .replacing("=", with: "%3D")
        return "owntracks:///config?inline=\(inline)"
    }

    /// The settings (https://owntracks.org/booklet/tech/json/#_typeconfiguration): mode 3 is HTTP, and monitoring 1
    /// sends significant changes, which spares the battery.
    private var configuration: [UInt8] {
        var json = JSONWriter(capacity: 300)
        json.beginObject()
        json.member("_type", "configuration")
        json.member("mode", 3)
        json.member("url", url)
        json.member("auth", true)
        json.member("username", user)
        json.member("password", key)
        json.member("deviceId", device)
        json.member("tid", String(device.prefix(2)))
        json.member("monitoring", 1)
        json.endObject()
        return json.bytes
    }
}

import Web
import Library
import Formats
import HTTPTypes
import Stories

/// The route for the app of uLogger, which expects its server below the address that it is given.
///
/// The app signs in with a name and a password, and has a cookie from then on. Here the password is a device key, and
/// the cookie is the same key: nothing is stored for it, and revoking the key ends both.
extension IngestEndpoints {
    /// The name of the cookie, which is sent to this route alone.
    private static let cookieName = "waymark_ulogger"
    private static let folder = "/ingest/ulogger"

    var uLogger: Endpoint {
        Endpoint(
            method: .post,
            path: IngestEndpoints.folder + "/client/index.php",
            name: "ingestULogger",
            summary: """
                Accepts positions of the uLogger app, whose server is /ingest/ulogger and whose password is a device \
                key. The user name is not looked at.
                """,
            access: .user,
            scope: .fixesWrite,
            cost: .normal,
            isLenient: true,
            body: .init(
                schema: "AppMessage",
                maxBytes: IngestEndpoints.batchBytes,
                isRaw: true,
                mediaType: MediaType.form,
                otherTypes: [MediaType.octets]
            ),
            credential: { _ in nil },
            keyAdvice: IngestEndpoints.advice("the password in uLogger (Settings, Password)"),
            bodyCredential: { IngestEndpoints.form($0)["pass"]?.first },
            keyCookie: IngestEndpoints.cookieName,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .object([
                        .init("error", .boolean, required: true),
                        .init("trackid", .integer(1...1), "The track that the app asked for; there is only one."),
                    ]),
                    description: "What the app asked for was done."
                )
            ],
            refusalTypes: [MediaType.text],
            handler: { call in
                let values = try IngestEndpoints.single(IngestEndpoints.form(call.bytes))
                switch values["action"] {
                case "auth":
                    let url = address.url(authority: call.authority, headers: call.headers)
                    return Answer(
                        headers: IngestEndpoints.cookie(holding: values["pass"], isSecure: url.hasPrefix("https://")),
                        body: Array(#"{"error":false}"#.utf8)
                    )
                case "addtrack":
                    return Answer(body: Array(#"{"error":false,"trackid":1}"#.utf8))
                case "addpos":
                    try await report(IngestEndpoints.position(values, now: library.now()), from: nil, call)
                    return Answer(body: Array(#"{"error":false}"#.utf8))
                default:
                    throw Problem.parameter("action", "must be auth, addtrack or addpos")
                }
            }
        )
    }

    /// Returns the position in a form, in metres per second; what cannot be read is acknowledged like the rest.
    private static func position(_ values: [String: String], now: Timestamp) -> DeviceMessage {
        var values = values
        values["speed_unit"] = OsmAndMessage.SpeedUnit.metresPerSecond.rawValue
        var message = DeviceMessage()
        do {
            if let report = try OsmAndMessage.read(values, now: now) {
                message.reports = [report]
            } else {
                message.ignore(.invalid)
            }
        } catch {
            message.ignore(error.isPosition ? .position : .time)
        }
        return message
    }

    /// Returns the header that gives the app its key as a cookie; none if it sent the key otherwise.
    private static func cookie(holding key: String?, isSecure: Bool) -> HTTPFields {
        guard let key, key.hasPrefix(SecretText.Kind.key.rawValue), key.utf8.allSatisfy(isPlain) else { return [:] }
        let secure = isSecure ? "; Secure" : ""
        return [.setCookie: "\(cookieName)=\(key); Path=\(folder); HttpOnly; SameSite=Strict\(secure)"]
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

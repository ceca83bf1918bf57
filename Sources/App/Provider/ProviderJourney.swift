package import Library
import Formats
package import OpenID
package import Stories

/// A sign-in on its way to the provider and back: kept sealed in a cookie of the browser, and nowhere else.
///
/// So an answer of the provider means something in that browser alone, and nobody fills this service's memory by
/// beginning sign-ins.
package struct ProviderJourney: Sendable {
    /// What the person wants.
    package enum Purpose: Sendable {
        /// To sign in.
        case signIn
        /// To link their account at the provider to the one in which they are signed in, in this session.
        case link(UserID, session: String)
        /// To follow the link of an invitation.
        case join(InvitationToken)
    }

    /// The time until the person has to be back, in seconds.
    package static let seconds = 600

    /// The secrets of the attempt.
    package let attempt: SignInAttempt
    /// What the person wants.
    package let purpose: Purpose
    /// Where the person goes afterwards.
    package let next: OwnPath
    /// When the journey began.
    package let startedAt: Timestamp

    /// Creates a journey.
    package init(attempt: SignInAttempt, purpose: Purpose, next: OwnPath, startedAt: Timestamp) {
        self.attempt = attempt
        self.purpose = purpose
        self.next = next
        self.startedAt = startedAt
    }

    private static let id = "journey"

    /// Returns the value of the cookie.
    package func sealed(with seal: RowSeal, random: RandomSource) throws -> String {
        var json = JSONWriter(capacity: 400)
        json.beginObject()
        json.member("state", attempt.state)
        json.member("nonce", attempt.nonce)
        json.member("verifier", attempt.verifier)
        json.member("next", next.text)
        json.member("started_ms", Int(startedAt.milliseconds))
        switch purpose {
        case .signIn: break
        case .link(let user, let session):
            json.member("user", user.rawValue)
            json.member("session", session)
        case .join(let token): json.member("invitation", token.text)
        }
        json.endObject()
        return Base64.encodeURL(try seal.seal(json.bytes, of: ProviderJourney.id, random: random))
    }

    /// Opens the value of a cookie; `nil` if it is none of ours, or of a journey that took too long.
    package init?(opening text: String, with seal: RowSeal, at now: Timestamp) {
        guard text.utf8.count <= 4_000, let sealed = Base64.decodeURL(text.utf8),
            let bytes = seal.open(sealed, of: ProviderJourney.id), let json = try? JSONValue(parsing: bytes),
            let state = json["state"]?.string, let nonce = json["nonce"]?.string,
            let verifier = json["verifier"]?.string, let next = json["next"]?.string.flatMap({ OwnPath($0) }),
            let started = json["started_ms"]?.integer.map({ Timestamp(milliseconds: Int64($0)) })
        else { return nil }
        let end = started.advanced(byMilliseconds: Int64(ProviderJourney.seconds) * 1_000)
        guard started <= now, now < end else { return nil }
        attempt = SignInAttempt(state: state, nonce: nonce, verifier: verifier)
        self.next = next
        startedAt = started
        if let user = json["user"]?.string {
            guard let user = UserID(user), let session = json["session"]?.string else { return nil }
            purpose = .link(user, session: session)
        } else if let invitation = json["invitation"]?.string {
            guard let token = InvitationToken(invitation) else { return nil }
            purpose = .join(token)
        } else {
            purpose = .signIn
        }
    }
}

/// A path of this service to which a browser may be sent, with query and fragment.
///
/// It cannot lead elsewhere: browsers read `//host` and `/\host` as another host, and drop tabs and line feeds.
package struct OwnPath: Hashable, Sendable {
    /// The maximum length in bytes.
    package static let mostBytes = 1_000
    /// The map.
    package static let map = OwnPath(unchecked: "/")

    /// The path.
    package let text: String

    private init(unchecked text: String) { self.text = text }

    /// Reads a path; `nil` for one that could lead elsewhere, or back to signing in.
    package init?(_ text: String) {
        guard text.utf8.count <= OwnPath.mostBytes, text.hasPrefix("/"), !text.hasPrefix("//"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
            !text.hasPrefix("/signin"), !OwnPath.isRelative(text.prefix { $0 != "?" && $0 != "#" })
        else { return nil }
        self.text = text
    }

    /// Returns whether browsers shorten a path: `/./signin` is `/signin` to them, and `/..//host` is `//host`.
    private static func isRelative(_ path: Substring) -> Bool {
        path.dropFirst().lowercased().split(separator: "/", omittingEmptySubsequences: false)
            .contains { segment in
                let plain = segment.replacing("%2e", with: ".")
                return plain == "." || plain == ".."
            }
    }

    /// Returns the path with a field in its fragment, which the page takes out again.
    ///
    /// Other pages than the map know no such fields.
    package func marked(_ field: String) -> OwnPath {
        guard ["", "?", "#"].contains(text.dropFirst().prefix(1)) else { return self }
        return OwnPath(unchecked: text + (text.contains("#") ? "&" : "#") + field)
    }
}

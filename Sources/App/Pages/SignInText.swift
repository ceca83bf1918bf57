/// The texts of the pages that people see on their way to a provider and back.
enum SignInText: Sendable {
    case notSignedIn
    case notLinked
    case notOffered
    case outage(provider: String)
    case denied(provider: String)
    case lost
    case clocks(provider: String)
    case distrusted(provider: String)
    case unknown(provider: String)
    case crowded
    case linkedElsewhere(provider: String)
    case linkedOtherwise(provider: String)
    case otherSession
    case invitationEnded
    case begin(provider: String)
    case beginTitle
    case again

    var english: Phrase {
        switch self {
        case .notSignedIn: "You are not signed in"
        case .notLinked: "Nothing was linked"
        case .notOffered: "This server offers no such way to sign in. Open the map and choose “Sign in” for the others."
        case .outage(let provider):
            "\(provider) does not answer just now, or not as it should. Try again in a few minutes. If it stays so, tell "
                + "whoever runs this server."
        case .denied(let provider):
            "\(provider) did not let you in, or you stopped on the way. Nothing was changed."
        case .lost:
            "This was not begun in this browser, was begun again since, or took longer than ten minutes. Begin again."
        case .clocks(let provider):
            "The clocks of \(provider) and of this server differ, so the sign-in was not accepted. Tell whoever runs this "
                + "server."
        case .distrusted(let provider):
            "What \(provider) sent was not accepted. Try again. If it stays so, tell whoever runs this server."
        case .unknown(let provider):
            "Your account at \(provider) is not linked to an account here. If you have an account here, sign in to it in "
                + "another way, and link the two under “Devices”. If not, ask whoever runs this server, or a family "
                + "member, for an invitation."
        case .crowded: "Too many people tried to sign in within a short time. Try again later."
        case .linkedElsewhere(let provider):
            "This account at \(provider) is linked to another account here. Sign in to that one and remove the link first."
        case .linkedOtherwise(let provider):
            "Your account here is linked to another account at \(provider). Remove that link under “Devices” first."
        case .otherSession: "You signed in or out in the meantime. Open the map, and link the accounts again."
        case .invitationEnded:
            "The invitation has ended or was used already, so no account was made. Ask whoever invited you for a new one."
        case .begin(let provider): "Sign in with \(provider)"
        case .beginTitle: "Sign in"
        case .again: "Try again"
        }
    }
}

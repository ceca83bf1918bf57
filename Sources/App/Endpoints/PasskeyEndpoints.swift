import Web
import Library
import Formats
import HTTPTypes
import Passkeys
import Storage
import Stories

/// The routes by which people add, list and remove passkeys, and sign in with one (WebAuthn Level 2).
struct PasskeyEndpoints: Sendable {
    let library: StoryLibrary
    let sessions: SessionEndpoints

    var all: [Endpoint] { [beginSignIn, signIn, list, beginAdding, add, remove] }

    private var beginSignIn: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/session/passkey/challenge",
            name: "beginPasskeySignIn",
            summary: """
                Returns a challenge for signing in with a passkey, the same way for everybody. It can be answered once \
                within five minutes.
                """,
            access: .anyone,
            cost: .normal,
            headers: [.page],
            cookie: .manages,
            success: [SessionEndpoints.json("PasskeyChallenge", "The options for navigator.credentials.get.")],
            handler: { call in
                let party = try party(of: call)
                return Answer(body: PasskeyJSON.question(library.passkeys.beginSignIn(), at: party))
            }
        )
    }

    private var signIn: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/session/passkey",
            name: "signInWithPasskey",
            summary: """
                Signs a person in to the page for 30 days by a passkey: sets a cookie, and ends the session that the \
                browser had before.
                """,
            access: .anyone,
            cost: .raised,
            guards: .secret,
            headers: [.page],
            body: .init(schema: "PasskeySignIn", maxBytes: 65_536),
            cookie: .manages,
            success: [SessionEndpoints.json("Session", "The new session, and its cookie.", status: .created)],
            handler: { call in
                let party = try party(of: call)
                let answer = PasskeyService.Answer(
                    ticket: call.body?["ticket"]?.string ?? "",
                    credential: try bytes("credential", of: call),
                    handle: try bytes("user_handle", of: call),
                    authenticatorData: try bytes("authenticator_data", of: call),
                    clientData: try bytes("client_data", of: call),
                    signature: try bytes("signature", of: call)
                )
                let begun = try await library.passkeys.begin(by: answer, at: party, sessions.arrival(of: call))
                return sessions.signedIn(begun, of: call)
            }
        )
    }

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/passkeys",
            name: "listPasskeys",
            summary: "Returns the caller's passkeys (at most \(PasskeyService.maximum)), newest first.",
            access: .user,
            scope: .accountManage,
            success: [SessionEndpoints.json("PasskeyList", "The passkeys, and whether they can be used here.")],
            handler: { call in
                let passkeys = try await library.passkeys.passkeys(of: try call.user)
                let party = sessions.ways.relyingParty(authority: call.authority)
                return Answer(body: PasskeyJSON.list(passkeys, at: party))
            }
        )
    }

    private var remove: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/me/passkeys/\(PathPart.passkey)",
            name: "removePasskey",
            summary: "Removes one of the caller's passkeys immediately. Sessions that it began go on.",
            access: .user,
            scope: .accountManage,
            success: [AccountEndpoints.nothing("Nobody signs in with the passkey any more.")],
            handler: { call in
                try await library.passkeys.remove(try call[PathPart.passkey], of: try call.user)
                return .noContent
            }
        )
    }
}

// Adding a passkey.
extension PasskeyEndpoints {
    private var beginAdding: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/me/passkeys/challenge",
            name: "beginAddingPasskey",
            summary: """
                Returns what the page asks the device for to make a passkey. Only the same session of the page can \
                answer, once within five minutes.
                """,
            access: .user,
            scope: .accountManage,
            cost: .normal,
            success: [SessionEndpoints.json("NewPasskeyChallenge", "The options for navigator.credentials.create.")],
            handler: { call in
                let session = try call.fullSession.id
                let party = try party(of: call)
                let asked = try await library.passkeys.begin(adding: try call.user, in: session)
                return Answer(body: PasskeyJSON.newQuestion(asked, at: party))
            }
        )
    }

    private var add: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/me/passkeys",
            name: "addPasskey",
            summary: "Adds the passkey that the caller's device has made; it signs in as the caller from now on.",
            access: .user,
            scope: .accountManage,
            cost: .raised,
            body: .init(schema: "PasskeyInput", maxBytes: 65_536),
            success: [SessionEndpoints.json("Passkey", "The passkey.", status: .created)],
            handler: { call in
                let session = try call.fullSession.id
                let party = try party(of: call)
                let name = try call.displayName("name")
                let answer = PasskeyService.NewAnswer(
                    ticket: call.body?["ticket"]?.string ?? "",
                    attestation: try bytes("attestation", of: call),
                    clientData: try bytes("client_data", of: call)
                )
                let user = try call.user
                let passkey = try await library.passkeys.add(answer, named: name, for: user, in: session, at: party)
                return Answer(
                    status: .created,
                    headers: [.location: "/v1/me/passkeys/\(passkey.id)"],
                    body: PasskeyJSON.one(passkey, at: party)
                )
            }
        )
    }

    /// Returns the service as authenticators know it.
    ///
    /// - Throws: ``Problem`` (409) where browsers allow no passkeys.
    private func party(of call: Call) throws -> RelyingParty {
        guard let party = sessions.ways.relyingParty(authority: call.authority) else {
            throw Problem(
                .conflict,
                "no-passkeys",
                "Passkeys need a service with an https address and a name (--public-url). Sign in another way."
            )
        }
        return party
    }

    /// Returns the bytes that a field of the body states.
    ///
    /// - Throws: ``Problem`` (422) if it is not base64url.
    private func bytes(_ field: String, of call: Call) throws -> [UInt8] {
        guard let text = call.body?[field]?.string, let bytes = Base64.decodeURL(text.utf8) else {
            throw Problem.body([FieldProblem(field: field, message: "must be base64url without padding")])
        }
        return bytes
    }
}

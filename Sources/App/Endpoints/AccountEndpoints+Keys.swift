import Web
import Library
import Formats
import HTTPTypes
import Storage
import Stories

// Keys.
extension AccountEndpoints {
    var listKeys: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/me/keys",
            name: "listKeys",
            summary: "Returns the caller's API keys (at most 50), oldest first, without their secrets.",
            access: .user,
            scope: .accountManage,
            cost: .normal,
            success: [
                .init(
                    status: .ok,
                    mediaType: MediaType.json,
                    schema: .object([.init("keys", .array(.named("Key")), required: true)]),
                    description: "The keys."
                )
            ],
            handler: { call in
                let user = try call.user
                let keys = try await library.store.read { try $0.keys(of: user) }
                var json = JSONWriter(capacity: 400 * (keys.count + 1))
                json.beginObject()
                json.key("keys")
                json.beginArray()
                for key in keys { AccountJSON.write(key, to: &json) }
                json.endArray()
                json.endObject()
                return Answer(body: json.bytes)
            }
        )
    }

    var makeKey: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/me/keys",
            name: "makeKey",
            summary: """
                Creates an API key. Its secret is shown only once. A key for a device can only send that device's \
                positions.
                """,
            access: .user,
            scope: .accountManage,
            cost: .normal,
            body: .init(schema: "KeyInput", maxBytes: 16_384),
            success: [
                .init(
                    status: .created,
                    mediaType: MediaType.json,
                    schema: .named("NewKey"),
                    description: "The key with its secret."
                )
            ],
            handler: { call in
                let request = try AccountEndpoints.keyRequest(call.body ?? .null, of: call)
                let made = try await accounts.keyWithinLimit(request)
                var json = JSONWriter(capacity: 400)
                AccountJSON.write(made.key, text: made.text, to: &json)
                return Answer(
                    status: .created,
                    headers: [.location: "/v1/me/keys/\(made.key.id)"],
                    body: json.bytes
                )
            }
        )
    }

    var revokeKey: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/me/keys/\(PathPart.key)",
            name: "revokeKey",
            summary: "Revokes one of the caller's keys immediately.",
            access: .user,
            scope: .accountManage,
            success: [AccountEndpoints.nothing("The key is revoked.")],
            handler: { call in
                let user = try call.user
                let id = try call[PathPart.key]
                guard try await accounts.revokeKey(id, of: user) else { throw Problem.notFound }
                return .noContent
            }
        )
    }

    /// Returns the key that a body requests; a key never has more scopes than the token that creates it.
    private static func keyRequest(_ body: JSONValue, of call: Call) throws -> Accounts.KeyRequest {
        let most = call.principal.scopes.intersection(Scope.user)
        func problem(_ field: String, _ message: String) -> Problem {
            Problem.body([FieldProblem(field: field, message: message)])
        }
        let name = try call.displayName("name")
        let days = body["days"]?.integer
        let asked = body["scopes"]?.array.map { Set($0.compactMap(\.string).compactMap(Scope.init)) }
        if let device = body["device"]?.string {
            guard asked.map({ $0 == Scope.device }) ?? true else {
                throw problem("scopes", "must be omitted: a device key has only the scope fixes:write")
            }
            try checkMayMakeDeviceKey(call)
            return .init(holder: .device(try call.user, device), name: name, days: days)
        }
        let scopes = asked ?? most
        let more = scopes.subtracting(most).sorted().map(\.rawValue)
        guard more.isEmpty else {
            throw problem("scopes", "must not exceed the scopes of your own token: \(more.joined(separator: ", "))")
        }
        guard !scopes.isEmpty else { throw problem("scopes", "must name at least one") }
        return .init(holder: .user(try call.user, scopes), name: name, days: days)
    }

    /// Rejects a key for a device by a caller who may not send positions.
    static func checkMayMakeDeviceKey(_ call: Call) throws {
        guard Scope.device.isSubset(of: call.principal.scopes.intersection(Scope.user)) else {
            let message = "cannot have a key: your own token lacks the scope fixes:write"
            throw Problem.body([FieldProblem(field: "device", message: message)])
        }
    }
}

extension Accounts {
    /// Creates a key.
    ///
    /// - Throws: ``Problem`` (409) if its holder has the maximum number of keys.
    func keyWithinLimit(_ request: KeyRequest) async throws -> (key: StoredKey, text: String) {
        do {
            return try await makeKey(request)
        } catch let error as StoreError where error.code == .conflict {
            throw Problem(
                .conflict,
                "too-many-keys",
                "You have \(Accounts.maximumKeys) keys, the maximum. Delete one first."
            )
        }
    }
}

extension RouteRule {
    private static let invitee = #"{"invitations":[{"user":"not-yet-here"}]}"#

    /// The rows of families, their members and invitations.
    static let families: [String: RouteRule] = [
        "GET /v1/families": RouteRule(.user, .nothing(200)),
        "POST /v1/families": RouteRule(.user, .nothing(201), body: #"{"name":"New"}"#),
        "GET /v1/families/{family}": RouteRule(.user, .family(owner: 200, admin: 200, member: 200)),
        "PATCH /v1/families/{family}": RouteRule(
            .user,
            .family(owner: 200, admin: 403, member: 403),
            body: #"{"name":"Renamed"}"#
        ),
        "DELETE /v1/families/{family}": RouteRule(.user, .family(owner: 204, admin: 403, member: 403)),
        "GET /v1/families/{family}/members": RouteRule(.user, .family(owner: 200, admin: 200, member: 200)),
        "PATCH /v1/families/{family}/members/{user}": RouteRule(
            .user,
            .member { caller, target in
                guard caller.isMember, target != .malformed else { return 404 }
                guard caller == .owner else { return 403 }
                return target.isMember ? 200 : 404
            },
            body: #"{"role":"member"}"#
        ),
        "DELETE /v1/families/{family}/members/{user}": RouteRule(
            .user,
            .member { caller, target in
                guard caller.isMember, target.isMember else { return 404 }
                if target == .oneself || caller == .owner { return 204 }
                return caller == .admin && target == .member ? 204 : 403
            }
        ),
        "GET /v1/families/{family}/invitations": RouteRule(.user, .family(owner: 200, admin: 200, member: 403)),
        "POST /v1/families/{family}/invitations": RouteRule(
            .user,
            .family(owner: 200, admin: 200, member: 403),
            body: invitee
        ),
        // Invitations are no business of mere members: whether there is one makes no difference to them.
        "DELETE /v1/families/{family}/invitations/{invitation}": RouteRule(
            .user,
            .invitation { caller, isThere in
                caller == .member ? 403 : isThere && caller.isMember ? 204 : 404
            }
        ),
        "POST /v1/families/{family}/invitations/{invitation}/resend": RouteRule(
            .user,
            .invitation { caller, isThere in
                caller == .member ? 403 : isThere && caller.isMember ? 200 : 404
            }
        ),
        "GET /v1/me/invitations": RouteRule(.user, .nothing(200)),
        "POST /v1/invitations/{invitation}/accept": RouteRule(.user, .own(.invitation, 200)),
        "POST /v1/invitations/{invitation}/decline": RouteRule(.user, .own(.invitation, 204)),
    ]
}

extension RouteRule.Standing {
    /// Whether the family is there for them.
    var isMember: Bool { self == .owner || self == .admin || self == .member }
}

extension RouteRule.Target {
    /// Whether they belong to the family.
    var isMember: Bool { self == .oneself || self == .owner || self == .admin || self == .member }
}

import Web
import Library
import Formats
import HTTPTypes
import Stories

/// The routes of families and their members; those of invitations are in an extension.
struct FamilyEndpoints: Sendable {
    let library: StoryLibrary
    /// Returns the public URL of the service, for invitation links.
    let publicURL: @Sendable () -> String

    var all: [Endpoint] {
        [
            list, create, read, rename, delete, members, changeRole, removeMember, invitations, invite,
            cancelInvitation, resendInvitation, myInvitations, accept, decline,
        ]
    }

    static func json(_ name: String, _ description: String, status: HTTPResponse.Status = .ok) -> Endpoint.Success {
        .init(status: status, mediaType: MediaType.json, schema: .named(name), description: description)
    }

    static let done = Endpoint.Success(
        status: .noContent,
        mediaType: MediaType.json,
        schema: nil,
        description: "Success."
    )

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/families",
            name: "listFamilies",
            summary: "Returns the caller's families in the order in which the caller joined.",
            access: .user,
            scope: .familyRead,
            cost: .normal,
            parameters: TimedPages.parameters,
            success: [FamilyEndpoints.json("FamilyPage", "A page.")],
            handler: { call in
                let views = try await library.families.familyViews(of: try call.user)
                let page = try TimedPage(of: views, call: call) { ($0.since, $0.view.family.id.rawValue) }
                return Answer(body: page.json("families") { FamilyJSON.write($0.view, to: &$1) })
            }
        )
    }

    private var create: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/families",
            name: "createFamily",
            summary: "Creates a family with the caller as its owner and, initially, its only member.",
            access: .user,
            scope: .familyManage,
            body: .init(schema: "FamilyInput", maxBytes: 16_384),
            success: [FamilyEndpoints.json("Family", "The new family.", status: .created)],
            handler: { call in
                let view = try await library.families.createFamily(name: try call.familyName, owner: try call.user)
                var answer = Answer(status: .created, body: FamilyJSON.family(view))
                answer.headers[.location] = "/v1/families/\(view.family.id)"
                return answer
            }
        )
    }

    private var read: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/families/\(PathPart.family)",
            name: "readFamily",
            summary: "Returns one of the caller's families. For anyone else, the answer is 404.",
            access: .user,
            scope: .familyRead,
            success: [FamilyEndpoints.json("Family", "The family.")],
            handler: { call in
                let view = try await library.families.familyView(try call[PathPart.family], for: try call.user)
                return Answer(body: FamilyJSON.family(view))
            }
        )
    }

    private var rename: Endpoint {
        Endpoint(
            method: .patch,
            path: "/v1/families/\(PathPart.family)",
            name: "renameFamily",
            summary: "Renames a family. Owners only.",
            access: .user,
            scope: .familyManage,
            body: .init(schema: "FamilyInput", maxBytes: 16_384),
            success: [FamilyEndpoints.json("Family", "The family.")],
            handler: { call in
                let name = try call.familyName
                let view = try await library.families.renameFamily(
                    try call[PathPart.family],
                    to: name,
                    by: try call.user
                )
                return Answer(body: FamilyJSON.family(view))
            }
        )
    }

    private var delete: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/families/\(PathPart.family)",
            name: "deleteFamily",
            summary: """
                Deletes a family. Stories shared only with it become private. Owners only; the other members are \
                notified.
                """,
            access: .user,
            scope: .familyManage,
            cost: .normal,
            success: [FamilyEndpoints.done],
            handler: { call in
                try await library.families.deleteFamily(try call[PathPart.family], by: try call.user)
                return .noContent
            }
        )
    }

    private var members: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/families/\(PathPart.family)/members",
            name: "listFamilyMembers",
            summary: "Returns the members of one of the caller's families, longest membership first.",
            access: .user,
            scope: .familyRead,
            cost: .normal,
            parameters: TimedPages.parameters,
            success: [FamilyEndpoints.json("FamilyMemberPage", "A page.")],
            handler: { call in
                let (members, names) = try await library.families.familyMembers(
                    try call[PathPart.family],
                    for: try call.user
                )
                let page = try TimedPage(of: members, call: call) { ($0.since, $0.user.rawValue) }
                return Answer(body: page.json("members") { FamilyJSON.write($0, name: names[$0.user], to: &$1) })
            }
        )
    }

    private var changeRole: Endpoint {
        Endpoint(
            method: .patch,
            path: "/v1/families/\(PathPart.family)/members/\(PathPart.user)",
            name: "changeFamilyRole",
            summary: "Changes a member's role. Owners only; at least one owner must remain.",
            access: .user,
            scope: .familyManage,
            body: .init(schema: "RoleInput", maxBytes: 16_384),
            success: [FamilyEndpoints.json("FamilyMember", "The member.")],
            handler: { call in
                guard let role = call.body?["role"]?.string.flatMap(FamilyRole.init) else { throw Problem.notFound }
                let (member, name) = try await library.families.changeRole(
                    of: try call[PathPart.user],
                    in: try call[PathPart.family],
                    to: role,
                    by: try call.user
                )
                var json = JSONWriter(capacity: 200)
                FamilyJSON.write(member, name: name, to: &json)
                return Answer(body: json.bytes)
            }
        )
    }

    private var removeMember: Endpoint {
        Endpoint(
            method: .delete,
            path: "/v1/families/\(PathPart.family)/members/\(PathPart.user)",
            name: "removeFamilyMember",
            summary: """
                Leaves a family or removes a member, effective immediately. Owners can remove anyone, admins only \
                members.
                """,
            access: .user,
            scope: .familyManage,
            cost: .normal,
            success: [FamilyEndpoints.done],
            handler: { call in
                try await library.families.removeMember(
                    try call[PathPart.user],
                    from: try call[PathPart.family],
                    by: try call.user
                )
                return .noContent
            }
        )
    }
}

extension Call {
    /// The name for a family in the body.
    fileprivate var familyName: DisplayName {
        get throws { try displayName("name") }
    }
}

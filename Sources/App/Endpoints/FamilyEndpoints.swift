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
        description: "Done."
    )

    private var list: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/families",
            name: "listFamilies",
            summary: "The families the caller belongs to, in the order they came to them.",
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
            summary: "Makes a family; the caller is its owner and, for now, its only member.",
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
            summary: "One of the caller's families; to everybody else there is none.",
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
            summary: "Gives a family another name. Owners only.",
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
            summary:
                "Deletes a family. What was shared with it alone becomes private. Owners only; the others are told.",
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
            summary: "Who belongs to one of the caller's families, longest first.",
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
            summary: "Gives a member another role. Owners only; one owner remains.",
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
            summary: "Leaves a family, or removes a member: owners anybody, admins members. It takes effect at once.",
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

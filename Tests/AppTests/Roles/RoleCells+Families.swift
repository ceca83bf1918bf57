import App
import Library
import Formats
import HTTPTypes
import OpenID
import Storage
import Stories
import TestSupport

extension RoleStage {
    /// Members of every new family beside the caller; the caller is never the last owner.
    static let relatives: [(user: String, role: FamilyRole)] = [("zed", .owner), ("yan", .admin), ("xia", .member)]

    /// A new family in which `user` is what `standing` says.
    func family(_ user: String?, _ standing: RouteRule.Standing) async throws -> String {
        let name = nextName("family")
        guard let family = FamilyID(name) else { throw TwinFault("\(name) is no id") }
        let now = world.clock.now
        let role: FamilyRole? = standing == .former ? .member : FamilyRole(rawValue: standing.rawValue)
        let caller = user.flatMap { UserID($0) }
        try await world.library.store.write { transaction in
            try transaction.saveFamily(family, name: "A family", at: now)
            for relative in RoleStage.relatives {
                guard let id = UserID(relative.user) else { continue }
                try transaction.save(User(id: id, name: relative.user), at: now)
                try transaction.saveMember(id, of: family, role: relative.role, at: now)
            }
            guard let caller, let role else { return }
            try transaction.save(User(id: caller, name: "Caller"), at: now)
            try transaction.saveMember(caller, of: family, role: role, at: now)
            if standing == .former { try transaction.removeMember(caller, of: family) }
        }
        return name
    }

    /// The families that a route can be about, and the two sorts of id that stand for none.
    private func families(of role: Role) async throws -> [(name: String, id: String, standing: RouteRule.Standing)] {
        var families: [(name: String, id: String, standing: RouteRule.Standing)] = []
        for standing in RouteRule.Standing.allCases {
            families.append(("as \(standing)", try await family(role.user, standing), standing))
        }
        return families + [("absent", RoleStage.absent, .none), ("malformed", "no%20id", .none)]
    }

    func familyCells(owner: Int, admin: Int, member: Int, for role: Role) async throws -> [RoleCell] {
        let statuses: [RouteRule.Standing: Int] = [.owner: owner, .admin: admin, .member: member]
        return try await families(of: role)
            .map { RoleCell(name: $0.name, values: ["family": $0.id], status: statuses[$0.standing] ?? 404) }
    }

    func memberCells(
        _ status: @Sendable (RouteRule.Standing, RouteRule.Target) -> Int,
        for role: Role
    ) async throws -> [RoleCell] {
        var cells: [RoleCell] = []
        for target in RouteRule.Target.allCases {
            for family in try await families(of: role) {
                let user =
                    switch target {
                    case .oneself: role.user ?? "nobody"
                    case .owner: "zed"
                    case .admin: "yan"
                    case .member: "xia"
                    case .outsider: "iva"
                    case .nobody: "never-was"
                    case .malformed: "no%20id"
                    }
                cells.append(
                    RoleCell(
                        name: "\(target) of a family \(family.name)",
                        values: ["family": family.id, "user": user],
                        status: status(family.standing, target)
                    )
                )
            }
        }
        return cells
    }

    func invitationCells(
        _ status: @Sendable (RouteRule.Standing, Bool) -> Int,
        for role: Role
    ) async throws -> [RoleCell] {
        var cells: [RoleCell] = []
        let elsewhere = try await invitation(into: try await family(nil, .none), of: "somebody")
        for family in try await families(of: role) {
            var ids = [("absent", RoleStage.absent), ("malformed", RoleStage.malformed), ("elsewhere", elsewhere)]
            if family.id.hasPrefix("family") {
                ids.append(("pending", try await invitation(into: family.id, of: nextName("guest"))))
            }
            for (name, id) in ids {
                cells.append(
                    RoleCell(
                        name: "\(name) invitation into a family \(family.name)",
                        values: ["family": family.id, "invitation": id],
                        status: name == "malformed" ? 404 : status(family.standing, name == "pending")
                    )
                )
            }
        }
        return cells
    }

    /// The id of a new invitation of a user, from zed.
    func invitation(into family: String, of user: String) async throws -> String {
        let body = "{\"invitations\":[{\"user\":\"\(user)\"}]}"
        let json = try await prepare(.post, "/v1/families/\(family)/invitations", as: "zed", body)
        let outcomes = json.object?.values.compactMap(\.array).first ?? []
        guard let id = outcomes.first?["invitation"]?["id"]?.string else {
            throw TwinFault("No invitation was made: \(json)")
        }
        return id
    }

    func ownCells(_ thing: RouteRule.OwnThing, _ status: Int, for role: Role) async throws -> [RoleCell] {
        var cells: [RoleCell] = []
        func cell(_ name: String, _ id: String, _ status: Int) {
            cells.append(RoleCell(name: "\(name) \(thing)", values: [thing.rawValue: id], status: status))
        }
        if let user = role.user { cell("own", try await make(thing, of: user), status) }
        cell("other's", try await make(thing, of: role.user == "olga" ? "mia" : "olga"), 404)
        cell("absent", RoleStage.absent, 404)
        cell("malformed", RoleStage.malformed, 404)
        return cells
    }

    func entryCells(_ status: Int) async throws -> [RoleCell] {
        _ = try await channel(of: "olga")
        guard let number = try await world.library.store.read({ try $0.outbox(state: nil, limit: 1).first?.number })
        else { throw TwinFault("A new webhook is asked nothing.") }
        return [
            RoleCell(name: "an entry", values: ["entry": String(number)], status: status),
            RoleCell(name: "absent", values: ["entry": "999999999"], status: 404),
            RoleCell(name: "malformed", values: ["entry": RoleStage.malformed], status: 404),
        ]
    }

    func reportCells(_ status: Int, for role: Role) async throws -> [RoleCell] {
        var cells: [RoleCell] = []
        for user in ["olga", role.user ?? "mia"] {
            cells.append(
                RoleCell(name: "report by \(user)", values: ["report": try await report(by: user)], status: status)
            )
        }
        return cells + [
            RoleCell(name: "absent", values: ["report": RoleStage.absent], status: 404),
            RoleCell(name: "malformed", values: ["report": RoleStage.malformed], status: 404),
        ]
    }

    /// The id of a new thing of a user.
    func make(_ thing: RouteRule.OwnThing, of user: String) async throws -> String {
        switch thing {
        case .invitation: try await invitation(into: try await family(nil, .none), of: user)
        case .key: try await key(of: user)
        case .session: try await session(of: user)
        case .passkey: try await passkey(of: user)
        case .report: try await report(by: user)
        case .fix: try await fix(of: user)
        case .notification: try await notification(of: user)
        case .channel: try await channel(of: user)
        case .proposal: try await proposal(of: user)
        case .link: try await shareLink(of: user)
        case .providerAccount: try await providerAccount(of: user)
        case .storyImport: try await storyImport(of: user)
        }
    }

    /// An import of a file that is new each time.
    private func storyImport(of user: String) async throws -> String {
        let body = "title\nA\n"
        guard let id = try await prepare(.post, "/v1/imports?name=a.csv", as: user, body)["id"]?.string else {
            throw TwinFault("An import has no id.")
        }
        return id
    }

    /// A location that was extracted from a new story.
    private func proposal(of user: String) async throws -> String {
        let body = #"{"kind":"photo","title":"A","location":{"lat":1,"lon":2,"source":"ai_extracted"}}"#
        let story = try await prepare(.post, "/v1/stories", as: user, body)["id"]
        let waiting = try await prepare(.get, "/v1/me/location-proposals?limit=100", as: user, nil)
        let found = waiting["proposals"]?.array?.first { $0["story"] == story }
        guard let id = found?["id"]?.string else { throw TwinFault("An extracted location does not wait.") }
        return id
    }

    /// A webhook whose end has not answered yet.
    private func channel(of user: String) async throws -> String {
        let body = #"{"kind":"webhook","target":{"url":"https://example.org/\#(nextName("hook"))"}}"#
        let json = try await prepare(.post, "/v1/me/channels", as: user, body)
        guard let id = json["id"]?.string else { throw TwinFault("A new channel has no id.") }
        return id
    }

    /// A notification that names no place.
    private func notification(of user: String) async throws -> String {
        guard let user = UserID(user) else { throw TwinFault("\(user) is no id") }
        return try await FeedWorld.tell(user, in: world.library, number: UInt64(nextNumber()))
    }

    /// A fix that is kept as it came.
    private func fix(of user: String) async throws -> String {
        let settings = #"{"enabled":true,"keep_fixes_days":1}"#
        _ = try await prepare(.put, "/v1/me/notification-settings", as: user, settings)
        let time = RFC3339.format(world.library.now())
        let body = #"{"device":"role","fixes":[{"t":"\#(time)","lat":1,"lon":1,"acc":500}]}"#
        _ = try await prepare(.post, "/v1/fixes", as: user, body)
        let json = try await prepare(.get, "/v1/fixes", as: user, nil)
        guard let id = json["fixes"]?[0]?["id"]?.string else { throw TwinFault("A new fix has no id.") }
        return id
    }

    func key(of user: String) async throws -> String {
        let json = try await prepare(.post, "/v1/me/keys", as: user, #"{"name":"A key"}"#)
        guard let id = json["id"]?.string else { throw TwinFault("A new key has no id.") }
        return id
    }

    /// A session of the page.
    private func session(of user: String) async throws -> String {
        guard let user = UserID(user) else { throw TwinFault("\(user) is no id") }
        let arrival = SignInService.Arrival(label: "A browser", former: nil, client: nil)
        return try await world.library.signIns.begin(for: user, arrival).session.id
    }

    /// A passkey that signs nobody in.
    private func passkey(of user: String) async throws -> String {
        guard let user = UserID(user) else { throw TwinFault("\(user) is no id") }
        let number = UInt64(nextNumber())
        let passkey = StoredPasskey(
            id: StoryID(high: 20, low: number),
            credential: [UInt8](nextName("passkey").utf8),
            user: user,
            handle: [1],
            party: "example.org",
            name: "A phone",
            algorithm: -7,
            key: [1],
            counter: 0,
            isSynced: false,
            createdAt: world.library.now()
        )
        try await world.library.store.write { try $0.insert(passkey) }
        return passkey.id.description
    }

    /// An account at a provider that signs in as a user; each provider can be linked once.
    private func providerAccount(of user: String) async throws -> String {
        guard let user = UserID(user) else { throw TwinFault("\(user) is no id") }
        let (signIns, issuer) = (world.library.signIns.byProvider, "https://login-\(nextNumber()).example.org")
        try await signIns.link(ProviderIdentity(issuer: issuer, subject: "1"), to: user)
        guard let account = try await signIns.accounts(of: user).first(where: { $0.issuer == issuer }) else {
            throw TwinFault("A new link is not there.")
        }
        return account.id
    }

    func report(by user: String) async throws -> String {
        let story = try await story(of: "zed", "public")
        let json = try await prepare(.post, "/v1/stories/\(story)/report", as: user, #"{"reason":"spam"}"#)
        guard let id = json["tracking_id"]?.string else { throw TwinFault("A new report has no id.") }
        return id
    }
}

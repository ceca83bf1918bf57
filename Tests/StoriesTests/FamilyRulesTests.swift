import Geometry
import Stories
import Testing

@Suite("Rights of roles and effects of leaving")
struct FamilyRulesTests {
    @Test("PRV-04 Owners offer admin and member, admins member, members nothing; no one offers owner")
    func offers() {
        let offered = FamilyRole.allCases.map { role in FamilyRole.allCases.filter(role.mayOffer) }
        #expect(offered == [[.admin, .member], [.member], []])
        #expect(FamilyRole.allCases.map(\.managesInvitations) == [true, true, false])
        #expect(FamilyRole.allCases.map(\.managesFamily) == [true, false, false])
    }

    @Test("PRV-04 Owners remove anyone, admins members, members no one")
    func removals() {
        let removed = FamilyRole.allCases.map { role in FamilyRole.allCases.filter(role.mayRemove) }
        #expect(removed == [[.owner, .admin, .member], [.member], []])
    }

    @Test("An admin succeeds before a member; among equals the longest-standing, then by id")
    func succession() throws {
        let table: [(String, FamilyRole, Int64)] = [
            ("d", .member, 1), ("b", .admin, 5), ("c", .admin, 4), ("a", .admin, 5), ("e", .member, 0),
        ]
        let members = try table.map { id, role, time in
            FamilyMember(user: try #require(UserID(id)), role: role, since: Timestamp(milliseconds: time))
        }
        let order = members.sorted { $0.succeeds(before: $1) }.map(\.user.rawValue)
        #expect(order == ["c", "a", "b", "e", "d"])
    }

    @Test("PRV-04 Withdrawing a story from its family shows it to no one new, and no more exactly")
    func withdrawal() throws {
        let (ana, ben, cora) = (
            try #require(UserID("ana")), try #require(UserID("ben")), try #require(UserID("cora"))
        )
        let (lake, hill) = (try #require(FamilyID("lake")), try #require(FamilyID("hill")))
        let viewers = [
            Viewer.anonymous, Viewer(user: ana, families: [hill: [ana, cora]]), Viewer(user: ben),
            Viewer(user: cora, families: [hill: [ana, cora]]),
        ]
        for privacy in Privacy.allCases {
            for precision in [LocationPrecision.exact, .hidden] {
                var story = Story(
                    id: StoryID(high: 1, low: 2),
                    kind: .photo,
                    title: "x",
                    owner: ana,
                    createdAt: Timestamp(milliseconds: 0)
                )
                story.privacy = privacy
                story.family = lake
                var location = StoryLocation(coordinate: try #require(Coordinate(latitude: 1, longitude: 2)))
                location.precision = precision
                location.familySeesExact = true
                story.location = location
                var after = story
                after.withdraw(from: hill)
                #expect(after == story)
                after.withdraw(from: lake)
                #expect(after.family == nil && after.privacy == (privacy == .public ? .public : .private))
                for viewer in viewers {
                    #expect(!after.isVisible(to: viewer) || story.isVisible(to: viewer))
                    #expect(after.point(for: viewer) == nil || after.point(for: viewer) == story.point(for: viewer))
                }
            }
        }
    }

    @Test(
        "An e-mail address has one @, a name and a host with a dot",
        arguments: [
            ("a@b.co", true), ("first.last+tag@sub.example.org", true), ("o'neil@example.org", true),
            ("a@xn--bcher-kva.example", true), ("", false), ("a", false), ("@b.co", false), ("a@", false),
            ("a@b", false), ("a@@b.co", false), ("a@b@c.co", false), ("a b@c.co", false), ("a@b..co", false),
            ("a@-b.co", false), ("a@b-.co", false), ("a@b.co\r\nBcc: c@d.eu", false), ("<a@b.co>", false),
            ("a@b.co,c@d.eu", false), ("ä@b.co", false), ("a@b_c.co", false),
            (String(repeating: "a", count: 65) + "@b.co", false),
            ("a@" + String(repeating: "b.", count: 126) + "co", false),
        ]
    )
    func emails(text: String, isEmail: Bool) {
        #expect(Invitation.isEmail(text) == isEmail, "\(text)")
    }
}

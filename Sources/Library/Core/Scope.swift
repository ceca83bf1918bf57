/// One thing that a token or key may be used for.
public enum Scope: String, CaseIterable, Comparable, Sendable {
    /// Reading stories, maps and lists.
    case storiesRead = "stories:read"
    /// Creating, changing and deleting one's own stories, hiding and reporting those of others.
    case storiesWrite = "stories:write"
    /// Seeing one's families and invitations.
    case familyRead = "family:read"
    /// Making families, inviting, joining, leaving, removing.
    case familyManage = "family:manage"
    /// Sending positions: all that a device key can do.
    case fixesWrite = "fixes:write"
    /// Reading the feed and the notification settings.
    case notificationsRead = "notifications:read"
    /// Changing the notification settings and what is read.
    case notificationsManage = "notifications:manage"
    /// Asking for places and their names.
    case geocodeRead = "geocode:read"
    /// Managing one's keys and sessions.
    case accountManage = "account:manage"
    /// Taking everything of one's own along.
    case exportSelf = "export:self"
    /// Deleting location data or the whole account.
    case deleteSelf = "delete:self"
    /// Acting for any user, as an app's backend does: the service scope.
    case actAs = "act-as"
    /// Watching the service and handling reports; reads no private story.
    case adminOps = "admin:ops"

    /// What a user's own token is good for unless it says less: everything that concerns themselves.
    public static let user = Set(allCases).subtracting([.actAs, .adminOps])
    /// What nobody in particular may do.
    package static let anonymous: Set<Scope> = [.storiesRead, .geocodeRead]
    /// What a device key is good for.
    package static let device: Set<Scope> = [.fixesWrite]

    /// The known scopes in a text with spaces between them; others are passed over.
    package static func set(_ text: String) -> Set<Scope> {
        Set(text.split(separator: " ").compactMap { Scope(rawValue: String($0)) })
    }

    /// Scopes as a text with spaces between them, sorted.
    package static func text(_ scopes: Set<Scope>) -> String { scopes.sorted().map(\.rawValue).joined(separator: " ") }

    /// Orders scopes by their names.
    public static func < (a: Scope, b: Scope) -> Bool { a.rawValue < b.rawValue }
}

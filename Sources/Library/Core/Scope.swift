/// A permission of a token or key.
public enum Scope: String, CaseIterable, Comparable, Sendable {
    /// Reading stories, maps and lists.
    case storiesRead = "stories:read"
    /// Creating, changing and deleting the user's own stories, and hiding and reporting those of others.
    case storiesWrite = "stories:write"
    /// Reading the user's families and invitations.
    case familyRead = "family:read"
    /// Creating families, inviting, joining, leaving, and removing members.
    case familyManage = "family:manage"
    /// Sending positions: the only scope of a device key.
    case fixesWrite = "fixes:write"
    /// Reading the feed and the notification settings.
    case notificationsRead = "notifications:read"
    /// Changing the notification settings, and marking notifications as read.
    case notificationsManage = "notifications:manage"
    /// Looking up places and their names.
    case geocodeRead = "geocode:read"
    /// Managing the user's keys and sessions.
    case accountManage = "account:manage"
    /// Exporting all of the user's data.
    case exportSelf = "export:self"
    /// Deleting the user's location data or whole account.
    case deleteSelf = "delete:self"
    /// Acting for any user, as an app's backend does: the service scope.
    case actAs = "act-as"
    /// Monitoring the service and handling reports; does not allow reading private stories.
    case adminOps = "admin:ops"

    /// The default scopes of a user's token: everything that concerns the user.
    public static let user = Set(allCases).subtracting([.actAs, .adminOps])
    /// The scopes of anonymous callers.
    package static let anonymous: Set<Scope> = [.storiesRead, .geocodeRead]
    /// The scopes of a device key.
    package static let device: Set<Scope> = [.fixesWrite]

    /// Parses scopes separated by spaces; ignores unknown ones.
    package static func set(_ text: String) -> Set<Scope> {
        Set(text.split(separator: " ").compactMap { Scope(rawValue: String($0)) })
    }

    /// Returns scopes as text, sorted and separated by spaces.
    package static func text(_ scopes: Set<Scope>) -> String { scopes.sorted().map(\.rawValue).joined(separator: " ") }

    /// Orders scopes by their names.
    public static func < (a: Scope, b: Scope) -> Bool { a.rawValue < b.rawValue }
}

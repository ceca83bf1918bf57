import Library
import Formats
import Notifications
import Stories

/// Notes on settings that currently have no effect; they are stored because they may have one later.
///
/// Kinds are compared only with the service's own: a user must not learn whether there are stories of another kind.
enum SettingsNotes: Sendable {
    static func notes(
        on settings: NotificationSettings,
        toldTypes: Set<NoticeType>,
        sendsMail: Bool,
        hasAddress: Bool
    ) -> [FieldProblem] {
        var notes: [FieldProblem] = []
        let known = StoryKind.known.map(\.rawValue).joined(separator: ", ")
        for kind in settings.kinds.subtracting(StoryKind.known).sorted() {
            let message = "\(kind) is none of \(known): it has an effect only if the operator uses that word"
            notes.append(FieldProblem(field: "kinds", message: message))
        }
        for type in settings.delivery.types.keys.sorted()
        where !NoticeType.own.contains(type) && !toldTypes.contains(type) {
            let message =
                "\(type) is no type of this service's own, and no app's backend has told you anything by that word"
            notes.append(FieldProblem(field: "types", message: message))
        }
        if settings.digest.every != .never, !sendsMail {
            let message = "this service sends no e-mail: its operator has set up no mail server"
            notes.append(FieldProblem(field: "digest.every", message: message))
        } else if settings.digest.every != .never, !hasAddress {
            let message = "there is no confirmed e-mail address: make a channel of the kind email"
            notes.append(FieldProblem(field: "digest.every", message: message))
        } else if settings.digest.every != .never, settings.delivery.channels[.email] == false {
            let message = "e-mail is switched off in channels: no digest is sent"
            notes.append(FieldProblem(field: "digest.every", message: message))
        }
        return notes
    }
}

import Library
import Formats
import Notifications
import Stories

/// Notes on settings that currently have no effect; they are stored because they may have one later.
///
/// Every kind that the service does not define itself gets a note: the notes must not reveal whether there are stories
/// of such a kind.
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
            let message = "\(kind) is not one of \(known); it has an effect only if the operator uses that kind"
            notes.append(FieldProblem(field: "kinds", message: message))
        }
        for type in settings.delivery.types.keys.sorted()
        where !NoticeType.own.contains(type) && !toldTypes.contains(type) {
            let message =
                "\(type) is not a type of this service, and no app's backend has sent you a notification of that type"
            notes.append(FieldProblem(field: "types", message: message))
        }
        if settings.digest.every != .never, !sendsMail {
            let message = "this service sends no e-mail: its operator has not configured a mail server"
            notes.append(FieldProblem(field: "digest.every", message: message))
        } else if settings.digest.every != .never, !hasAddress {
            let message = "there is no confirmed e-mail address: create a channel of the kind email"
            notes.append(FieldProblem(field: "digest.every", message: message))
        } else if settings.digest.every != .never, settings.delivery.channels[.email] == false {
            let message = "e-mail is switched off in channels: no digest is sent"
            notes.append(FieldProblem(field: "digest.every", message: message))
        }
        return notes
    }
}

/// A command with an HTTP equivalent: a running service has exclusive use of its database.
protocol DoneOverHTTP {
    /// How to do the same over HTTP, in one or two sentences.
    var overHTTP: String { get }
}

extension EraseCommand: DoneOverHTTP {
    var overHTTP: String {
        "Over HTTP: DELETE /v1/me\(locationData ? "/location-data" : "") with a token of the user, or with a service key and "
            + "'Waymark-User: \(excerpt(user))'."
    }
}

extension UsersCommand.Remove: DoneOverHTTP {
    var overHTTP: String {
        "Over HTTP: DELETE /v1/me with a token of the user, or with a service key and 'Waymark-User: \(excerpt(user))'; "
            + "it erases their stories too."
    }
}

extension UsersCommand.OptIn: DoneOverHTTP {
    var overHTTP: String {
        "Over HTTP: PUT /v1/me/notification-settings with a token of the user, or with a service key and "
            + "'Waymark-User: \(excerpt(user))'."
    }
}

extension UsersCommand.OptOut: DoneOverHTTP {
    var overHTTP: String {
        "Over HTTP: PUT /v1/me/notification-settings with a token of the user, or with a service key and "
            + "'Waymark-User: \(excerpt(user))'."
    }
}

extension UsersCommand.Add: DoneOverHTTP {
    var overHTTP: String {
        "Over HTTP: the first change made with a token of the user, or with a service key and "
            + "'Waymark-User: \(excerpt(user))', makes the user."
    }
}

extension FamiliesCommand.Add: DoneOverHTTP {
    var overHTTP: String { "Over HTTP: POST /v1/families with a token of its owner." }
}

extension FamiliesCommand.Join: DoneOverHTTP {
    var overHTTP: String {
        "Over HTTP: an owner invites with POST /v1/families/\(excerpt(family))/invitations, and the user accepts with "
            + "POST /v1/invitations/ID/accept."
    }
}

extension FamiliesCommand.Leave: DoneOverHTTP {
    var overHTTP: String {
        "Over HTTP: DELETE /v1/families/\(excerpt(family))/members/\(excerpt(user)) with a token of an owner or of the user."
    }
}

extension FamiliesCommand.Remove: DoneOverHTTP {
    var overHTTP: String { "Over HTTP: DELETE /v1/families/\(excerpt(family)) with a token of an owner." }
}

extension ImportCommand: DoneOverHTTP {
    var overHTTP: String {
        dryRun
            ? "To check the file alone, give --database a path where there is no file."
            : "Over HTTP: POST /v1/stories/batch, with a token of the owner."
    }
}

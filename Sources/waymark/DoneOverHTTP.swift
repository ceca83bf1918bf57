/// A command that is also available over HTTP, because a running service has exclusive use of its database.
protocol DoneOverHTTP {
    /// How to achieve the same result over HTTP, in one or two sentences.
    var overHTTP: String { get }
}

extension EraseCommand: DoneOverHTTP {
    var overHTTP: String {
        "Over HTTP: DELETE /v1/me\(locationData ? "/location-data" : "") with the user's token, or with a service key and "
            + "'Waymark-User: \(excerpt(user))'."
    }
}

extension UsersCommand.Remove: DoneOverHTTP {
    var overHTTP: String {
        "Over HTTP: DELETE /v1/me with the user's token, or with a service key and 'Waymark-User: \(excerpt(user))'; "
            + "it erases their stories too."
    }
}

extension UsersCommand.Passkeys: DoneOverHTTP {
    var overHTTP: String {
        "Over HTTP: DELETE /v1/me/passkeys/\(excerpt(remove ?? "ID")) with the user's token, or with a service key and "
            + "'Waymark-User: \(excerpt(user))'."
    }
}

extension UsersCommand.OptIn: DoneOverHTTP {
    var overHTTP: String {
        "Over HTTP: PUT /v1/me/notification-settings with the user's token, or with a service key and "
            + "'Waymark-User: \(excerpt(user))'."
    }
}

extension UsersCommand.OptOut: DoneOverHTTP {
    var overHTTP: String {
        "Over HTTP: PUT /v1/me/notification-settings with the user's token, or with a service key and "
            + "'Waymark-User: \(excerpt(user))'."
    }
}

extension UsersCommand.Add: DoneOverHTTP {
    var overHTTP: String {
        "Over HTTP: the first change made with the user's token, or with a service key and "
            + "'Waymark-User: \(excerpt(user))', creates the user."
    }
}

extension FamiliesCommand.Add: DoneOverHTTP {
    var overHTTP: String { "Over HTTP: POST /v1/families with the token of the family's owner." }
}

extension FamiliesCommand.Join: DoneOverHTTP {
    var overHTTP: String {
        "Over HTTP: an owner invites with POST /v1/families/\(excerpt(family))/invitations, and the user accepts with "
            + "POST /v1/invitations/ID/accept."
    }
}

extension FamiliesCommand.Leave: DoneOverHTTP {
    var overHTTP: String {
        "Over HTTP: DELETE /v1/families/\(excerpt(family))/members/\(excerpt(user)) with an owner's or the user's token."
    }
}

extension FamiliesCommand.Remove: DoneOverHTTP {
    var overHTTP: String { "Over HTTP: DELETE /v1/families/\(excerpt(family)) with an owner's token." }
}

extension ImportCommand: DoneOverHTTP {
    var overHTTP: String {
        "Over HTTP: POST /v1/imports with the owner's token, or with a service key and 'Waymark-User'."
    }
}

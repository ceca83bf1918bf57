import Storage
package import Stories

/// A change of the data by which a user is known.
package struct ProfileChange: Sendable {
    /// The new name; `nil` keeps the name.
    package var name: DisplayName?
    /// The new e-mail address; `nil` keeps the address, `.some(nil)` removes it.
    package var email: String??

    /// Creates a value from its parts.
    package init(name: DisplayName? = nil, email: String?? = nil) {
        self.name = name
        self.email = email
    }
}

extension SettingsService {
    /// Changes the name or the e-mail address of a user.
    ///
    /// - Throws: ``Refusal``: not found if there is no such user.
    package func change(_ change: ProfileChange, of user: UserID) async throws {
        let now = now()
        try await store.write { transaction in
            guard var known = try transaction.user(user) else { throw Refusal.notFound }
            if let name = change.name { known.name = name.text }
            if let email = change.email { known.email = email }
            try transaction.save(known, at: now)
        }
    }
}

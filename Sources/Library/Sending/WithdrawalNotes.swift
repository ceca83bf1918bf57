import Stories
import Synchronization

/// The users from whom something was withdrawn, until it was looked up what of it receivers still show.
final class WithdrawalNotes: Sendable {
    /// Whose messages have to be looked at.
    enum Users: Hashable, Sendable {
        case these(Set<UserID>)
        case everybody
    }

    /// Everybody's at first: the service may have stopped before it took something back.
    private let state = Mutex(Users.everybody)

    /// Notes users from whom something may have been withdrawn.
    func note(_ users: Set<UserID>) {
        guard !users.isEmpty else { return }
        state.withLock { if case .these(let noted) = $0 { $0 = .these(noted.union(users)) } }
    }

    /// Notes that something may have been withdrawn from anybody.
    func noteAll() { state.withLock { $0 = .everybody } }

    /// Notes again what was taken.
    func note(_ users: Users) {
        switch users {
        case .these(let users): note(users)
        case .everybody: noteAll()
        }
    }

    /// Returns the users noted since the last call, `nil` if there are none.
    func take() -> Users? {
        state.withLock { noted in
            defer { noted = .these([]) }
            return noted == .these([]) ? nil : noted
        }
    }
}

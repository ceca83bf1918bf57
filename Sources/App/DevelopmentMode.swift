public import Library
import Storage
public import Stories

/// The mode for development against the service: one user, a database of its own, never on a network.
public enum DevelopmentMode: Sendable {
    /// The reason a database cannot be used for development.
    public struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
        /// The problem, worded to follow the database's path in a sentence.
        public let description: String
    }

    /// The user whose token is printed.
    public static let user: UserID = {
        guard let user = UserID("dev") else { preconditionFailure("dev is a user id") }
        return user
    }()

    /// Creates the user, in a database without other users or stories of others.
    ///
    /// - Throws: ``Refusal`` for a database that others use or that cannot be read.
    public static func prepare(_ library: StoryLibrary) async throws(Refusal) {
        let own = [user, UserID.archive]
        let now = library.now()
        let others: [UserID]
        do {
            others = try await library.store.write { transaction in
                let found = try transaction.users().map(\.id) + transaction.storyOwners()
                let others = Set(found).subtracting(own).sorted()
                if others.isEmpty { try transaction.ensureUser(user, at: now) }
                return others
            }
        } catch {
            throw Refusal(description: "cannot be read: \(error)")
        }
        guard others.isEmpty else {
            throw Refusal(description: "contains users other than dev, or their stories. Give another --database.")
        }
    }
}

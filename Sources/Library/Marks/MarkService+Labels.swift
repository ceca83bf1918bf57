import Storage
package import Stories

// Users' labels for others, such as "Grandpa Joe", which replace their names in the user's own notifications (NTF-13).
extension MarkService {
    /// The maximum number of labels per user.
    package static let maximumLabels = 500

    /// Returns the labels of a user, by the person labelled.
    package func labels(of user: UserID) async throws -> [UserID: String] {
        try await store.read { try $0.labels(of: user) }
    }

    /// Sets a user's label for another person; whether that person exists makes no difference.
    ///
    /// - Throws: ``Refusal``: a conflict at the maximum number of labels.
    package func setLabel(_ label: DisplayName, of user: UserID, for person: UserID) async throws {
        try await store.write { transaction in
            let known = try transaction.labels(of: user)
            guard known[person] != nil || known.count < MarkService.maximumLabels else {
                throw Refusal(
                    .conflict,
                    "too-many-labels",
                    "You have \(MarkService.maximumLabels) labels, the maximum. Delete one first."
                )
            }
            try transaction.setLabel(label.text, of: user, for: person)
        }
    }

    /// Deletes a user's label for another person, if there is one.
    package func removeLabel(of user: UserID, for person: UserID) async throws {
        try await store.write { try $0.setLabel(nil, of: user, for: person) }
    }
}

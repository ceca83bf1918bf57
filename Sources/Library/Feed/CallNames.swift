import Storage
package import Stories

extension StoreReader {
    /// What somebody calls people: by their own labels, else by the people's own names; the built-in archive is nobody.
    package func callNames(of people: Set<UserID>, for viewer: UserID?) throws -> [UserID: String] {
        let people = people.subtracting([.archive])
        var names = try names(of: people)
        guard let viewer else { return names }
        for (person, label) in try labels(of: viewer, for: people) where names[person] != nil { names[person] = label }
        return names
    }
}

import Storage
package import Stories

extension StoreReader {
    /// Returns the names under which a viewer sees people: the viewer's own labels, otherwise the people's own names.
    ///
    /// Unknown people and the built-in archive have none.
    package func callNames(of people: Set<UserID>, for viewer: UserID?) throws -> [UserID: String] {
        let people = people.subtracting([.archive])
        var names = try names(of: people)
        guard let viewer else { return names }
        for (person, label) in try labels(of: viewer, for: people) where names[person] != nil { names[person] = label }
        return names
    }
}

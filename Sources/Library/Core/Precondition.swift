/// Names the versions of resources as callers know them, for example by an ETag of their encoded bytes.
///
/// Use cases compare names to decide whether a change is allowed; the layer that sends the resources defines the names.
package struct VersionNames<Subject>: Sendable {
    /// Returns the name of a resource's current version.
    package let name: @Sendable (Subject) -> String
    /// Returns whether a caller's demand, such as the value of `If-Match`, matches a name.
    package let fits: @Sendable (_ demand: String, _ name: String) -> Bool

    /// Creates a value from its parts.
    package init(
        name: @escaping @Sendable (Subject) -> String,
        fits: @escaping @Sendable (_ demand: String, _ name: String) -> Bool
    ) {
        self.name = name
        self.fits = fits
    }
}

/// The version of a resource that a caller requires before changing it.
package struct Precondition<Subject>: Sendable {
    /// The demand as the caller sent it.
    package let demand: String
    /// The names of versions for this caller.
    package let names: VersionNames<Subject>

    /// Creates a value from its parts.
    package init(demand: String, names: VersionNames<Subject>) {
        self.demand = demand
        self.names = names
    }

    /// Checks that a resource has the version that the caller requires.
    ///
    /// - Throws: ``Refusal`` of the kind ``Refusal/Kind/changed``, with the name of the current version.
    package func check(_ subject: Subject, called noun: String) throws {
        let current = names.name(subject)
        guard names.fits(demand, current) else { throw Refusal.changed(noun, current: current) }
    }
}

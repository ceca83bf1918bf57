/// Names the versions of things as callers know them, for example by an ETag of the bytes that they are sent as.
///
/// Use cases compare the names to decide whether a change may be made; the sender of the things makes the names.
package struct VersionNames<Subject>: Sendable {
    /// Returns the name of the version that a thing is now.
    package let name: @Sendable (Subject) -> String
    /// Returns whether the demand of a caller, such as the value of `If-Match`, fits a name.
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

/// The version of a thing that a caller demands before changing it.
package struct Precondition<Subject>: Sendable {
    /// The demand as the caller put it.
    package let demand: String
    /// How versions are named to the caller.
    package let names: VersionNames<Subject>

    /// Creates a value from its parts.
    package init(demand: String, names: VersionNames<Subject>) {
        self.demand = demand
        self.names = names
    }

    /// Checks that a thing is the version that the caller demands.
    ///
    /// - Throws: ``Refusal`` of the kind ``Refusal/Kind/changed``, with the name of the current version.
    package func check(_ subject: Subject, called noun: String) throws {
        let current = names.name(subject)
        guard names.fits(demand, current) else { throw Refusal.changed(noun, current: current) }
    }
}

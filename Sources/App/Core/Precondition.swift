/// Names the versions of things as callers know them, for example by an ETag of the bytes that they are sent as.
///
/// Use cases compare the names to decide whether a change may be made; the sender of the things makes the names.
struct VersionNames<Subject>: Sendable {
    /// Returns the name of the version that a thing is now.
    let name: @Sendable (Subject) -> String
    /// Returns whether the demand of a caller, such as the value of `If-Match`, fits a name.
    let fits: @Sendable (_ demand: String, _ name: String) -> Bool
}

/// The version of a thing that a caller demands before changing it.
struct Precondition<Subject>: Sendable {
    /// The demand as the caller put it.
    let demand: String
    /// How versions are named to the caller.
    let names: VersionNames<Subject>

    /// Checks that a thing is the version that the caller demands.
    ///
    /// - Throws: ``Refusal`` of the kind ``Refusal/Kind/changed``, with the name of the current version.
    func check(_ subject: Subject, called noun: String) throws {
        let current = names.name(subject)
        guard names.fits(demand, current) else { throw Refusal.changed(noun, current: current) }
    }
}

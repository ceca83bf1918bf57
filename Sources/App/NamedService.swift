package import ServiceLifecycle

/// A service whose description is the name of its type.
///
/// ServiceGroup writes the descriptions of its services into logs and errors; the usual one of a structure has all its
/// values, passwords among them.
package protocol NamedService: Service, CustomStringConvertible {}

extension NamedService {
    /// The name of the type.
    package var description: String { "\(Self.self)" }
}

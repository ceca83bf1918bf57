/// A reason why a simulation could not go on: a fault of the simulation itself, not of the service.
package struct SimulationFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    package let description: String

    /// Creates a fault.
    init(_ description: String) { self.description = description }
}

/// The reason why a text is no condition.
package struct QueryTextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem and what is expected, without a full stop.
    package let message: String
    /// The place in the text: the number of characters (Unicode scalars) before it, plus one.
    package let position: Int

    /// The message with the place.
    package var description: String { "is not CQL2 text at character \(position): \(message)" }
}

public import Notifications

/// Sends messages: ``OutboundSender`` in a service, a recording sender in tests.
public protocol ChannelSender: Sendable {
    /// Sends one attempt and returns the answer.
    ///
    /// - Throws: ``SendingError`` if there was no answer, ``SendingDelay`` if the attempt never began;
    ///   `CancellationError` if the task was cancelled.
    func send(_ message: OutgoingMessage) async throws -> ChannelAnswer

    /// Returns the reason to reject a URL before any attempt: its form, its port, or an IP address as its host.
    ///
    /// Returns `nil` if only an attempt can show whether the URL is rejected.
    func refusal(of url: String) -> String?
}

extension ChannelSender {
    /// Rejects no URL.
    public func refusal(of url: String) -> String? { nil }
}

/// An attempt that got no answer.
public struct SendingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public let problem: DeliveryProblem
    /// A description without addresses and secrets.
    public let description: String
    /// Whether the message may have been delivered, although there was no answer.
    public let mayHaveArrived: Bool

    /// Creates an error; by default, a message whose answer is late or invalid may have been delivered.
    public init(_ problem: DeliveryProblem, _ description: String, mayHaveArrived: Bool? = nil) {
        self.problem = problem
        self.description = description
        self.mayHaveArrived = mayHaveArrived ?? (problem == .timedOut || problem == .badAnswer)
    }
}

/// An attempt that never began because too many are under way, to any endpoint.
public struct SendingDelay: Error, Hashable, Sendable, CustomStringConvertible {
    /// A description of the problem.
    public var description: String { "too many messages are already being sent" }

    /// Creates an error.
    public init() {}
}

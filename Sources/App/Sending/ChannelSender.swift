public import Notifications

/// What carries messages out: the one door, or a recording in a test.
public protocol ChannelSender: Sendable {
    /// Sends one attempt and returns what was answered.
    ///
    /// - Throws: ``SendingError`` when there was no answer, ``SendingDelay`` when the attempt never began;
    ///   `CancellationError` when the task was cancelled.
    func send(_ message: OutgoingMessage) async throws -> ChannelAnswer

    /// Why nothing is ever sent to an address, by its spelling, its port, or the host where that is an address itself;
    /// `nil` where that can only be found out by trying.
    func refusal(of url: String) -> String?
}

extension ChannelSender {
    /// Refuses none.
    public func refusal(of url: String) -> String? { nil }
}

/// Why there was no answer.
public struct SendingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The word for it.
    public let problem: DeliveryProblem
    /// What happened, without addresses or anything secret.
    public let description: String

    /// Creates an error.
    public init(_ problem: DeliveryProblem, _ description: String) {
        self.problem = problem
        self.description = description
    }
}

/// Why an attempt never began: too many are under way, whatever endpoint it was for.
public struct SendingDelay: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is the matter.
    public var description: String { "too much is being sent already" }

    /// Creates an error.
    public init() {}
}

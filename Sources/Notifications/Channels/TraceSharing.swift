/// Decides which receivers learn the trace of the request that caused a message.
///
/// A trace id in the messages to two people tells a receiver of both that they have to do with each other. So a
/// person's own request is shared with their own webhook, which has proven itself. The trace of an app's backend, which
/// can be that of many people, is shared only with the hosts that the operator names as the app's own.
public struct TraceSharing: Hashable, Sendable {
    /// Whose request caused a message.
    public enum Cause: Hashable, Sendable {
        /// No request, or one of which the message's row keeps nothing.
        case none
        /// The recipient's own.
        case own
        /// An app's backend.
        case service
    }

    /// The hosts, in lower case, whose webhooks get the traces of an app's backend.
    public let hosts: Set<String>

    /// Creates a decision; hosts may be in upper case.
    public init(hosts: Set<String> = []) { self.hosts = Set(hosts.map { $0.lowercased() }) }

    /// Returns whether a receiver may know the trace to which the cause of a message belongs.
    ///
    /// - Parameters:
    ///   - cause: whose request it was.
    ///   - target: the destination.
    ///   - isProven: whether the owner of the destination has shown that they want messages.
    /// - Returns: whether the message may carry it.
    public func shares(_ cause: Cause, with target: ChannelTarget, isProven: Bool) -> Bool {
        guard target.kind.carriesTrace, isProven else { return false }
        switch cause {
        case .none: return false
        case .own: return true
        case .service: return hosts.contains(target.host)
        }
    }
}

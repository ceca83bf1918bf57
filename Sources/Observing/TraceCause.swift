public import Instrumentation
public import Stories

/// The operation from which another one follows, and whose request it was.
///
/// It decides who may learn of a trace: one id in the messages to two people would tell a receiver of both that they
/// have to do with each other. So what a person's request causes for others begins a trace of its own.
public struct TraceCause: Hashable, Sendable {
    /// Whose request began an operation.
    public enum Origin: Hashable, Sendable {
        /// Nobody's who is known: a request without credentials, or one that is not checked yet.
        case unknown
        /// A person's own request.
        case person(UserID)
        /// A request of an app's backend, which acts for many people.
        case service
    }

    /// The operation.
    public let parent: TraceParent
    /// Whose request it was.
    public var origin: Origin

    /// Creates a cause.
    public init(_ parent: TraceParent, origin: Origin = .unknown) { (self.parent, self.origin) = (parent, origin) }

    /// The cause of what the current task does, if it has one.
    public static var current: TraceCause? { InstrumentationContext.current?.cause }

    /// Runs `body` as the work of a request that is known to be of `origin` by now.
    public static func attributing<Value>(
        to origin: Origin,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        guard var context = InstrumentationContext.current, var cause = context.cause else { return try await body() }
        cause.origin = origin
        context.cause = cause
        return try await InstrumentationContext.$current.withValue(context) { try await body() }
    }

    /// The word after the position in a row about a person, if a backend made the request.
    private static let serviceWord = "service"

    /// Returns the text to keep in a row about a person; `nil` if the request was somebody else's.
    public func text(keptFor user: UserID) -> String? {
        switch origin {
        case .service: "\(parent) \(TraceCause.serviceWord)"
        case .person(user): parent.description
        case .person, .unknown: nil
        }
    }

    /// Reads the text that was kept in a row about a person; `nil` if it is no such text.
    public init?(kept text: String, for user: UserID) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard let first = parts.first, let parent = TraceParent(String(first)) else { return nil }
        switch parts.count {
        case 1: self.init(parent, origin: .person(user))
        case 2 where parts[1] == TraceCause.serviceWord: self.init(parent, origin: .service)
        default: return nil
        }
    }
}

extension InstrumentationContext {
    private enum Key: InstrumentationContextKey {
        typealias Value = TraceCause
    }

    /// The operation from which what has this context follows.
    public var cause: TraceCause? {
        get { self[Key.self] }
        set { self[Key.self] = newValue }
    }
}

/// A document of the provider: fetched when it is needed, kept for a while, and never asked for too often.
///
/// All who wait for it share one request, whose failure they share too.
actor ProviderShelf<Value: Sendable> {
    /// How long the document is kept, in milliseconds.
    private let kept: Int64
    /// The shortest time between two requests, in milliseconds.
    private let pause: Int64
    /// A clock in milliseconds that never jumps.
    private let lasting: @Sendable () -> Int64
    private let fetch: @Sendable () async throws -> Value

    private var last: (at: Int64, result: Result<Value, any Error>)?
    private var fetching: Task<Value, any Error>?

    init(
        keptFor kept: Int64,
        pause: Int64,
        lasting: @escaping @Sendable () -> Int64,
        fetch: @escaping @Sendable () async throws -> Value
    ) {
        self.kept = kept
        self.pause = pause
        self.lasting = lasting
        self.fetch = fetch
    }

    /// Returns the document, fetched anew if it is too old.
    ///
    /// - Throws: what fetching threw, now or within the pause.
    func current() async throws -> Value {
        guard let last else { return try await renewed() }
        let age = lasting() - last.at
        switch last.result {
        case .success(let value): if (0..<kept).contains(age) { return value }
        case .failure(let error): if (0..<pause).contains(age) { throw error }
        }
        return try await renewed()
    }

    /// Returns the document fetched anew; `nil` if it was fetched within the pause.
    ///
    /// - Throws: what fetching threw.
    func newer() async throws -> Value? {
        if fetching == nil, let last, (0..<pause).contains(lasting() - last.at) { return nil }
        return try await renewed()
    }

    private func renewed() async throws -> Value {
        if let fetching { return try await fetching.value }
        // A task of its own: whoever asked first may leave while others wait.
        let task = Task { [fetch] in try await fetch() }
        fetching = task
        let result = await task.result
        fetching = nil
        last = (lasting(), result)
        return try result.get()
    }
}

/// A request to the provider.
package struct ProviderRequest: Sendable {
    /// The address.
    package let url: String
    /// The value of the `Authorization` header; `nil` for none.
    package var authorization: String?
    /// The body of a POST, as a form; `nil` for a GET.
    package var form: String?

    /// Creates a GET.
    package init(url: String) { self.url = url }
}

/// The provider's answer.
package struct ProviderAnswer: Sendable {
    /// The status; a redirect is an ordinary answer, and is never followed.
    package let status: Int
    /// The whole body.
    package let body: [UInt8]

    /// Creates a value from its parts.
    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// The provider did not answer, or not as it should.
package struct ProviderOutage: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was asked for and what came, without addresses and contents.
    package let description: String

    /// Creates a value with a description.
    package init(_ description: String) { self.description = description }
}

/// Makes requests to the provider.
package protocol ProviderTransport: Sendable {
    /// Sends a request and waits for the whole answer.
    ///
    /// - Throws: ``ProviderOutage`` if there is none in time, or one that is too long.
    func send(_ request: ProviderRequest) async throws -> ProviderAnswer
}

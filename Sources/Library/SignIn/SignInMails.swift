/// The addresses to which sign-in e-mails were asked for, until the work is done outside of the requests.
///
/// So an answer takes the same time whether or not there is an account, and causes no work in the database.
package final class SignInMails: Sendable {
    /// The maximum number of addresses that wait; further ones are dropped.
    package static let most = 1_000

    /// The addresses in the order of the requests; one loop may read them.
    package let addresses: AsyncStream<String>
    private let queue: AsyncStream<String>.Continuation

    /// Creates an empty queue.
    package init() {
        (addresses, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(SignInMails.most))
    }

    /// Adds an address.
    func add(_ address: String) { queue.yield(address) }
}

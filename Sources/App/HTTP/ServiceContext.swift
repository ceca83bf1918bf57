public import Hummingbird
public import NIOCore

/// What is known of a request besides itself: the address it came from.
public struct ServiceContext: RequestContext, RemoteAddressRequestContext {
    /// Hummingbird's part.
    public var coreContext: CoreRequestContextStorage
    /// The other end of the connection; `nil` where there is none, in a test without a network.
    public let remoteAddress: SocketAddress?
    /// The connection; `nil` where there is none.
    let connection: (any Channel)?

    /// Creates the context of a request that came over a channel.
    public init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        remoteAddress = source.channel.remoteAddress
        connection = remoteAddress == nil ? nil : source.channel
    }
}

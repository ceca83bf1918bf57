public import Hummingbird
public import NIOCore

/// The context of a request: the connection on which it arrived.
public struct ServiceContext: RequestContext, RemoteAddressRequestContext {
    /// The context that Hummingbird requires.
    public var coreContext: CoreRequestContextStorage
    /// The client's address; `nil` in a test without a network.
    public let remoteAddress: SocketAddress?
    /// The connection; `nil` in a test without a network.
    package let connection: (any Channel)?

    /// Creates the context of a request that came over a channel.
    public init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        remoteAddress = source.channel.remoteAddress
        connection = remoteAddress == nil ? nil : source.channel
    }
}

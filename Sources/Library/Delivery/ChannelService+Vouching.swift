import Notifications
package import Storage

extension ChannelService {
    /// Activates a webhook whose endpoint cannot answer a challenge, such as Home Assistant's, because the operator
    /// vouches for it.
    ///
    /// Only an operator may call this, because a user could have messages sent to somebody else's endpoint. The operator
    /// repeats the host, so that they vouch for the endpoint that they mean. A channel that is switched off later has to
    /// be verified or vouched for again.
    ///
    /// - Throws: ``Refusal`` if there is no such channel, it is of another kind, it leads to another host, or its
    ///   target cannot be read.
    package func vouch(for id: String, at host: String) async throws -> ChannelRow {
        try await store.write { [self] transaction in
            guard var channel = try transaction.channel(id), channel.state != .single else { throw Refusal.notFound }
            guard channel.kind == .webhook else { throw Refusal.notVouchable }
            guard let target = seal.target(of: channel) else { throw Refusal.sealLost }
            guard target.host == host.lowercased() else { throw Refusal.otherHost }
            guard channel.state != .active else { return channel }
            channel.state = .active
            channel.reason = nil
            channel.failures = 0
            channel.failingSince = nil
            channel.pausedUntil = nil
            try transaction.save(channel)
            return channel
        }
    }
}

extension Refusal {
    /// A channel that its owner has to confirm, or that needs no confirmation.
    static let notVouchable = Refusal(
        .conflict,
        "not-vouchable",
        "Only a webhook can be vouched for: an e-mail address is confirmed by its code, and other kinds need neither."
    )
    /// A channel that leads elsewhere.
    static let otherHost = Refusal(
        .conflict,
        "other-host",
        "The channel leads to another host. Ask its owner for the address, and vouch for that host only if you know it."
    )
}

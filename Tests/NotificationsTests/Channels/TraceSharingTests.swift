import Notifications
import Testing

/// Which receivers learn the trace of the request that caused a message.
struct TraceSharingTests {
    @Test("OBS-01 PRV-02 A person's own webhook learns the trace of their request; no other kind of channel does")
    func kinds() throws {
        for kind in ChannelKind.allCases {
            let target = try ChannelSamples.target(kind)
            let sharing = TraceSharing(hosts: [target.host])
            for cause in [TraceSharing.Cause.own, .service] {
                #expect(sharing.shares(cause, with: target, isProven: true) == (kind == .webhook), "\(kind) \(cause)")
                #expect(!sharing.shares(cause, with: target, isProven: false), "\(kind) \(cause)")
            }
            #expect(!sharing.shares(.none, with: target, isProven: true))
        }
    }

    @Test("PRV-02 The trace of an app's backend is for the hosts that the operator names")
    func hosts() throws {
        let target = try ChannelSamples.target(.webhook)
        for (hosts, isShared) in [
            ([], false), (["hooks.example.com"], true), (["Hooks.Example.COM"], true), (["example.com"], false),
        ] as [(Set<String>, Bool)] {
            #expect(TraceSharing(hosts: hosts).shares(.service, with: target, isProven: true) == isShared, "\(hosts)")
        }
    }
}

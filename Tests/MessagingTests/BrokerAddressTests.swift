import Messaging
import Testing

@Suite("Where a broker of messages may be, and what its topics are")
struct BrokerAddressTests {
    @Test(
        "REL-09 An address without TLS is that of this machine or a private one",
        arguments: [
            ("mqtts://broker.example.org", "broker.example.org", 8_883, true),
            ("MQTTS://Broker.Example.org:9000/", "broker.example.org", 9_000, true),
            ("mqtt://localhost", "localhost", 1_883, false), ("mqtt://127.0.0.1:1884", "127.0.0.1", 1_884, false),
            ("mqtt://192.168.1.5", "192.168.1.5", 1_883, false), ("mqtt://10.9.8.7", "10.9.8.7", 1_883, false),
            ("mqtt://[::1]:1883", "::1", 1_883, false), ("mqtt://[fd12::3]", "fd12::3", 1_883, false),
            ("mqtts://[2001:4860::1]:1", "2001:4860::1", 1, true),
        ]
    )
    func good(text: String, host: String, port: Int, isEncrypted: Bool) throws {
        let address = try BrokerAddress(text)
        #expect(address.host == host && address.port == port && address.isEncrypted == isEncrypted)
    }

    @Test(
        "Every other address is refused with what is expected",
        arguments: [
            "", "broker", "http://broker", "mqtts://", "mqtts://user@broker", "mqtts://broker/topic",
            "mqtts://broker:0",
            "mqtts://broker:65536", "mqtts://broker:+1", "mqtts://broker:", "mqtts://[::1", "mqtts://[1.2.3.4]",
            "mqtts://a b", "mqtt://broker.example.org", "mqtt://8.8.8.8", "mqtt://mosquitto", "mqtt://[2001:4860::1]",
            "mqtt://172.32.0.1", "mqtts://\(String(repeating: "a", count: 254))", "mqtts://b\u{e9}",
        ]
    )
    func bad(text: String) {
        let problem = #expect(throws: BrokerProblem.self) { try BrokerAddress(text) }
        #expect(problem?.option == "--mqtt" && problem?.message.hasSuffix(" ") == false)
        #expect(problem?.message.contains("mqtts://") == true)
    }

    @Test("REL-09 A password leaves this machine with TLS alone; certificates need TLS")
    func secrets() throws {
        let login = BrokerOptions.Login(user: "waymark", password: "secret")
        let problem = #expect(throws: BrokerProblem.self) {
            try BrokerOptions(address: "mqtt://192.168.1.5", login: login)
        }
        #expect(problem?.option == "--mqtt-password-file" && problem?.message.contains("secret") == false)
        let options = try BrokerOptions(address: "mqtt://127.0.0.1", login: login)
        #expect(!"\(login) \(options)".contains("secret") && !String(reflecting: options).contains("secret"))
        _ = try BrokerOptions(address: "mqtts://192.168.1.5", login: login)
        _ = try BrokerOptions(address: "mqtt://192.168.1.5", login: .init(user: "waymark", password: nil))
        let other = #expect(throws: BrokerProblem.self) {
            try BrokerOptions(address: "mqtt://127.0.0.1", certificates: "ca.pem")
        }
        #expect(other?.option == "--mqtt-ca")
    }

    @Test(
        "A prefix consists of plain words, so that no topic of ours is one of somebody else's",
        arguments: [
            ("waymark", true), ("home/waymark_2", true), ("", false), ("/a", false), ("a/", false), ("a//b", false),
            ("#", false), ("a/+", false), ("$SYS", false), ("a b", false), ("\u{e9}", false),
            (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
        ]
    )
    func prefixes(prefix: String, isGood: Bool) {
        #expect(((try? BrokerTopics(prefix: prefix)) != nil) == isGood)
        let options = try? BrokerOptions(address: "mqtt://127.0.0.1", discovery: prefix)
        #expect((options != nil) == isGood)
    }

    @Test(
        "The key of a device stands behind the prefix, with or without the topic of its transitions",
        arguments: [
            ("home/way/in/KEY", "KEY"), ("home/way/in/KEY/event", "KEY"), ("home/way/in/KEY/waypoints", nil),
            ("home/way/in/KEY/event/more", nil), ("home/way/in/", nil), ("home/way/in//event", nil),
            ("home/way/in", nil),
            ("other/way/in/KEY", nil), ("home/way/out/KEY", nil), ("", nil),
        ] as [(String, String?)]
    )
    func keys(topic: String, key: String?) throws {
        let topics = try BrokerTopics(prefix: "home/way")
        #expect(topics.key(in: topic).map(String.init) == key)
        #expect(topics.positions == ["home/way/in/+", "home/way/in/+/event"])
    }
}

import Testing
import Transport

@Suite("Addresses")
struct AddressTests {
    /// Where nothing may be dialled, one or more of every range.
    static let refused = [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "100.127.255.255",
        "127.0.0.1", "127.0.0.2", "127.255.255.254", "168.63.129.16", "169.254.0.1", "169.254.169.254", "172.16.0.1",
        "172.31.255.255", "192.0.0.1", "192.0.0.170", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1",
        "192.168.0.1", "192.168.255.255", "192.175.48.1", "198.18.0.1", "198.19.255.255", "198.51.100.1",
        "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.254", "255.255.255.255", "::", "::1",
        "::2", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:8.8.8.8",
        "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "100::1",
        "2001::1", "2001:0:7f00:1::", "2001:0:4136:e378:8000:63bf:f5ff:fffe", "2001:2::1", "2001:10::1", "2001:20::1",
        "2001:db8::1", "2002:7f00:1::1", "2002:a00:1::1", "2002:808:808::1", "2620:4f:8000::1", "3fff::1",
        "3fff:fff:ffff::1", "4000::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fdff:ffff::1", "fe80::1",
        "febf::1", "fec0::1", "ff02::1", "ff0e::1", "1::1",
    ]

    @Test("DLV-03 Only the public network may be dialled", arguments: refused)
    func refusal(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!AddressGuard(allowed: []).allows(address))
        let url = text.contains(":") ? "https://[\(text)]/" : "https://\(text)/"
        #expect(throws: OutboundError.refusedAddress) { try OutboundOptions().check(url) }
    }

    @Test(
        "DLV-03 The public network may be dialled, even right next to blocked addresses",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
            "128.0.0.1", "168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255",
            "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
            "203.0.112.255", "203.0.114.0", "223.255.255.255", "2001:200::1", "2001:4860:4860::8888", "2606:4700::1",
            "2a00:1450::1", "2001:db7:ffff::1", "2001:db9::1", "2003::1", "3ffe::1", "2000::1",
        ]
    )
    func permission(text: String) throws {
        #expect(AddressGuard(allowed: []).allows(try #require(IPAddress(text))))
    }

    @Test("DLV-03 Addresses the operator allows are dialled; a translator also needs its target allowed")
    func allowed() throws {
        func allows(_ address: String, _ ranges: [String]) throws -> Bool {
            let ranges = try ranges.map { try #require(AddressRange($0)) }
            return AddressGuard(allowed: ranges).allows(try #require(IPAddress(address)))
        }
        #expect(try allows("192.168.7.9", ["192.168.7.0/24"]) && !allows("192.168.8.9", ["192.168.7.0/24"]))
        #expect(try allows("192.168.7.9", ["192.168.7.9"]) && !allows("192.168.7.8", ["192.168.7.9"]))
        #expect(try allows("::1", ["::1"]) && allows("fd12::1", ["fd00::/8"]) && !allows("fc12::1", ["fd00::/8"]))
        #expect(try allows("10.9.9.9", ["0.0.0.0/0"]) && !allows("::1", ["0.0.0.0/0"]))
        #expect(try allows("64:ff9b::8.8.8.8", ["64:ff9b::/96"]))
        #expect(try !allows("64:ff9b::10.0.0.1", ["64:ff9b::/96"]))
        #expect(try allows("64:ff9b::10.0.0.1", ["64:ff9b::/96", "10.0.0.0/8"]))
        #expect(try !allows("::ffff:127.0.0.1", ["::/0"]) && !allows("2002:7f00:1::1", ["::/0"]))
        #expect(try !allows("::ffff:127.0.0.1", ["127.0.0.0/8"]))
    }

    @Test("DLV-03 Cloud metadata and link-local addresses need a specific range: no wide one allows them")
    func metadata() throws {
        func allows(_ address: String, _ ranges: [String]) throws -> Bool {
            let ranges = try ranges.map { try #require(AddressRange($0)) }
            return AddressGuard(allowed: ranges).allows(try #require(IPAddress(address)))
        }
        for (address, wide, own) in [
            ("169.254.169.254", ["0.0.0.0/0", "169.0.0.0/8", "168.0.0.0/7"], ["169.254.0.0/16", "169.254.169.254"]),
            ("100.100.100.200", ["100.64.0.0/10", "100.100.100.200/31"], ["100.100.100.200"]),
            ("168.63.129.16", ["0.0.0.0/0"], ["168.63.129.16/32"]), ("192.0.0.192", ["192.0.0.0/24"], ["192.0.0.192"]),
            ("fd00:ec2::254", ["::/0", "fd00::/8", "fc00::/7"], ["fd00:ec2::254", "fd00:ec2::/64"]),
            ("fd20:ce::254", ["fd00::/8"], ["fd20:ce::254"]), ("fe80::1", ["::/0", "fe00::/7"], ["fe80::/10"]),
        ] {
            #expect(try !allows(address, wide), "\(address)")
            for range in own { #expect(try allows(address, wide + [range]), "\(address) \(range)") }
        }
        #expect(try !allows("::ffff:169.254.169.254", ["::/0", "0.0.0.0/0"]))
        #expect(try allows("100.100.100.199", ["100.64.0.0/10"]) && allows("fd01::1", ["fd00::/8"]))
    }

    @Test(
        "DLV-03 Invalid ranges are rejected",
        arguments: [
            "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.1/8", "10/8", "fd00::/129",
            "fd00::1/8", "10.0.0.0/+8", "010.0.0.0/8", "[::1]", "fe80::1%eth0", "10.0.0.0 /8", "a\u{0}",
        ]
    )
    func badRanges(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test(
        "DLV-03 Every unusual spelling of an address is rejected before any other parser sees it",
        arguments: [
            ("https://example.com", nil), ("HTTPS://EXAMPLE.com/a?b=c", nil), ("https://example.com:8443/", nil),
            ("https://xn--bcher-kva.example/", nil), ("https://example.com?x=1", nil), ("https://1.1.1.1/", nil),
            ("https://[2606:4700::1]:8443/", nil), ("https://a_b.example.com/%2e%2e/x", nil),
            ("", .length), ("https:/", .length), ("https://" + String(repeating: "a", count: 5_000), .length),
            ("https://example.com/a b", .characters), ("https://example.com\\@127.0.0.1/", .characters),
            ("https://example.com/#x", .characters), ("https://exa\u{0}mple.com/", .characters),
            ("https://bücher.example/", .characters), ("https://１２７.0.0.1/", .characters),
            ("https://example。com/", .characters), ("https://example.com/\r\nHost: x", .characters),
            ("https://example.com/{a}", .characters), ("//example.com/", .scheme), ("example.com/", .scheme),
            ("ftp://example.com/", .scheme), ("file:///etc/passwd", .scheme), ("gopher://127.0.0.1:25/x", .scheme),
            ("dict://127.0.0.1:11211/", .scheme), ("javascript://x/", .scheme), ("http://example.com/", .scheme),
            ("https:example.com/x", .scheme), ("https:///example.com", .host), ("https://user@example.com/", .userInfo),
            ("https://example.com@127.0.0.1/", .userInfo), ("https://a:b@example.com/", .userInfo),
            ("https://@example.com/", .userInfo), ("https://example.com:80:80/", .port),
            ("https://example.com:/", .port),
            ("https://example.com:0/", .port), ("https://example.com:00443/", .port),
            ("https://example.com:65536/", .port),
            ("https://example.com:+443/", .port), ("https://example.com:22/", .port),
            ("https://example.com:25/", .port),
            ("https://example.com:6379/", .port), ("https://example.com:443x/", .port), ("https://:443/", .host),
            ("https://example.com./", .host), ("https://localhost./", .host), ("https://127.0.0.1./", .host),
            ("https://example..com/", .host), ("https://.example.com/", .host), ("https://-a.example.com/", .host),
            ("https://127.1/", .host), ("https://127.0.1/", .host), ("https://0/", .host),
            ("https://2130706433/", .host),
            ("https://0x7f000001/", .host), ("https://0x7f.0.0.1/", .host), ("https://127.0.0.0x1/", .host),
            ("https://0177.0.0.1/", .host), ("https://127.0.0.01/", .host), ("https://127.0.0.256/", .host),
            ("https://127.0.0.1.1/", .host), ("https://a.1/", .host), ("https://%31%32%37.0.0.1/", .host),
            ("https://127.0.0.1%2eexample.com/", .host), ("https://[::1/", .host), ("https://[127.0.0.1]/", .host),
            ("https://[::1]x/", .port), ("https://[fe80::1%25eth0]/", .host), ("https://[::ffff:0x7f.0.0.1]/", .host),
            ("https://[]/", .host), ("https://::1/", .port), ("https://a*b.example.com/", .host),
        ] as [(String, OutboundError.URLProblem?)]
    )
    func spellings(text: String, problem: OutboundError.URLProblem?) {
        if let problem {
            #expect(throws: OutboundError.badURL(problem)) { try OutboundOptions().check(text) }
        } else {
            #expect(throws: Never.self) { try OutboundOptions().check(text) }
        }
    }

    @Test("DLV-03 Errors of a call contain neither host nor path nor query")
    func errors() async throws {
        let transport = try OutboundTransport()
        for url in ["https://10.11.12.13/secretpath?secret=1", "https://user@secret.example.com/", "ftp://secretpath/"]
        {
            let error = await #expect(throws: OutboundError.self) {
                try await transport.send(OutboundRequest(url: url))
            }
            let text = "\(String(describing: error)) \(error?.word ?? "")"
            #expect(!text.contains("secret") && !text.contains("10.11"))
        }
        #expect(!"\(OutboundRequest(url: "https://secretpath/"))".contains("secret"))
        await transport.shutdown()
    }
}

import Web
import HTTPTypes
import Testing

@Suite("Parts of files over HTTP")
struct ByteRangeTests {
    private static func range(
        _ range: String?,
        ifRange: String? = nil,
        length: Int = 100,
        most: Int = 1_000
    ) -> ByteRange {
        var headers: HTTPFields = [:]
        headers[.range] = range
        headers[.ifRange] = ifRange
        return ByteRange(headers, length: length, tag: "\"a\"", most: most)
    }

    @Test(
        "RFC 9110 §14.1.2: first and last byte, up to the end, and the last bytes",
        arguments: [
            ("bytes=0-0", 0..<1), ("bytes=0-49", 0..<50), ("bytes=90-", 90..<100), ("bytes=-10", 90..<100),
            ("bytes=-500", 0..<100), ("bytes=99-99999999999999999999999", 99..<100), ("BYTES=1-2", 1..<3),
        ]
    )
    func parts(header: String, expected: Range<Int>) {
        #expect(ByteRangeTests.range(header) == .part(expected))
    }

    @Test("A part is never longer than an answer may be")
    func bounded() {
        #expect(ByteRangeTests.range("bytes=0-", most: 30) == .part(0..<30))
        #expect(ByteRangeTests.range("bytes=10-99", most: 30) == .part(10..<40))
        #expect(ByteRangeTests.range("bytes=-50", most: 30) == .part(50..<80))
    }

    @Test(
        "Parts that do not exist",
        arguments: ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999-"]
    )
    func unsatisfiable(header: String) {
        #expect(ByteRangeTests.range(header) == .unsatisfiable)
    }

    @Test("A file without bytes has no parts", arguments: ["bytes=0-", "bytes=-1"])
    func empty(header: String) {
        #expect(ByteRangeTests.range(header, length: 0) == .unsatisfiable)
    }

    @Test(
        "Anything else means the whole file",
        arguments: [
            nil, "", "bytes", "bytes=", "bytes=-", "bytes=5-4", "bytes=1-2,4-5", "bytes=a-b", "bytes=1", "bytes=--1",
            "bytes=+1-2", "bytes=1-2-3", "lines=1-2", "bytes=\u{661}-\u{662}",
            "bytes=" + String(repeating: "1", count: 500) + "-",
        ]
    )
    func whole(header: String?) {
        #expect(ByteRangeTests.range(header) == .whole)
    }

    @Test("If-Range: a part of the version that the client has, else the whole")
    func condition() {
        #expect(ByteRangeTests.range("bytes=0-1", ifRange: "\"a\"") == .part(0..<2))
        #expect(ByteRangeTests.range("bytes=0-1", ifRange: "\"b\"") == .whole)
        #expect(ByteRangeTests.range("bytes=0-1", ifRange: "W/\"a\"") == .whole)
        #expect(ByteRangeTests.range("bytes=0-1", ifRange: "Sat, 29 Oct 1994 19:43:31 GMT") == .whole)
    }
}

import Formats
import Geometry
import Stories
import Testing

@Suite("RFC 3339")
struct RFC3339Tests {
    @Test(
        "Valid instants",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.001Z", 1), ("1969-12-31T23:59:59.999Z", -1),
            ("2026-11-21T05:40:00.123Z", 1_795_239_600_123), ("2026-11-21t05:40:00z", 1_795_239_600_000),
            ("2026-11-21T06:40:00+01:00", 1_795_239_600_000), ("2026-11-20T23:40:00-0600", 1_795_239_600_000),
            ("2026-11-21T05:40:00.1239999999Z", 1_795_239_600_123), ("2026-11-21T05:40:00.1Z", 1_795_239_600_100),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000), ("2017-01-01T00:59:60+01:00", 1_483_228_800_000),
            ("2024-02-29T12:00:00Z", 1_709_208_000_000), ("0001-01-01T00:00:00Z", -62_135_596_800_000),
        ] as [(String, Int64)]
    )
    func read(text: String, milliseconds: Int64) {
        #expect(RFC3339.parse(text) == Timestamp(milliseconds: milliseconds))
    }

    @Test(
        "Everything else is rejected",
        arguments: [
            "", "2026", "2026-11-21", "2026-11-21T05:40Z", "2026-11-21T05:40:00", "2026-11-21 05:40:00Z",
            "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
            "2026-04-31T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T05:60:00Z", "2026-11-21T05:40:61Z",
            "2026-11-21T05:40:60Z", "2026-11-21T23:59:60Z", "2026-11-21T05:40:00.Z", "2026-11-21T05:40:00,5Z",
            "2026-11-21T05:40:00+1:00", "2026-11-21T05:40:00+24:00", "2026-11-21T05:40:00+01:60",
            "2026-11-21T05:40:00Z ", " 2026-11-21T05:40:00Z", "2026-11-21T05:40:00ZZ", "2026-11-21T05:40:00+01",
            "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "２026-11-21T05:40:00Z",
            "+026-11-21T05:40:00Z", "2026-1-21T05:40:00Z",
        ]
    )
    func refused(text: String) {
        #expect(RFC3339.parse(text) == nil)
    }

    @Test(
        "Milliseconds are written only if not zero",
        arguments: [
            (1_795_239_600_123, "2026-11-21T05:40:00.123Z"), (1_795_239_600_000, "2026-11-21T05:40:00Z"),
            (1_795_239_600_007, "2026-11-21T05:40:00.007Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (.max, "9999-12-31T23:59:59.999Z"), (.min, "0001-01-01T00:00:00Z"),
        ] as [(Int64, String)]
    )
    func written(milliseconds: Int64, expected: String) {
        #expect(RFC3339.format(Timestamp(milliseconds: milliseconds)) == expected)
    }

    @Test("Written instants read back unchanged", arguments: UInt64(0)..<50)
    func roundTrip(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<100 {
            let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999
            let instant = Timestamp(milliseconds: .random(in: range, using: &generator))
            #expect(RFC3339.parse(RFC3339.format(instant)) == instant)
        }
    }

    @Test("Damaged instants never crash", arguments: UInt64(0)..<200)
    func fuzz(seed: UInt64) {
        var mutator = Mutator(seed: seed)
        for _ in 0..<50 {
            let bytes = mutator.mutate(Array("2026-11-21T05:40:00.123+01:30".utf8))
            guard let instant = RFC3339.parse(utf8: bytes) else { continue }
            #expect(instant.day != nil)
        }
    }
}

import Formats
import Foundation
import Geometry
import Testing

@Suite("gzip")
struct GzipTests {
    private func sample(_ count: Int) -> [UInt8] {
        var generator = SplitMix64(seed: 7)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() % 7) }
    }

    @Test("Compressed bytes decompress to the original", arguments: [0, 1, 1000, 65_536, 300_000], [0, 1, 6, 9, 100])
    func roundTrip(count: Int, level: Int) throws {
        let bytes = sample(count)
        let packed = try Gzip.compress(bytes, level: level)
        #expect(Gzip.isGzip(packed))
        #expect(try Gzip.decompress(packed, limit: count) == bytes)
        #expect(try Gzip.compress(bytes, level: level) == packed)
        #expect(Array(packed[4..<8]) == [0, 0, 0, 0], "no time is recorded")
    }

    @Test("Several members form one file, and zeros after the last are padding")
    func members() throws {
        let packed = try Gzip.compress([1, 2, 3]) + Gzip.compress([]) + Gzip.compress([4])
        #expect(try Gzip.decompress(packed, limit: 10) == [1, 2, 3, 4])
        #expect(try Gzip.decompress(packed + [0, 0, 0], limit: 10) == [1, 2, 3, 4])
        #expect(throws: Gzip.Failure.corrupt) { try Gzip.decompress(packed + [0, 0, 1], limit: 10) }
        #expect(throws: Gzip.Failure.corrupt) { try Gzip.decompress(packed + [9, 9], limit: 10) }
    }

    @Test("The limit applies to the actual decompressed size")
    func limit() throws {
        let packed = try Gzip.compress([UInt8](repeating: 0, count: 10_000_000), level: 9)
        #expect(throws: Gzip.Failure.tooLarge(limit: 9_999_999)) { try Gzip.decompress(packed, limit: 9_999_999) }
        #expect(throws: Gzip.Failure.tooLarge(limit: 0)) { try Gzip.decompress(packed, limit: 0) }
        #expect(try Gzip.decompress(packed, limit: 10_000_000).count == 10_000_000)
    }

    @Test("A file truncated anywhere is an error")
    func truncated() throws {
        let packed = try Gzip.compress(sample(500))
        for length in 0..<packed.count {
            #expect(throws: Gzip.Failure.truncated) { try Gzip.decompress(Array(packed[..<length]), limit: 1000) }
        }
    }

    @Test("Chunks of any size give the same result", arguments: [1, 2, 17, 1000])
    func pieces(size: Int) throws {
        let bytes = sample(200_000)
        let packed = try Gzip.compress(bytes) + Gzip.compress([5])
        let decoder = try GzipDecoder(limit: 1_000_000)
        var output: [UInt8] = []
        for start in stride(from: 0, to: packed.count, by: size) {
            try decoder.decode(Array(packed[start..<min(packed.count, start + size)]), into: &output)
        }
        try decoder.finish()
        #expect(output == bytes + [5])
    }

    @Test("Damaged files never crash and never pass as other content", arguments: UInt64(0)..<100)
    func fuzz(seed: UInt64) throws {
        let bytes = sample(400)
        let packed = try Gzip.compress(bytes)
        var mutator = Mutator(seed: seed)
        for _ in 0..<20 {
            let damaged = mutator.mutate(packed)
            if let output = try? Gzip.decompress(damaged, limit: 100_000) { #expect(output.starts(with: bytes)) }
        }
    }
}

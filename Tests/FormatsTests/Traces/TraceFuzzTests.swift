import Formats
import Geometry
import Testing

@Suite("Trace reader under damaged input")
struct TraceFuzzTests {
    /// Changes some bytes, cuts or repeats a piece.
    private func damage(_ bytes: inout [UInt8], _ generator: inout SplitMix64) {
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
            let start = Int.random(in: 0..<bytes.count, using: &generator)
            let end = min(bytes.count, start + Int.random(in: 1...40, using: &generator))
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes[start] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes.removeSubrange(start..<end)
            case 3: bytes.insert(contentsOf: bytes[start..<end], at: start)
            case 4: bytes.removeSubrange(start...)
            default: bytes[start] = Array("<>&\"'{}[],;.-9e$*\n".utf8).randomElement(using: &generator) ?? 0
            }
        }
    }

    @Test("Damaged files give a trace or an error, the same each time", arguments: TraceFixtures.all.map(\.name))
    func damaged(name: String) throws {
        let fixture = try #require(TraceFixtures.all.first { $0.name == name }).text
        var generator = SplitMix64(seed: UInt64(name.utf8.count) &* 7_919)
        var refused = 0
        for round in 0..<2_000 {
            var bytes = Array(fixture.utf8)
            damage(&bytes, &generator)
            let first = outcome(bytes, name)
            if case .failure = first { refused += 1 }
            if round.isMultiple(of: 20) { #expect(outcome(bytes, name) == first) }
        }
        #expect(refused > 0)
    }

    @Test("Every prefix of a file gives a trace or an error", arguments: TraceFixtures.all.map(\.name))
    func truncated(name: String) throws {
        let bytes = Array(try #require(TraceFixtures.all.first { $0.name == name }).text.utf8)
        for length in stride(from: 0, to: bytes.count, by: 3) {
            let result = outcome(Array(bytes.prefix(length)), name)
            if name.hasSuffix(".gpx") || name.hasSuffix(".tcx") || name.hasSuffix("json") {
                #expect(throws: TraceError.self, "a document of \(length) bytes is not whole") { try result.get() }
            }
        }
    }

    @Test("Damaged gzip gives a trace or an error")
    func damagedGzip() throws {
        let packed = try Gzip.compress(Array(TraceFixtures.gpx11.utf8))
        var generator = SplitMix64(seed: 11)
        for _ in 0..<500 {
            var bytes = packed
            damage(&bytes, &generator)
            _ = outcome(bytes, "x.gpx.gz")
        }
    }

    /// What reading gives; anything but a ``TraceError`` is recorded as an issue.
    private func outcome(_ bytes: [UInt8], _ name: String) -> Result<Trace, TraceError> {
        do {
            let trace = try TraceReader.read(bytes, fileName: name)
            #expect(trace.segments.allSatisfy { !$0.isEmpty })
            return .success(trace)
        } catch let error as TraceError {
            return .failure(error)
        } catch {
            Issue.record("\(error) is no TraceError")
            return .failure(TraceError(.malformed, file: name, problem: "\(error)", remedy: "none"))
        }
    }
}

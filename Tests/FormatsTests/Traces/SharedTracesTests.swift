import Formats
import Foundation
import TestSupport
import Testing

/// Recorded traces of several programs and devices, against the counts another reader found.
@Suite("Recorded traces", .enabled(if: SharedData.isWanted("data/traces/manifest.csv")))
struct SharedTracesTests {
    /// One file with what the manifest says of it.
    struct Expectation: Sendable, CustomTestStringConvertible {
        let file: String
        let points: Int
        let timed: Int
        let segments: Int
        let isUnreadable: Bool
        var testDescription: String { file }
    }

    static let manifest: [Expectation] = (try? read()) ?? []

    private static func read() throws -> [Expectation] {
        guard let url = SharedData.url("data/traces/manifest.csv") else { return [] }
        var reader = CSVReader([UInt8](try Data(contentsOf: url)))
        let header = try reader.next()?.fields ?? []
        var rows: [Expectation] = []
        while let record = try reader.next() {
            let row = Dictionary(zip(header, record.fields)) { first, _ in first }
            rows.append(
                Expectation(
                    file: row["file"] ?? "",
                    points: row["points"].flatMap { Int($0) } ?? -1,
                    timed: row["timed_points"].flatMap { Int($0) } ?? -1,
                    segments: row["segments"].flatMap { Int($0) } ?? -1,
                    isUnreadable: row["parse_error"]?.isEmpty == false
                )
            )
        }
        return rows
    }

    @Test("The manifest lists the files")
    func manifestIsThere() {
        #expect(SharedTracesTests.manifest.count >= 49)
    }

    @Test(
        "NTF-10 Every recorded trace has the points in the manifest, or is rejected if stated there",
        arguments: manifest
    )
    func recorded(_ expectation: Expectation) throws {
        let url = try #require(SharedData.url("data/traces/" + expectation.file))
        let bytes = [UInt8](try Data(contentsOf: url))
        guard !expectation.isUnreadable else {
            let error = #expect(throws: TraceError.self) { try TraceReader.read(bytes, fileName: expectation.file) }
            #expect(error?.code == .invalidValue && error?.place != .file)
            return
        }
        let trace = try TraceReader.read(bytes, fileName: expectation.file)
        #expect(trace.pointCount == expectation.points)
        #expect(trace.timedPoints.count == expectation.timed)
        // The manifest counts empty segments, which a trace does not keep.
        #expect(trace.segments.count <= expectation.segments)
        #expect(trace.segments.count > 0 || expectation.points == 0)
    }

    @Test("Recorded traces survive being written and read again", arguments: manifest.filter { !$0.isUnreadable })
    func rewritten(_ expectation: Expectation) throws {
        let url = try #require(SharedData.url("data/traces/" + expectation.file))
        let trace = try TraceReader.read([UInt8](try Data(contentsOf: url)), fileName: expectation.file)
        #expect(try TraceReader.read(GPXWriter.write(trace), fileName: "").segments == trace.segments)
        #expect(try TraceReader.read(CSVTraceWriter.write(trace), fileName: "").segments == trace.segments)
    }
}

import Library
import App
import Formats
import Foundation
import Geofencing
import Stories

/// A folder of traces, each with its ground truth.
struct TraceFolder: Sendable {
    let path: String

    private static let endings = ["gpx", "geojson", "json", "csv", "tcx", "nmea"]
    private static let mark = ".truth.json"

    /// Reads every pair, sorted by name; a ground truth without a trace is reported and skipped.
    func load(remark: (String) -> Void) throws -> [(name: String, world: TraceWorld)] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw CommandFailure.usage("\(path) is not a readable folder.")
        }
        let truths = names.filter { $0.hasSuffix(TraceFolder.mark) }.sorted()
        guard !truths.isEmpty else {
            throw CommandFailure.usage(
                "\(path) contains no file that ends with \(TraceFolder.mark); 'waymark simulate --output' writes them."
            )
        }
        return try truths.compactMap { truth in
            let base = truth.dropLast(TraceFolder.mark.count)
            let traces = TraceFolder.endings.flatMap { ["\(base).\($0)", "\(base).\($0).gz"] }
            guard let trace = traces.first(where: names.contains) else {
                remark("\(truth) is skipped: there is no trace next to it.")
                return nil
            }
            return try world(trace: "\(path)/\(trace)", truth: "\(path)/\(truth)")
        }
    }

    private func world(trace: String, truth: String) throws -> (name: String, world: TraceWorld) {
        do {
            let recorded = try TraceReader.read(try contents(of: trace), fileName: trace)
            let real = try TraceTruth(parsing: try contents(of: truth), fileName: truth)
            let world = TraceWorld(
                start: real.start.milliseconds,
                path: real.path,
                fences: real.fences.map { Fence($0.center, radius: $0.radius) },
                segments: recorded.fixes
            )
            return (real.labels.isEmpty ? "traces" : real.labels.joined(separator: " "), world)
        } catch let error as TraceError {
            throw CommandFailure.usage(error.description)
        } catch {
            throw CommandFailure.usage("\(trace) or its ground truth cannot be read; check the permissions.")
        }
    }
}

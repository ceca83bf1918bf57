/// Reads recorded and simulated GPS traces: GPX, TCX, GeoJSON, CSV, NMEA 0183, recordings of OwnTracks and other JSON
/// messages, and Google's location histories, optionally compressed with gzip (NTF-10).
///
/// No repair is silent: skipped parts are listed in ``Trace/problems``; an implausible position, or a truncated file,
/// is an error.
public enum TraceReader: Sendable {
    static let expectation =
        "expected GPX, TCX, GeoJSON, CSV, NMEA, OwnTracks or other JSON, or Google's location history"

    /// Reads a trace; the format is determined by the content, and by the file extension only if the content is
    /// ambiguous.
    ///
    /// - Parameters:
    ///   - bytes: the content of the file.
    ///   - fileName: the name of the file, for messages and as the default name of the trace; may be empty.
    ///   - limits: the limits for the file.
    /// - Returns: the points in file order, with the skipped parts.
    /// - Throws: ``TraceError``.
    /// - Complexity: O(bytes).
    public static func read(
        _ bytes: [UInt8],
        fileName: String,
        limits: TraceLimits = TraceLimits()
    ) throws -> Trace {
        let builder = TraceBuilder(file: fileName, limits: limits)
        let content = try unpacked(bytes, builder)
        guard content.count <= limits.bytes else { throw tooLarge(builder) }
        guard withoutMark(content).contains(where: { !$0.isBlank }) else {
            throw builder.error(
                .notATrace,
                at: .file,
                "the file is empty",
                "choose a recording with at least one point"
            )
        }
        switch format(of: content, fileName: fileName) {
        case .gpx, .tcx: return try XMLTraceReader.read(content, into: builder)
        case .geoJSON, .google: return try GeoJSONTraceReader.read(content, into: builder)
        case .ownTracks, .json: return try JSONRecordingReader.read(lines: withoutMark(content), into: builder)
        case .csv: return try CSVTraceReader.read(content, into: builder)
        case .nmea: return try NMEATraceReader.read(content, into: builder)
        case nil:
            let remedy = "export the recording as GPX, or give a CSV file a header with lat and lon"
            throw builder.error(.notATrace, at: .file, "not a trace: \(expectation)", remedy)
        }
    }

    private static func unpacked(_ bytes: [UInt8], _ builder: TraceBuilder) throws -> [UInt8] {
        guard Gzip.isGzip(bytes) else { return bytes }
        do {
            return try Gzip.decompress(bytes, limit: builder.limits.bytes)
        } catch .tooLarge {
            throw tooLarge(builder)
        } catch {
            throw builder.error(.malformed, at: .file, "\(error)", "fetch the file again")
        }
    }

    private static func tooLarge(_ builder: TraceBuilder) -> TraceError {
        let problem = "rejected: the file has more than \(builder.limits.bytes) bytes"
        return builder.error(.refused, at: .file, problem, "split the recording into several files")
    }

    private static func withoutMark(_ content: [UInt8]) -> ArraySlice<UInt8> {
        content.starts(with: [0xEF, 0xBB, 0xBF]) ? content[3...] : content[...]
    }

    /// Returns the format of the content or, if that is ambiguous, the format suggested by the file name.
    ///
    /// XML counts as GPX until its root is read.
    private static func format(of content: [UInt8], fileName: String) -> TraceFormat? {
        if XMLText.isLikely(content) { return .gpx }
        let start = withoutMark(content)
        switch start.first(where: { !$0.isBlank }) {
        case UInt8(ascii: "{") where isLines(start): return .json
        case UInt8(ascii: "{"), UInt8(ascii: "["): return .geoJSON
        case UInt8(ascii: "$"), UInt8(ascii: "!"): return .nmea
        default: break
        }
        if JSONRecordingReader.isRecorded(start.prefix(65_536)) { return .ownTracks }
        if CSVTraceReader.hasHeader(Array(start.prefix(4_096))) { return .csv }
        if NMEATraceReader.isLikely(start.prefix(4_096)) { return .nmea }
        return format(ofName: fileName)
    }

    /// Returns whether each line is a JSON object, judging by the first two.
    private static func isLines(_ content: ArraySlice<UInt8>) -> Bool {
        let lines = content.prefix(1 << 20)
            .split(separator: UInt8(ascii: "\n"), maxSplits: 8)
            .filter { $0.contains { !$0.isBlank } }
            .prefix(2)
        return lines.count == 2
            && lines.allSatisfy { line in
                line.first { !$0.isBlank } == UInt8(ascii: "{") && line.last { !$0.isBlank } == UInt8(ascii: "}")
            }
    }

    private static func format(ofName fileName: String) -> TraceFormat? {
        var name = fileName.lowercased()
        if name.hasSuffix(".gz") { name.removeLast(3) }
        if name.hasSuffix(".csv") || name.hasSuffix(".tsv") { return .csv }
        if name.hasSuffix(".nmea") { return .nmea }
        if name.hasSuffix(".rec") { return .ownTracks }
        if name.hasSuffix(".geojson") { return .geoJSON }
        return name.hasSuffix(".gpx") || name.hasSuffix(".tcx") ? .gpx : nil
    }
}

import Formats
import Foundation
import HTTPTypes

/// Writes an answer as text that is the same on every run and every machine.
///
/// Ids, secrets, tags and times need nothing: the world draws them from a seed and keeps its own time. What is left is
/// measured or packed by the machine.
enum GoldenNormaliser: Sendable {
    /// Lines of `/metrics` that tell of the machine and of the moment.
    private static let measured = ["waymark_writer_hold_seconds_max", "waymark_log_bytes"]

    /// Status, headers in the order of their names, and body.
    static func text(of reply: TwinReply, route: String) -> String {
        let isPacked = reply.fields[.contentEncoding] == "gzip"
        let isArchive = reply.fields[.contentType] == "application/zip"
        // How far bytes shrink depends on the version of the library that packs them, and a measurement has any length.
        let hasAnyLength = isPacked || isArchive || route.hasSuffix("/metrics")
        let headers = reply.headers.filter { !hasAnyLength || !$0.lowercased().hasPrefix("content-length") }
        return ([String(reply.status)] + headers + ["", body(of: reply, isPacked, isArchive, route)])
            .joined(separator: "\n")
    }

    private static func body(of reply: TwinReply, _ isPacked: Bool, _ isArchive: Bool, _ route: String) -> String {
        if isPacked, let bytes = try? Gzip.decompress(reply.bytes, limit: 1 << 26) {
            return "unpacked: " + unmeasured(text(bytes), route)
        }
        if isArchive, !reply.bytes.isEmpty, let files = try? ZipFiles.read(reply.bytes) {
            return files.sorted { $0.key < $1.key }.map { "file \($0.key)\n\(text($0.value))" }.joined(separator: "\n")
        }
        return unmeasured(text(reply.bytes), route)
    }

    /// A text without the measurements in it.
    private static func unmeasured(_ text: String, _ route: String) -> String {
        guard route.hasSuffix("/metrics") else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in
                guard measured.contains(where: line.hasPrefix), let blank = line.lastIndex(of: " ") else {
                    return String(line)
                }
                return String(line[..<blank]) + " MEASURED"
            }
            .joined(separator: "\n")
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(validating: bytes, as: UTF8.self) ?? "base64: " + Data(bytes).base64EncodedString()
    }
}

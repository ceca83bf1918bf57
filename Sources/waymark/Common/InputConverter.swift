import Converting
import Formats
import Foundation
import Importing
import Library
import Stories

/// Converts files of an import that only GDAL reads.
///
/// Only the operator's own program does so, and never a service for those who send it files.
struct InputConverter: Sendable {
    /// Whether positions stay as they are, because the operator names their reference system.
    let keepsPositions: Bool

    /// The maximum size of a file in bytes, before and after.
    static let limit = StoryImporter.Options(owner: .archive).byteLimit

    /// Returns whether a file that begins like this may have to be converted, so that it is worth reading whole.
    func mayConvert(_ start: [UInt8], name: String) -> Bool {
        guard Gzip.isGzip(start) else { return ConvertibleFormat.mayBegin(start) }
        // Other packed files are not unpacked just to look.
        let name = name.lowercased()
        return ConvertibleFormat.allCases.contains { name.hasSuffix(".\($0.fileExtension).gz") }
    }

    /// Converts a file; `nil` if Waymark reads it itself, or refuses it in any case.
    ///
    /// - Throws: ``ImportProblem`` if it cannot be converted.
    func converted(_ bytes: [UInt8], name: String) async throws -> ConvertedInput? {
        guard bytes.count <= Self.limit, mayConvert(bytes, name: name), let content = unpacked(bytes),
            let format = ConvertibleFormat(content: content)
        else { return nil }
        guard let converter = GDALConverter(searching: ProcessInfo.processInfo.environment["PATH"]) else {
            throw ImportProblem(file: name, severity: .error, message: format.refusal(name: name))
        }
        do {
            let output = try await Interruption.cancelling {
                try await converter.convert(
                    content,
                    from: format,
                    keepsPositions: keepsPositions,
                    limits: .init(bytes: Self.limit)
                )
            }
            let origin = ConvertedOrigin(
                digest: FileDigest.of(bytes),
                format: format.title.lowercased(),
                remarks: output.remarks
            )
            return ConvertedInput(bytes: output.geoJSON, origin: origin)
        } catch let failure as GDALConverter.Failure {
            throw ImportProblem(file: name, severity: .error, message: failure.reason)
        }
    }

    private func unpacked(_ bytes: [UInt8]) -> [UInt8]? {
        guard Gzip.isGzip(bytes) else { return bytes }
        return try? Gzip.decompress(bytes, limit: Self.limit)
    }
}

/// A file that was converted.
struct ConvertedInput: Sendable {
    /// What the importer reads.
    let bytes: [UInt8]
    let origin: ConvertedOrigin
}

/// What a converted file was before.
struct ConvertedOrigin: Sendable {
    /// The SHA-256 of the file as it was given: another version of GDAL may convert the same file to other bytes.
    let digest: [UInt8]
    /// Its format, such as `flatgeobuf`.
    let format: String
    /// How it was converted, each for people and without a full stop.
    let remarks: [String]

    init(digest: [UInt8], format: String, remarks: [String]) {
        (self.digest, self.format, self.remarks) = (digest, format, remarks)
    }

    /// Reads what ``bytes`` wrote; `nil` for other bytes.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes, limits: .init(bytes: 1 << 20)),
            let digest = json["digest"]?.string.flatMap({ Data(base64Encoded: $0) }), digest.count == 32,
            let format = json["format"]?.string
        else { return nil }
        self.digest = [UInt8](digest)
        self.format = format
        remarks = (json["remarks"]?.array ?? []).compactMap(\.string)
    }

    /// The origin as bytes.
    var bytes: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("digest", Data(digest).base64EncodedString())
        json.member("format", format)
        json.member("remarks", remarks)
        json.endObject()
        return json.bytes
    }
}

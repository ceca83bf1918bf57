import Formats
import Foundation
public import Gazetteer
package import Storage

/// A file that was added to the gazetteer.
public struct AddedFile: Sendable, CustomStringConvertible {
    /// The name of the file.
    public let name: String
    /// The number of its records that are stored.
    public let records: Int64
    /// Whether it was read completely.
    public let isDone: Bool
    /// When the file was last modified before it was read, RFC 3339 in UTC; `nil` if unknown.
    public let changed: String?

    package init(_ source: GazetteerStaging.Source) {
        name = source.name
        records = source.position
        isDone = source.isDone
        // The mark consists of the size and modification time of the file.
        changed = source.mark.split(separator: " ").dropFirst().first.flatMap { Double($0) }
            .map { Date(timeIntervalSince1970: $0).ISO8601Format() }
    }

    /// "alameda.zip of 2026-11-21T21:30:00Z: 5305 records".
    public var description: String {
        let of = changed.map { " of \($0)" } ?? ""
        return "\(name)\(of): \(records) record\(records == 1 ? "" : "s")\(isDone ? "" : ", read only in part")"
    }
}

extension GazetteerAdditions {
    /// Returns the contents of the gazetteer as JSON.
    public static func json(_ index: GazetteerIndex, _ additions: GazetteerAdditions?, _ files: [AddedFile]) -> [UInt8]
    {
        var json = JSONWriter(capacity: 300)
        json.beginObject()
        json.member("places", index.placeCount)
        json.member("names", index.nameCount)
        json.member("bytes", index.byteCount)
        json.key("added")
        json.beginObject()
        json.member("places", additions?.places?.placeCount ?? 0)
        json.member("addresses", additions?.addresses?.addressCount ?? 0)
        json.member("streets", additions?.addresses?.streetCount ?? 0)
        json.member("names_by_language", additions?.spellings?.count ?? 0)
        json.key("files")
        json.beginArray()
        for file in files {
            json.beginObject()
            json.member("name", file.name)
            json.member("changed", file.changed)
            json.member("records", Int(file.records))
            json.member("done", file.isDone)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        json.endObject()
        return json.bytes
    }
}

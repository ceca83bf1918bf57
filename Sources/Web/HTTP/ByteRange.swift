package import HTTPTypes

/// The part of a file that a request asks for (RFC 9110 §14).
package enum ByteRange: Equatable, Sendable {
    /// The whole file: the request names no part, several, or one in another unit, all of which a server may ignore.
    case whole
    /// A part of the file, not empty.
    case part(Range<Int>)
    /// A part that begins beyond the end of the file.
    case unsatisfiable

    /// Reads `Range` and `If-Range` of a request for a file of `length` bytes, whose current version has the tag `tag`.
    ///
    /// At most `most` bytes are answered at once: a server may send less than it was asked for.
    package init(_ headers: HTTPFields, length: Int, tag: String, most: Int) {
        // A date in If-Range never matches: versions have tags only.
        let isCurrent = headers[.ifRange].map { $0 == tag } ?? true
        let wanted = isCurrent ? headers[.range].flatMap { ByteRange.bounds(in: $0) } : nil
        switch wanted {
        case nil: self = .whole
        case (let first?, let last)?:
            let end = min(last.map { $0 + 1 } ?? length, length, first + most)
            self = first < length ? .part(first..<end) : .unsatisfiable
        case (nil, let count)?:
            // The last bytes.
            let start = max(0, length - (count ?? 0))
            self = start < length ? .part(start..<min(length, start + most)) : .unsatisfiable
        }
    }

    /// Returns the numbers around the hyphen of a single range of bytes; `nil` for anything else.
    private static func bounds(in header: String) -> (first: Int?, last: Int?)? {
        guard header.utf8.count <= 100, header.lowercased().hasPrefix("bytes=") else { return nil }
        let bounds = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, bounds.joined().utf8.allSatisfy(ByteRange.isDigit) else { return nil }
        let (first, last) = (number(bounds[0]), number(bounds[1]))
        switch (first, last) {
        case (nil, nil): return nil
        case (let first?, let last?) where last < first: return nil
        default: return (first, last)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Numbers too large for a file are the largest one; an empty text is none.
    private static func number(_ digits: some StringProtocol) -> Int? {
        digits.isEmpty ? nil : min(Int(digits) ?? .max, 1 << 60)
    }
}

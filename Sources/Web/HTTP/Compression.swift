import Formats

/// Gzip compression of responses for clients that accept it.
package enum Compression: Sendable {
    /// The minimum size in bytes for compression: shorter bodies fit into one packet anyway.
    static let leastBytes = 1_024

    /// Returns whether an `Accept-Encoding` header allows gzip (RFC 9110 §12.5.3); `gzip;q=0` forbids it.
    package static func accepts(_ header: String?) -> Bool {
        guard let header else { return false }
        return header.lowercased().split(separator: ",")
            .contains { coding in
                let parts = coding.filter { $0 != " " }.split(separator: ";")
                guard parts.first == "gzip" || parts.first == "*" else { return false }
                return !parts.dropFirst().contains { ["q=0", "q=0.0", "q=0.00", "q=0.000"].contains($0) }
            }
    }

    /// Returns the compressed bytes, or `nil` if compression does not save anything.
    package static func pack(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= leastBytes, let packed = try? Gzip.compress(bytes, level: 5), packed.count < bytes.count
        else { return nil }
        return packed
    }
}

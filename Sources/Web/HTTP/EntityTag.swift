import Crypto

/// ETags (RFC 9110 §8.8.3).
package enum EntityTag: Sendable {
    /// Returns a strong tag: 96 bits of SHA-256 over the bytes, so it reveals nothing that the bytes do not.
    package static func strong(_ bytes: [UInt8]) -> String {
        let digits = SHA256.hash(data: bytes).prefix(12)
            .map { byte in
                String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }
        return "\"" + digits.joined() + "\""
    }

    /// Returns whether a header such as `If-None-Match` or `If-Match` names `tag` or its variant for the packed body.
    ///
    /// `If-None-Match` compares weakly, `If-Match` strongly; strongly, a tag with `W/` never matches.
    package static func matches(_ header: String?, _ tag: String, weakly: Bool = true) -> Bool {
        match(header, tag, weakly: weakly) != nil
    }

    /// Returns the tag in a header that matches `tag` or its variant for the packed body; `nil` without a match.
    package static func match(_ header: String?, _ tag: String, weakly: Bool = true) -> String? {
        guard let header else { return nil }
        for candidate in header.split(separator: ",") {
            let trimmed = candidate.filter { $0 != " " && $0 != "\t" }
            let opaque = weakly && trimmed.hasPrefix("W/") ? String(trimmed.dropFirst(2)) : trimmed
            if opaque == "*" { return tag }
            if opaque == tag || opaque == packed(tag) { return opaque }
        }
        return nil
    }

    /// Returns the tag of the packed body; its bytes differ, so it needs a strong tag of its own.
    package static func packed(_ tag: String) -> String { String(tag.dropLast()) + "-gz\"" }
}

import Crypto

/// ETags (RFC 9110 §8.8.3).
enum EntityTag: Sendable {
    /// A strong tag: 96 bits of SHA-256 over the bytes themselves, so it tells nothing that they do not.
    static func strong(_ bytes: [UInt8]) -> String {
        let digits = SHA256.hash(data: bytes).prefix(12)
            .map { byte in
                String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }
        return "\"" + digits.joined() + "\""
    }

    /// Whether a header such as `If-None-Match` or `If-Match` names `tag`, of the plain body or of the packed one.
    ///
    /// `If-None-Match` compares weakly, `If-Match` strongly: there `W/` never fits.
    static func matches(_ header: String?, _ tag: String, weakly: Bool = true) -> Bool {
        match(header, tag, weakly: weakly) != nil
    }

    /// The tag by which a header names `tag`, that of the plain body or of the packed one; `nil` when it does not.
    static func match(_ header: String?, _ tag: String, weakly: Bool = true) -> String? {
        guard let header else { return nil }
        for candidate in header.split(separator: ",") {
            let trimmed = candidate.filter { $0 != " " && $0 != "\t" }
            let opaque = weakly && trimmed.hasPrefix("W/") ? String(trimmed.dropFirst(2)) : trimmed
            if opaque == "*" { return tag }
            if opaque == tag || opaque == packed(tag) { return opaque }
        }
        return nil
    }

    /// The tag of the packed form: other bytes, another strong tag.
    static func packed(_ tag: String) -> String { String(tag.dropLast()) + "-gz\"" }
}

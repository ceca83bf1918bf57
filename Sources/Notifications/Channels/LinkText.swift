/// Validation of links that a backend supplies.
public enum LinkText: Sendable {
    /// The maximum size of an encoded link, in bytes.
    public static let mostBytes = 2_000

    /// Returns the form of a link used in the feed and every channel, with characters that are invalid in a URL
    /// percent-encoded.
    ///
    /// Returns `nil` unless the text is an `https` or `http` URL with an ASCII host and no user name, or a path that
    /// begins with one slash. Spaces, control characters, backslashes and links longer than ``mostBytes`` are rejected.
    public static func normalised(_ text: String) -> String? {
        // Compares bytes, because a combining mark after a slash would hide the slash from a comparison of characters.
        let bytes = Array(text.utf8)
        let slash = UInt8(ascii: "/")
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else { return nil }
        var start = 0
        if bytes.first == slash {
            guard bytes.dropFirst().first != slash else { return nil }
        } else {
            guard let end = endOfHost(bytes), HTTPAddress(String(decoding: bytes[..<end], as: UTF8.self)) != nil else {
                return nil
            }
            start = end
        }
        var normalised = Array(bytes[..<start])
        var hasFragment = false
        for byte in bytes[start...] {
            let isMark = byte == UInt8(ascii: "#") && !hasFragment
            if isMark { hasFragment = true }
            if isMark || HTTPAddress.isAllowed(byte) {
                normalised.append(byte)
            } else {
                normalised += [UInt8(ascii: "%"), hexDigit(byte >> 4), hexDigit(byte & 15)]
            }
        }
        return normalised.count <= mostBytes ? String(decoding: normalised, as: UTF8.self) : nil
    }

    /// Returns the start of the path, the query or the fragment in an absolute URL.
    private static func endOfHost(_ bytes: [UInt8]) -> Int? {
        for scheme in ["https://", "http://"] {
            let beginning = String(decoding: bytes.prefix(scheme.utf8.count), as: UTF8.self)
            guard beginning.lowercased() == scheme else { continue }
            return bytes[scheme.utf8.count...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
        }
        return nil
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "A") - 10)
    }
}

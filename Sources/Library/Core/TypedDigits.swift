/// The digits of codes that people read out and type: Crockford's base 32 (crockford.com/base32.html), which has no letters
/// that look like digits.
enum TypedDigits: Sendable {
    private static let all = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// Returns random digits.
    static func random(_ count: Int, from random: RandomSource) -> String {
        // 256 is a multiple of 32, so every digit is equally likely.
        String(decoding: random.bytes(count).map { all[Int($0 & 31)] }, as: UTF8.self)
    }

    /// Returns the digits of a code as people type it: in any case, with spaces and hyphens, and with O for 0 and I or L
    /// for 1; `nil` if it has other characters, or more than 100 bytes.
    static func read(_ typed: String) -> String? {
        guard typed.utf8.count <= 100 else { return nil }
        var characters: [UInt8] = []
        for byte in typed.utf8 {
            let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte & 0xDF : byte
            switch upper {
            case UInt8(ascii: " "), UInt8(ascii: "-"): continue
            case UInt8(ascii: "O"): characters.append(UInt8(ascii: "0"))
            case UInt8(ascii: "I"), UInt8(ascii: "L"): characters.append(UInt8(ascii: "1"))
            default:
                guard all.contains(upper) else { return nil }
                characters.append(upper)
            }
        }
        return String(decoding: characters, as: UTF8.self)
    }
}

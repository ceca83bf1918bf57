import GRDB
import Storage

/// Writes API keys by the description of their form, not by the service's code.
enum KeyForge: Sendable {
    /// A key in its right form with a checksum that fits.
    static func key(id: String, secret: [UInt8]) -> String {
        let body = "wm_live_\(id)_" + base62(secret, length: 43)
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in body.utf8 {
            crc = table[Int((crc ^ UInt32(byte)) & 0xFF)] ^ crc >> 8
        }
        crc ^= 0xFFFF_FFFF
        return body
            + base62([UInt8(crc >> 24), UInt8(crc >> 16 & 255), UInt8(crc >> 8 & 255), UInt8(crc & 255)], length: 6)
    }

    private static let table: [UInt32] = (0..<256)
        .map { number in
            var value = UInt32(number)
            for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
            return value
        }

    private static func base62(_ bytes: [UInt8], length: Int) -> String {
        let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        var places = [Int](repeating: 0, count: length)
        for byte in bytes {
            var carry = Int(byte)
            for index in places.indices.reversed() {
                carry += places[index] * 256
                places[index] = carry % 62
                carry /= 62
            }
        }
        return String(places.map { digits[$0] })
    }
}

extension StoryStore {
    /// The devices the evaluator keeps a state of.
    func inspectDevices() throws -> [String] {
        try inspect { try String.fetchAll($0, sql: "SELECT device FROM evaluator_states ORDER BY device") }
    }

    /// How many refresh tokens have not been exchanged.
    func inspectGoodRefreshTokens() throws -> Int? {
        try inspect { try Int.fetchOne($0, sql: "SELECT count(*) FROM refresh_tokens WHERE used_ms IS NULL") }
    }
}

import Formats
package import Notifications
package import Storage
import Stories

/// Seals the addresses and secrets of channels under a key that is stored outside the database.
package struct ChannelSeal: Sendable {
    private let seal: RowSeal

    init(secret: [UInt8]) { seal = RowSeal(secret: secret, purpose: "waymark channel 1") }

    /// Seals fields for the channel `id`.
    func seal(_ fields: [String: String], of id: String, random: RandomSource) throws -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
        json.endObject()
        return try seal.seal(json.bytes, of: id, random: random)
    }

    /// Opens sealed fields; returns `nil` if they were sealed under another key or for another channel.
    func open(_ sealed: [UInt8], of id: String) -> [String: String]? {
        guard let bytes = seal.open(sealed, of: id), let json = try? JSONValue(parsing: bytes) else { return nil }
        return json.object?.compactMapValues(\.string)
    }

    /// Returns the target of a channel, or `nil` if the key it was sealed under is lost.
    package func target(of channel: ChannelRow) -> ChannelTarget? {
        open(channel.target, of: channel.id).flatMap { try? ChannelTarget(kind: channel.kind, fields: $0) }
    }

    /// Returns the text that the owner of an endpoint has to send back: 32 characters, or eight digits for e-mail.
    func challenge(of channel: ChannelRow) -> String {
        var message = "waymark challenge 1|\(channel.id)|\(channel.createdAt.milliseconds)"
        if channel.codeNumber > 0 { message += "|\(channel.codeNumber)" }
        let code = seal.code(for: message)
        if channel.kind == .email {
            let number = code.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100_000_000
            return String(repeating: "0", count: 8 - String(number).count) + String(number)
        }
        return Array(code.prefix(16)).hexDigits
    }
}

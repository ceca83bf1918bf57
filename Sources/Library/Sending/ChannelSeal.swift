import Formats
package import Notifications
package import Storage
import Stories

/// Seals the addresses and secrets of channels under a key that is stored outside the database.
package struct ChannelSeal: Sendable {
    private let seal: RowSeal

    package init(keys: StoreKeys) { seal = RowSeal(secrets: keys.known(.channels), purpose: "waymark channel 1") }

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

    /// Returns the target sealed under the present key if it was sealed under a former one; otherwise `nil`.
    package func renewed(_ channel: ChannelRow, random: RandomSource) throws -> [UInt8]? {
        try seal.renewed(channel.target, of: channel.id, random: random)
    }

    /// Returns whether the target of a channel is sealed under a former key.
    package func isFormer(_ channel: ChannelRow) -> Bool { seal.isFormer(channel.target, of: channel.id) }

    /// Returns the text that the owner of an endpoint has to send back: 32 characters, or eight digits for e-mail.
    func challenge(of channel: ChannelRow) -> String {
        ChannelSeal.challenge(of: channel, from: seal.code(for: ChannelSeal.message(of: channel)))
    }

    /// Returns whether a text is the challenge of a channel, also if it was sent before the key was rotated.
    func isChallenge(_ text: String, of channel: ChannelRow) -> Bool {
        seal.codes(for: ChannelSeal.message(of: channel))
            .map { isSameSecret(Array(text.utf8), Array(ChannelSeal.challenge(of: channel, from: $0).utf8)) }
            .contains(true)
    }

    private static func message(of channel: ChannelRow) -> String {
        var message = "waymark challenge 1|\(channel.id)|\(channel.createdAt.milliseconds)"
        if channel.codeNumber > 0 { message += "|\(channel.codeNumber)" }
        return message
    }

    private static func challenge(of channel: ChannelRow, from code: [UInt8]) -> String {
        if channel.kind == .email {
            let number = code.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100_000_000
            return String(repeating: "0", count: 8 - String(number).count) + String(number)
        }
        return Array(code.prefix(16)).hexDigits
    }
}

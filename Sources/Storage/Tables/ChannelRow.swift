import Formats
import Foundation
import GRDB
public import Notifications
public import Observing
public import Stories

/// A stored channel: a destination of a user's notifications.
public struct ChannelRow: Hashable, Sendable {
    /// The state of a channel, which decides whether messages are sent.
    public enum State: String, Hashable, Sendable {
        /// The recipient has not yet confirmed the endpoint.
        case unproven
        /// The user's chosen notifications go there.
        case active
        /// Nothing is sent there any more.
        case disabled
        /// It exists for a single message and is not one of its user's channels.
        case single
    }

    /// The channel's id, 32 hexadecimal digits.
    public let id: String
    /// The user whose notifications go there.
    public let user: UserID
    /// The kind of channel.
    public let kind: ChannelKind
    /// The user's name for it.
    public var name: String?
    /// The sealed address and secrets.
    public var target: [UInt8]
    /// The state of the channel.
    public var state: State
    /// Why it is disabled.
    public var reason: String?
    /// Whether its user wants anything sent there, regardless of ``state``.
    public var isEnabled = true
    /// When it was created.
    public let createdAt: Timestamp
    /// The number of wrong codes entered since the current code was created.
    public var wrongCodes = 0
    /// The number of the channel's current code, from 0.
    public var codeNumber = 0
    /// The number of failed attempts since the last success.
    public var failures = 0
    /// When it started failing.
    public var failingSince: Timestamp?
    /// When something was last delivered.
    public var deliveredAt: Timestamp?
    /// Until when no attempt is made.
    public var pausedUntil: Timestamp?

    /// Creates a channel.
    public init(
        id: String,
        user: UserID,
        kind: ChannelKind,
        name: String?,
        target: [UInt8],
        state: State,
        createdAt: Timestamp
    ) {
        self.id = id
        self.user = user
        self.kind = kind
        self.name = name
        self.target = target
        self.state = state
        self.createdAt = createdAt
    }

    /// Reads the channel of a row; `nil` for a kind unknown to this program.
    init?(_ row: Row) {
        guard let user = UserID(row["user"] as String), let kind = ChannelKind(rawValue: row["kind"]),
            let state = State(rawValue: row["state"])
        else { return nil }
        self.init(
            id: row["id"],
            user: user,
            kind: kind,
            name: row["name"],
            target: [UInt8](row["target"] as Data),
            state: state,
            createdAt: Timestamp(milliseconds: row["created_ms"])
        )
        reason = row["reason"]
        isEnabled = !(row["switched_off"] as Bool)
        wrongCodes = row["wrong_codes"]
        codeNumber = row["code_number"]
        failures = row["failures"]
        failingSince = (row["failing_ms"] as Int64?).map(Timestamp.init)
        deliveredAt = (row["delivered_ms"] as Int64?).map(Timestamp.init)
        pausedUntil = (row["paused_ms"] as Int64?).map(Timestamp.init)
    }
}

/// One message to one channel, waiting or completed.
public struct OutboxEntry: Hashable, Sendable {
    /// The state of an entry.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// Waiting to be sent.
        case pending
        /// Accepted by the endpoint.
        case done
        /// Given up; an operator can have it sent again.
        case dead
        /// No longer to be sent.
        case cancelled
    }

    /// The notifications covered by an entry that covers several.
    public enum Scope: Hashable, Sendable {
        /// Those with these ids.
        case notices([String])
        /// All those within a period, which includes `from` and excludes `to`.
        case time(from: Timestamp, to: Timestamp)

        var text: String {
            var json = JSONWriter()
            json.beginObject()
            switch self {
            case .notices(let ids): json.member("notices", ids)
            case .time(let from, let to):
                json.member("from", Int(from.milliseconds))
                json.member("to", Int(to.milliseconds))
            }
            json.endObject()
            return json.text
        }

        init?(_ text: String) {
            guard let json = try? JSONValue(parsing: Array(text.utf8), limits: .init(bytes: 1 << 20)) else {
                return nil
            }
            if let ids = json["notices"]?.array {
                self = .notices(ids.compactMap(\.string))
            } else if let from = json["from"]?.integer, let to = json["to"]?.integer {
                self = .time(
                    from: Timestamp(milliseconds: Int64(from)),
                    to: Timestamp(milliseconds: Int64(to))
                )
            } else {
                return nil
            }
        }
    }

    /// The number by which an operator finds it.
    public let number: Int64
    /// The channel.
    public let channel: String
    /// The recipient.
    public let user: UserID
    /// The id on the wire, the same in every attempt.
    public let message: String
    /// The type of notification.
    public let type: NoticeType
    /// The epoch of the consent under which it was written, if it concerns whereabouts.
    public let epoch: Int?
    /// When it was written.
    public let createdAt: Timestamp
    /// The earliest time of the next attempt.
    public let notBefore: Timestamp
    /// When it becomes useless.
    public let expiresAt: Timestamp?
    /// The number of attempts.
    public let attempts: Int
    /// Its state.
    public let state: State
    /// The reason for its state or delay, in one word.
    public let reason: String?
    /// The endpoint's last response status.
    public let status: Int?
    /// When it reached its final state.
    public let endedAt: Timestamp?
    /// Whether it waited for quiet hours to end.
    public let isDeferred: Bool
    /// The notifications it covers; `nil` if it covers only the one with the id ``message``.
    public let scope: Scope?
    /// The operation that caused it, of the recipient's own request or of an app's backend; `nil` if it was another's,
    /// or none.
    public let cause: TraceCause?

    init?(_ row: Row) {
        guard let user = UserID(row["user"] as String), let type = NoticeType(rawValue: row["type"]),
            let state = State(rawValue: row["state"])
        else { return nil }
        number = row["number"]
        channel = row["channel"]
        self.user = user
        message = row["message"]
        self.type = type
        epoch = row["epoch"]
        createdAt = Timestamp(milliseconds: row["created_ms"])
        notBefore = Timestamp(milliseconds: row["not_before_ms"])
        expiresAt = (row["expires_ms"] as Int64?).map(Timestamp.init)
        attempts = row["attempts"]
        self.state = state
        reason = row["reason"]
        status = row["status"]
        endedAt = (row["ended_ms"] as Int64?).map(Timestamp.init)
        isDeferred = row["deferred"]
        scope = (row["scope"] as String?).flatMap { Scope($0) }
        cause = (row["trace"] as String?).flatMap { TraceCause(kept: $0, for: user) }
    }
}

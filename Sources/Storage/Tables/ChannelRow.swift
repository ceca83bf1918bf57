import Formats
import Foundation
import GRDB
public import Notifications
public import Stories

/// A channel as the store has it: where a user's notifications go.
public struct ChannelRow: Hashable, Sendable {
    /// Whether anything is sent.
    public enum State: String, Hashable, Sendable {
        /// Whoever is at its end has not yet said that it is theirs.
        case unproven
        /// What the user wants goes there.
        case active
        /// Nothing goes there any more.
        case disabled
        /// It is there for one message alone, and no channel of its user's.
        case single
    }

    /// The channel's id, 32 hexadecimal digits.
    public let id: String
    /// Whose notifications go there.
    public let user: UserID
    /// What it is.
    public let kind: ChannelKind
    /// What its user calls it.
    public var name: String?
    /// Where it goes with its secrets, sealed.
    public var target: [UInt8]
    /// Whether anything is sent.
    public var state: State
    /// Why it is disabled.
    public var reason: String?
    /// Whether its user wants anything sent there, whatever its ``state``.
    public var isEnabled = true
    /// When it was made.
    public let createdAt: Timestamp
    /// How many wrong codes were given since the code that holds now was made.
    public var wrongCodes = 0
    /// Which of the channel's codes holds, from 0.
    public var codeNumber = 0
    /// How many attempts failed since the last that did not.
    public var failures = 0
    /// Since when it fails.
    public var failingSince: Timestamp?
    /// When something was delivered last.
    public var deliveredAt: Timestamp?
    /// Until when nothing is tried.
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

    /// The channel of a row; `nil` for one of a kind that this program does not know.
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

/// One message to one channel: what waits to be sent, or what became of it.
public struct OutboxEntry: Hashable, Sendable {
    /// What became of an entry.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// It is to be sent.
        case pending
        /// The endpoint took it.
        case done
        /// It was given up; an operator can have it sent again.
        case dead
        /// It was not to be sent any more.
        case cancelled
    }

    /// Which notifications an entry for several tells of.
    public enum Scope: Hashable, Sendable {
        /// These, by their ids.
        case notices([String])
        /// All of a time, from the first instant to before the second.
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

    /// The number under which an operator finds it.
    public let number: Int64
    /// Through which channel.
    public let channel: String
    /// To whom.
    public let user: UserID
    /// The id on the wire, the same in every attempt.
    public let message: String
    /// What sort of thing it tells.
    public let type: NoticeType
    /// The consent it was written under, where it tells of whereabouts.
    public let epoch: Int?
    /// When it was written.
    public let createdAt: Timestamp
    /// Before when it is not tried.
    public let notBefore: Timestamp
    /// From when it is of no use any more.
    public let expiresAt: Timestamp?
    /// How often it was tried.
    public let attempts: Int
    /// What became of it.
    public let state: State
    /// Why, in a word.
    public let reason: String?
    /// What the endpoint answered last.
    public let status: Int?
    /// When it ended.
    public let endedAt: Timestamp?
    /// Whether it waited for quiet hours to end.
    public let isDeferred: Bool
    /// Which notifications it tells of; `nil` for the one of its message.
    public let scope: Scope?

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
    }
}

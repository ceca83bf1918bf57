import Library
import App
import ArgumentParser
import Formats
import Notifications
import Storage
import Stories

/// `waymark channels`.
struct ChannelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channels",
        abstract: "Lists users' channels, and vouches for webhooks that cannot answer a challenge.",
        discussion: """
            The list contains no names, addresses or secrets.

            Example: waymark channels list --state unproven
            """,
        subcommands: [List.self, Vouch.self]
    )

    /// `waymark channels list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists channels by id, with their users, kinds and states.",
            discussion: "Example: waymark channels list --user ana"
        )

        @Option(help: "Only channels of this user.")
        var user: String?
        @Option(help: "Only channels in this state: unproven, active or disabled; by default all.")
        var state: String?
        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let wanted = try state.map { name in
                guard let state = ChannelRow.State(rawValue: name), state != .single else {
                    throw CommandFailure.usage("--state: \(name) is not a state; use unproven, active or disabled.")
                }
                return state
            }
            let holder = try user.map { name in
                guard let user = UserID(name) else {
                    throw CommandFailure.usage(
                        "--user: \(excerpt(name)) is not a user's id. 'waymark users list' lists the users."
                    )
                }
                return user
            }
            let store = try StoryStore(path: database.path, mode: .readOnly, logger: database.logger())
            defer { try? store.close() }
            var (found, last): ([ChannelRow], String?) = ([], "")
            while let after = last {
                let page = try await store.read { try $0.channels(after: after, limit: ChannelsCommand.page) }
                found += page.filter { channel in
                    (wanted.map { channel.state == $0 } ?? true) && (holder.map { channel.user == $0 } ?? true)
                }
                last = page.count == ChannelsCommand.page ? page.last?.id : nil
            }
            ChannelsCommand.print(found, isText: OutboxPrinter.isText(format))
        }
    }

    /// `waymark channels vouch`.
    struct Vouch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Activates a webhook whose endpoint cannot answer a challenge, such as Home Assistant's.",
            discussion: """
                Vouch only for an endpoint whose owner you know: notifications of the channel's user are sent there \
                from now on.

                Example: waymark channels vouch 0123456789abcdef0123456789abcdef --host home.example.org
                """
        )

        @Argument(help: "The id of the channel, as its user sees it.")
        var channel: String
        @Option(help: "The host in the webhook's address, so that it is the one that you mean.")
        var host: String
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            guard OutboxPrinter.isID(channel) else {
                throw CommandFailure.usage("\(given(channel)) is not the id of a channel: 32 hexadecimal digits.")
            }
            let library = try await database.existingLibrary()
            defer { try? library.store.close() }
            let active: ChannelRow
            do {
                active = try await library.channels.vouch(for: channel, at: host)
            } catch let refusal as Refusal {
                guard refusal.kind != .notFound else {
                    throw CommandFailure.usage("There is no channel \(channel). 'waymark channels list' lists them.")
                }
                throw CommandFailure.usage(refusal.detail)
            }
            Console.remark("The webhook \(active.id) of \(active.user.rawValue) is active.", quiet: database.quiet)
        }
    }

    /// The number of channels read at once.
    private static let page = 500

    private static func print(_ channels: [ChannelRow], isText: Bool) {
        guard !isText else {
            for channel in channels {
                let reason = channel.reason.map { " " + $0 } ?? ""
                let (user, kind) = (channel.user.rawValue, channel.kind.rawValue)
                Console.line("\(channel.id) \(user) \(kind) \(channel.state.rawValue)\(reason)")
            }
            return
        }
        var json = JSONWriter(capacity: 150 * (channels.count + 1))
        json.beginArray()
        for channel in channels {
            json.beginObject()
            json.member("id", channel.id)
            json.member("user", channel.user.rawValue)
            json.member("kind", channel.kind.rawValue)
            json.member("state", channel.state.rawValue)
            json.member("reason", channel.reason)
            json.member("enabled", channel.isEnabled)
            json.endObject()
        }
        json.endArray()
        Console.write(json.bytes + [10])
    }
}

import Library
import App
import ArgumentParser
import Notifications
import Storage
import Stories

/// `waymark notify`.
struct NotifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Tests notification channels.",
        discussion: "Example: waymark notify test webhook url=https://example.org/hook",
        subcommands: [Test.self]
    )

    /// `waymark notify test`.
    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends a sample through a channel and says step by step what happens.",
            discussion: """
                The test message contains no personal data. Nothing is stored or retried. Each channel needs its own \
                fields: webhook url (secret, signing_key: whsec_… and whsk_…; with neither, it signs with a secret \
                generated for this message); web_push endpoint, p256dh, auth; ntfy url, topic (token); gotify url, \
                token; apprise url, key (tag); email address; apns token, topic (environment); fcm token.

                Example: waymark notify test ntfy url=https://ntfy.example.org topic=family
                """
        )

        @Argument(help: "webhook, web_push, ntfy, gotify, apprise, email, apns or fcm.")
        var kind: String
        @Argument(help: "The channel's fields, each as name=value.")
        var fields: [String] = []
        @Option(
            help: "How much it reveals, as in a user's settings: full, count (the default for users) or none.",
            transform: Test.preview
        )
        var preview = NotificationSettings.Preview.count
        @OptionGroup var sending: SendingOptions
        @OptionGroup var database: DatabaseOptions

        private static func preview(_ text: String) throws -> NotificationSettings.Preview {
            guard let preview = NotificationSettings.Preview(rawValue: text) else {
                throw ValidationError("\(text) is no preview; there are full, count and none.")
            }
            return preview
        }

        func run() async throws {
            guard let kind = ChannelKind(rawValue: kind) else {
                let kinds = ChannelKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandFailure.usage("\(kind) is no kind of channel; there are \(kinds).")
            }
            let sender = try sending.sender()
            let outcome = try await test(kind, through: sender)
            await sender.close()
            guard outcome == .delivered else {
                throw CommandFailure.failed("The sample was not delivered: \(Test.advice(outcome)).")
            }
        }

        private func test(_ kind: ChannelKind, through sender: OutboundSender) async throws -> DeliveryOutcome {
            let target = try target(kind)
            step("The fields", "are complete; it leads to \(target.host)")
            let credentials = try sending.credentials(keys)
            guard credentials.allow(kind) else {
                throw CommandFailure.usage(
                    "The operator's settings for \(kind.rawValue) are missing: \(Test.wanted(kind))."
                )
            }
            if kind.needsCredentials { step("The operator's keys", "are there") }
            let writer = ChannelWriter(credentials: credentials)
            let now = SystemClock.now
            var generator = RandomSource.system
            if kind == .fcm, let request = try writer.tokenRequest(at: now) {
                guard let answer = try await send(request, through: sender, "Google's access token") else {
                    return .retry(.unreachable)
                }
                guard writer.keepToken(from: answer, at: now) else { return .retry(.credentials) }
            }
            let sample = SampleMessage.make(StoryID(using: &generator).description, at: now, preview: preview)
            let message = try writer.write(sample, to: target, at: now, using: &generator)
            step("The sample", "is written: \(message)")
            let outcome: DeliveryOutcome
            do {
                let answer = try await sender.send(message)
                step("The answer", "is status \(answer.status)")
                outcome = DeliveryOutcome(reading: answer, of: kind, at: SystemClock.now)
            } catch let error as SendingError {
                step("Sending", "failed: \(error.description)")
                outcome = DeliveryOutcome(failure: error.problem)
            }
            step("The outcome", "is \(outcome.word)" + (outcome.problem.map { " (\($0.rawValue))" } ?? ""))
            return outcome
        }

        private func send(
            _ message: OutgoingMessage,
            through sender: OutboundSender,
            _ what: String
        ) async throws -> ChannelAnswer? {
            do {
                let answer = try await sender.send(message)
                step(what, "was asked for: status \(answer.status)")
                return answer
            } catch let error as SendingError {
                step(what, "could not be fetched: \(error.description)")
                return nil
            }
        }

        private func step(_ what: String, _ happened: String) { Console.line("\(what) \(happened).") }

        /// Returns the keys stored with the database, if there is one; Web Push uses them for signing.
        private func keys() throws -> StoreKeys {
            let store = try StoryStore(path: database.path, mode: .readOnly, logger: database.logger())
            defer { try? store.close() }
            return store.keys
        }

        private func target(_ kind: ChannelKind) throws -> ChannelTarget {
            var given: [String: String] = [:]
            for field in fields {
                guard let sign = field.firstIndex(of: "="), sign > field.startIndex else {
                    throw CommandFailure.usage("A field is written name=value, such as url=https://example.org/hook.")
                }
                let name = String(field[..<sign])
                guard given.updateValue(String(field[field.index(after: sign)...]), forKey: name) == nil else {
                    throw CommandFailure.usage("The field \(name) is given twice.")
                }
            }
            do {
                var generator = RandomSource.system
                return try ChannelTarget(kind: kind, completing: given, using: &generator)
            } catch {
                throw CommandFailure.usage("\(error).")
            }
        }

        private static func wanted(_ kind: ChannelKind) -> String {
            switch kind {
            case .webPush: "give --vapid-subject"
            case .email: "give --smtp and --mail-from"
            case .apns: "give --apns-key, --apns-key-id and --apns-team"
            case .fcm: "give --fcm-account"
            case .webhook, .ntfy, .gotify, .apprise: "nothing"
            }
        }

        private static func advice(_ outcome: DeliveryOutcome) -> String {
            switch outcome.problem {
            case .refusedAddress?:
                "its address may not be dialled; --allow-range, --allow-http and --allow-port say what else may be"
            case .unreachable?: "nobody answers there; check the address"
            case .timedOut?: "it did not answer in time"
            case .insecure?: "its certificate is not good; --certificates names others to trust"
            case .unauthorized?: "it does not accept the channel's key or token"
            case .credentials?: "it does not accept the operator's credentials"
            case .notFound?: "there is nothing at that address"
            case .redirected?: "it sends elsewhere, and nobody follows; use the address it sends to"
            case .throttled?: "it wants fewer messages; try later"
            case .badMessage?, .tooLarge?: "it does not accept such a message"
            case .serverError?, .badAnswer?, .expired?, nil: "it failed, by its own account; try again later"
            }
        }
    }
}

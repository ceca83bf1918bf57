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
            abstract: "Sends a sample through a channel and reports each step.",
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
            help: "How much the message reveals, as in a user's settings: full, count (the default for users) or none.",
            transform: Test.preview
        )
        var preview = NotificationSettings.Preview.count
        @OptionGroup var sending: SendingOptions
        @OptionGroup var database: DatabaseOptions

        private static func preview(_ text: String) throws -> NotificationSettings.Preview {
            guard let preview = NotificationSettings.Preview(rawValue: text) else {
                throw ValidationError("\(text) is not a preview level; use full, count or none.")
            }
            return preview
        }

        func run() async throws {
            guard let kind = ChannelKind(rawValue: kind) else {
                let kinds = ChannelKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandFailure.usage("\(kind) is not a kind of channel; use one of \(kinds).")
            }
            let sender = try sending.sender(showsRefusals: true)
            let outcome = try await test(kind, through: sender)
            await sender.close()
            guard outcome == .delivered else {
                throw CommandFailure.failed("The sample was not delivered: \(Test.advice(outcome)).")
            }
        }

        private func test(_ kind: ChannelKind, through sender: OutboundSender) async throws -> DeliveryOutcome {
            let target = try target(kind)
            step("The fields", "are complete; the host is \(target.host)")
            let credentials = try sending.credentials(keys)
            guard credentials.allow(kind) else {
                throw CommandFailure.usage(
                    "The operator's settings for \(kind.rawValue) are missing: \(Test.wanted(kind))."
                )
            }
            if kind.needsCredentials { step("The operator's keys", "are present") }
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
                step("The response", "has status \(answer.status)")
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
                step(what, "was requested: status \(answer.status)")
                return answer
            } catch let error as SendingError {
                step(what, "could not be fetched: \(error.description)")
                return nil
            }
        }

        private func step(_ what: String, _ happened: String) { Console.line("\(what) \(happened).") }

        /// Returns the keys stored with the database; Web Push uses them for signing.
        private func keys() throws -> StoreKeys {
            let store = try StoryStore(path: database.path, mode: .readOnly, logger: database.logger())
            defer { try? store.close() }
            return store.keys
        }

        private func target(_ kind: ChannelKind) throws -> ChannelTarget {
            var given: [String: String] = [:]
            for field in fields {
                guard let sign = field.firstIndex(of: "="), sign > field.startIndex else {
                    throw CommandFailure.usage("Write each field as name=value, such as url=https://example.org/hook.")
                }
                let name = String(field[..<sign])
                guard given.updateValue(String(field[field.index(after: sign)...]), forKey: name) == nil else {
                    throw CommandFailure.usage("The field \(name) is given twice; give it once.")
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
            case .mqtt: "use the test of the channel in a running service with --mqtt"
            case .webhook, .ntfy, .gotify, .apprise: "nothing"
            }
        }

        private static func advice(_ outcome: DeliveryOutcome) -> String {
            switch outcome.problem {
            case .refusedAddress?:
                "its address is not allowed; use --allow-range, --allow-http or --allow-port to allow it"
            case .unreachable?: "the server cannot be reached; check the address"
            case .timedOut?: "the server did not respond in time; try again later"
            case .insecure?:
                "the server's certificate is not trusted; use --certificates to give a file of certificates to trust"
            case .unauthorized?: "the server does not accept the channel's key or token"
            case .credentials?: "the server does not accept the operator's credentials"
            case .notFound?: "the server has nothing at that address; check the URL"
            case .redirected?: "the server redirects, which is not followed; use the address it redirects to"
            case .throttled?: "the server limits the number of messages; try again later"
            case .badMessage?, .tooLarge?: "the server does not accept this message"
            case .serverError?, .badAnswer?, .expired?, nil:
                "the server failed or sent an invalid response; try again later"
            }
        }
    }
}

import Library
import App
import ArgumentParser
import Formats
import Foundation
import Geofencing
import Geometry
import Notifications
import Storage
import Stories

/// The output format of notifications.
enum NoticeFormat: String, ExpressibleByArgument, CaseIterable {
    case text, ndjson
}

/// The speed of a replay: as fast as possible, or a multiple of the recorded speed.
enum ReplaySpeed: ExpressibleByArgument {
    case max
    case times(Double)

    init?(argument: String) {
        if argument == "max" {
            self = .max
            return
        }
        guard let times = DecimalText.number(argument), times > 0 else { return nil }
        self = .times(times)
    }
}

/// `waymark replay`.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Feeds a recorded trace to the evaluator and prints the resulting notifications.",
        discussion: """
            Without --user, an anonymous user is used for this run only and nothing is written. With --user, the \
            user's feed and ledger are written, marked as simulated, and earlier announcements are not repeated. Only \
            the feed is affected: webhooks, e-mail and other channels receive nothing, unless --deliver adds the \
            notifications to the outbox, from which the service sends them when it next runs. Announcements from one \
            trace are not repeated for the next in the same run. A trace without timed points exits with 3.

            Example: waymark replay walk.gpx --user ana --format ndjson
            """
    )

    @Argument(
        help: """
            Traces: GPX, TCX, GeoJSON, CSV, NMEA, OwnTracks (.rec), JSON or Google's location history, also with gzip; \
            - is standard input.
            """
    )
    var traces: [String]
    @Option(help: "The user, who must have opted in.")
    var user: String?
    @Option(
        parsing: .unconditional,
        help: "The radius in metres, 75 to 5000, instead of the user's own.",
        transform: givenNumber
    )
    var radius: Double?
    @Option(help: "The kinds, separated by commas, instead of the user's own.")
    var kinds: String?
    @Option(help: "The speed: max, or a multiple of the recorded speed.")
    var speed = ReplaySpeed.max
    @Flag(help: "Do not change the user's feed or ledger.")
    var dryRun = false
    @Flag(help: "Also send the notifications through the user's channels, as if they were real.")
    var deliver = false
    @Flag(help: "Explain on standard error why each fence near a fix was entered or not.")
    var explain = false
    @Option(help: "The output format: text or ndjson; by default, text on a terminal, otherwise ndjson.")
    var format: NoticeFormat?
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        var options = try replayOptions()
        var readings: [Trace] = []
        for (index, file) in traces.enumerated() { readings.append(try await read(file, index: index)) }
        guard readings.contains(where: { !$0.fixes.isEmpty }) else {
            throw CommandFailure.notFound(
                "\(traces.joined(separator: ", ")): there are no timed points to replay."
            )
        }
        let gazetteer = gazetteerIfPossible(database)
        let writes = user != nil && !dryRun
        let library = try await database.library(writes ? .readWrite : .readOnly, gazetteer: gazetteer)
        defer { try? library.store.close() }
        for trace in readings where !trace.fixes.isEmpty {
            let notices = try await replay(trace, options: options, in: library)
            options.alreadyTold.formUnion(notices.flatMap { $0.content.map(\.id) })
        }
    }

    private func replayOptions() throws -> ReplayOptions {
        var options = ReplayOptions()
        if let radius {
            guard NotificationSettings.radii.contains(radius) else {
                throw CommandFailure.usage("--radius must be between 75 and 5000 metres.")
            }
            options.radius = radius
        }
        if let kinds {
            do {
                options.kinds = try NotificationSettings.kinds(named: kinds.split(separator: ",").map(String.init))
            } catch let error as NotificationSettingsError {
                throw CommandFailure.usage("--\(error).")
            }
        }
        guard !deliver || user != nil && !dryRun else {
            throw CommandFailure.usage(
                "--deliver needs --user and cannot be combined with --dry-run, which stores nothing to send."
            )
        }
        options.isDryRun = dryRun
        options.delivers = deliver
        options.explains = explain
        return options
    }

    /// The maximum length of a trace in bytes when a running service reads it.
    private static let longest = 500 * 1_024 * 1_024

    private func read(_ file: String, index: Int) async throws -> Trace {
        guard let bytes = try? await contents(of: file, index: index, limit: Self.longest) else {
            throw CommandFailure.usage("\(file) cannot be read; check the name and its permissions.")
        }
        do {
            let trace = try TraceReader.read(bytes, fileName: file)
            for problem in trace.problems.prefix(5) { Console.remark("\(file), \(problem)", quiet: database.quiet) }
            if let emptiness = trace.emptiness { Console.remark("\(file): \(emptiness).", quiet: database.quiet) }
            return trace
        } catch let error as TraceError {
            throw CommandFailure.usage(error.description)
        }
    }

    private func replay(_ trace: Trace, options: ReplayOptions, in library: StoryLibrary) async throws -> [FeedItem] {
        let result: ReplayResult
        if let user {
            guard let id = UserID(user), try await library.viewer(of: id) != nil else {
                throw CommandFailure.usage("--user: there is no user \(user). 'waymark users list' lists the users.")
            }
            result = try await library.fences.replay(trace.fixes, for: id, options: options)
            guard result.isMonitoring else {
                Console.error(
                    "\(user) has not opted in, so nothing is announced. 'waymark users opt-in \(user)' changes that."
                )
                return []
            }
        } else {
            result = try await library.fences.replayAnonymously(trace.fixes, options: options)
        }
        for explanation in result.explanations { Console.error(describe(explanation)) }
        try await show(result.notices, startingAt: trace.fixes.joined().map(\.time).min() ?? 0)
        Console.remark(
            "\(trace.name.isEmpty ? "trace" : trace.name): \(counted(trace.timedPoints.count, "fix", "fixes")), \(counted(result.notices.count, "notification", "notifications"))",
            quiet: database.quiet
        )
        return result.notices
    }

    private func show(_ notices: [FeedItem], startingAt start: Int64) async throws {
        var clock = start
        for notice in notices {
            if case .times(let times) = speed {
                // A wait of one day in real time is the longest that makes sense.
                let wait = min(86_400_000, Double(max(0, notice.at.milliseconds - clock)) / times)
                try await Task.sleep(for: .milliseconds(Int64(wait)))
            }
            clock = max(clock, notice.at.milliseconds)
            switch format ?? (Console.isTerminal ? .text : .ndjson) {
            case .ndjson:
                var json = JSONWriter()
                NoticeJSON.writeLine(notice, to: &json)
                Console.write(json.bytes)
            case .text:
                Console.line(
                    "\(RFC3339.format(notice.at))  \(notice.visit?.kind.rawValue ?? notice.subject.type.rawValue)  \(notice.title): \(notice.body)"
                )
            }
        }
    }

    private func tenths(_ metres: Double) -> Double { (metres * 10).rounded() / 10 }

    private func describe(_ explanation: FenceExplanation) -> String {
        let time = RFC3339.format(Timestamp(milliseconds: explanation.time))
        return
            "\(time) \(explanation.place): \(explanation.distance) m from its centre, radius \(explanation.radius) m, "
            + "accuracy \(tenths(explanation.accuracy)) m; from all fixes so far \(explanation.likelyDistance) m, "
            + "accuracy \(tenths(explanation.likelyAccuracy)) m, P \(explanation.probability), "
            + "\(explanation.before.rawValue) → \(explanation.after.rawValue): \(explanation.why)"
    }
}

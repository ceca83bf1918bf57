import App
import ArgumentParser
import Foundation
import Logging
import Notifications
import Observing
import Settings

/// How operators watch the service: its log and its metrics.
struct WatchOptions: ParsableArguments {
    @Option(help: "The least level that is written to the log: trace, debug, info, notice, warning, error or critical.")
    var log: String?
    @Option(help: "How the log is written: text, or json with one object a line.")
    var logFormat = LogFormat.text
    @Option(
        parsing: .unconditional,
        help: "A port on this machine's own address (127.0.0.1) at which Prometheus reads /metrics without a token."
    )
    var metricsPort: Int?
    @Option(
        name: .customLong("otlp-endpoint"),
        help: """
            The address of a collector, such as http://127.0.0.1:4318, that gets the spans of requests and deliveries \
            (OTLP over HTTP, JSON).
            """
    )
    var collector: String?
    @Option(
        name: .customLong("trace-host"),
        help: """
            A host, such as app.example.org, whose webhooks belong to your own app and learn the trace of its backend's \
            requests; may be repeated.
            """
    )
    var traceHosts: [String] = []

    func validate() throws {
        if let log, Logger.Level(rawValue: log) == nil {
            throw ValidationError("--log: \(excerpt(log)) is none of \(SettingTable.levels.joined(separator: ", ")).")
        }
        guard metricsPort.map({ (1...65_535).contains($0) }) ?? true else {
            throw ValidationError("--metrics-port must be between 1 and 65535.")
        }
        do { _ = try collector.map(SpanCollector.url) } catch { throw ValidationError("\(error)") }
        for host in traceHosts where host.isEmpty || host.contains(where: { "/:@?# ".contains($0) }) {
            throw ValidationError(
                "--trace-host: \(excerpt(Setting.shownAddress(host))) is not the name of a host such as app.example.org."
            )
        }
    }

    /// Returns where spans go, and who learns traces; `certificates` are trusted instead of the system's.
    func traces(certificates: String?, metrics: MetricRegistry) throws -> TraceOptions {
        var traces = TraceOptions()
        traces.sharing = TraceSharing(hosts: Set(traceHosts))
        traces.collector = try collector.map {
            try SpanCollector($0, certificates: certificates, metrics: metrics)
        }
        return traces
    }

    /// Returns the logger of the service, whose level can change, and that level.
    func logger(quiet: Bool) -> (logger: Logger, level: LogLevel) {
        let level = LogLevel(quiet ? .error : log.flatMap(Logger.Level.init(rawValue:)) ?? .info)
        let isJSON = logFormat == .json
        let logger = Logger(label: "waymark") { label in
            let handler: any LogHandler =
                isJSON ? JSONLogHandler.standardError { SystemClock.now } : StreamLogHandler.standardError(label: label)
            return SharedLevelHandler(handler, level: level)
        }
        return (logger, level)
    }
}

/// How a log is written.
enum LogFormat: String, ExpressibleByArgument, CaseIterable {
    /// Lines for people.
    case text
    /// An object a line for programs.
    case json
}

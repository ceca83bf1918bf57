import ArgumentParser
import Foundation
import Logging
import Observing
import Settings

/// How operators watch the service: its log and its metrics.
struct WatchOptions: ParsableArguments {
    @Option(help: "The least level that is written to the log: trace, debug, info, notice, warning, error or critical.")
    var log: String?
    @Option(help: "How the log is written: text, or json with one object a line.")
    var logFormat = LogFormat.text
    @Option(
        help: "A port on this machine's own address (127.0.0.1) at which Prometheus reads /metrics without a token."
    )
    var metricsPort: Int?

    func validate() throws {
        if let log, Logger.Level(rawValue: log) == nil {
            throw ValidationError("--log: \(excerpt(log)) is none of \(SettingTable.levels.joined(separator: ", ")).")
        }
        guard metricsPort.map({ (1...65_535).contains($0) }) ?? true else {
            throw ValidationError("--metrics-port must be between 1 and 65535.")
        }
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

import ArgumentParser
import Foundation
import Logging
import Observing
import Settings
import Synchronization
import Web

/// The settings of `waymark serve` beside its options: the environment and the file.
enum ServeSettings: Sendable {
    /// Reads the settings that a start with these arguments has.
    ///
    /// - Throws: `SettingProblems` if one of them is wrong.
    static func values(_ arguments: [String]) throws -> SettingValues {
        let (values, problems) = try checked(arguments)
        guard problems.isEmpty else { throw SettingProblems(all: problems) }
        return values
    }

    /// Reads the settings that a start with these arguments has, and what is wrong with them; what is wrong is left out.
    ///
    /// - Throws: `SettingProblems` if the file cannot be read.
    static func checked(_ arguments: [String]) throws -> (values: SettingValues, problems: [SettingProblem]) {
        let environment = ProcessInfo.processInfo.environment
        let path = SettingValues.filePath(arguments: arguments, environment: environment) {
            FileManager.default.fileExists(atPath: $0)
        }
        let file = try path.map { try SettingFile(path: $0) }
        return SettingValues.checked(arguments: arguments, environment: environment, file: file)
    }

    /// Reads the settings that a start with these arguments has, and finds everything that is wrong with them, alone and
    /// together; what is wrong alone is left out of the values.
    ///
    /// - Throws: `SettingProblems` if the file cannot be read.
    static func judged(_ arguments: [String]) async throws -> (values: SettingValues, problems: [SettingProblem]) {
        let (values, wrong) = try checked(arguments)
        var problems = wrong
        for words in await objections(to: ["serve"] + values.arguments + arguments)
        where !SettingProblem.follows(words, from: wrong) {
            problems.append(SettingProblem(of: words, in: values))
        }
        return (values, problems)
    }

    /// Returns what the command itself says of arguments: what its options demand together.
    private static func objections(to arguments: [String]) async -> [String] {
        let errors: [any Error]
        do {
            let command = try WaymarkCommand.parseAsRoot(arguments)
            errors = await (command as? ServeCommand)?.objections() ?? []
        } catch {
            errors = [error]
        }
        var words: [String] = []
        for error in errors {
            let text = (error as? CommandFailure)?.description ?? WaymarkCommand.message(for: error)
            // Several rules read the same option.
            if !words.contains(text) { words.append(text) }
        }
        return words
    }

    /// Returns the arguments of a command, with those that the environment and the file add to `serve`.
    ///
    /// - Throws: ``CommandFailure`` with everything that is wrong with the settings, in the words of `config check`.
    static func completed(_ arguments: [String]) async throws -> [String] {
        let isAsking = arguments.contains { ["--help", "-h", "--experimental-dump-help"].contains($0) }
        guard arguments.first == "serve", !isAsking else { return arguments }
        let given = Array(arguments.dropFirst())
        do {
            let (values, wrong) = try checked(given)
            // The command judges its own options, and says which may be meant by one that does not exist.
            let isPlain = wrong.isEmpty && values.arguments.isEmpty
            if !isPlain {
                let isRead = (try? WaymarkCommand.parseAsRoot(arguments)) != nil
                let problems = isRead ? try await judged(given).problems : wrong
                guard problems.isEmpty else { throw SettingProblems(all: problems) }
            }
            return ["serve"] + values.arguments + given
        } catch let problems as SettingProblems {
            throw CommandFailure.usage(problems.description)
        }
    }
}

/// Reads the settings again at SIGHUP, and takes over what a running service can.
final class SettingReload: Sendable {
    private let arguments: [String]
    /// The settings at the start, and those of the last reading.
    private let readings: Mutex<(started: SettingValues, last: SettingValues)?>
    private let level: LogLevel
    private let certificates: TLSCertificates?
    private let logger: Logger

    /// Creates a value for a service that was started with these arguments.
    init(arguments: [String], level: LogLevel, certificates: TLSCertificates?, logger: Logger) {
        self.arguments = arguments
        self.level = level
        self.certificates = certificates
        self.logger = logger
        readings = Mutex((try? ServeSettings.values(arguments)).map { ($0, $0) })
    }

    /// Reads everything again and returns whether that was possible; if anything is wrong, nothing changes.
    func run() -> Bool {
        let values: SettingValues
        do {
            values = try ServeSettings.values(arguments)
        } catch {
            logger.error("nothing was reloaded, because a setting is wrong", metadata: ["why": "\(error)"])
            return false
        }
        let (taken, left) = differences(to: values)
        // At the level of before or after, whichever tells more.
        let named = values.text("log").flatMap(Logger.Level.init(rawValue:)) ?? .info
        let isQuiet = arguments.contains("--quiet")
        if !isQuiet { level.current = min(level.current, named) }
        report(taken: taken, left: left)
        if !isQuiet { level.current = named }
        reloadCertificate(values)
        return true
    }

    /// Returns the settings that are taken over, since the last reading, and those that need a restart, since the start.
    private func differences(to values: SettingValues) -> (taken: [Setting], left: [Setting]) {
        readings.withLock { readings in
            defer { readings?.last = values }
            guard let readings else { return ([], []) }
            return (
                readings.last.changes(to: values).filter(takes),
                readings.started.changes(to: values).filter { !takes($0) }
            )
        }
    }

    /// Returns whether this service can take over a setting: one without TLS gets none while it runs.
    private func takes(_ setting: Setting) -> Bool {
        setting.isReloadable && (!setting.name.hasPrefix("tls-") || certificates != nil)
    }

    private func report(taken: [Setting], left: [Setting]) {
        let changed = taken.isEmpty ? "nothing" : taken.map(\.name).joined(separator: ", ")
        logger.info("settings reloaded at SIGHUP", metadata: ["changed": "\(changed)"])
        guard !left.isEmpty else { return }
        logger.warning(
            "some settings differ and need a restart",
            metadata: ["settings": "\(left.map(\.name).joined(separator: ", "))"]
        )
    }

    private func reloadCertificate(_ values: SettingValues) {
        guard let certificates else { return }
        var files: TLSCertificates.Files?
        if let certificate = values.text("tls-certificate"), let key = values.text("tls-key") {
            files = TLSCertificates.Files(certificate: certificate, key: key)
        }
        certificates.reload(from: files, at: SystemClock.now, logger: logger)
    }
}

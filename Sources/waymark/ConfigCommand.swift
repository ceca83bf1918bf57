import ArgumentParser
import Foundation
import Settings

/// `waymark config`.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Checks and shows the settings of the service.",
        discussion: """
            A setting is an option of 'waymark serve', a variable of the environment, or a line of a file, in this order \
            of precedence.

            Example: waymark config check --file waymark.yaml
            """,
        subcommands: [Check.self, Show.self]
    )

    /// Reads the settings from the environment and a file.
    ///
    /// - Throws: ``CommandFailure`` with a line for each problem.
    static func values(_ file: String?) throws -> SettingValues {
        do {
            return try ServeSettings.values(file.map { ["--config", $0] } ?? [])
        } catch let problems as SettingProblems {
            throw CommandFailure.usage(problems.description)
        }
    }

    /// `waymark config check`.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Finds what is wrong with the settings, with its place and what to do.",
            discussion: "Example: waymark config check --file waymark.yaml"
        )

        @Option(
            name: [.customLong("file"), .customLong("config")],
            help: "The file of settings; by default $WAYMARK_CONFIG, or waymark.yaml if there is one."
        )
        var file: String?

        func run() async throws {
            do {
                let problems = try await Check.judged(file).problems
                guard problems.isEmpty else { throw SettingProblems(all: problems) }
            } catch let problems as SettingProblems {
                throw CommandFailure.usage(problems.description)
            }
            Console.remark("The settings are fine.", quiet: false)
        }

        /// Reads the settings from the environment and a file, and finds everything that is wrong with them.
        ///
        /// - Throws: `SettingProblems` if the file cannot be read.
        static func judged(_ file: String?) async throws -> (values: SettingValues, problems: [SettingProblem]) {
            try await ServeSettings.judged(file.map { ["--config", $0] } ?? [])
        }
    }

    /// `waymark config show`.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the effective settings and where each comes from.",
            discussion: """
                The paths of files with secrets are hidden, and so is whatever may be a secret in a URL.

                Example: waymark config show --all
                """
        )

        @Option(
            name: [.customLong("file"), .customLong("config")],
            help: "The file of settings; by default $WAYMARK_CONFIG, or waymark.yaml if there is one."
        )
        var file: String?
        @Flag(help: "Also print settings that have their default.")
        var all = false

        func run() throws {
            let values = try ConfigCommand.values(file)
            if !all, SettingTable.all.allSatisfy({ values.value(of: $0).origin == .standard }) {
                let read = values.path.map { "\($0) sets nothing, and so does the environment" } ?? "Nothing is set"
                Console.remark("\(read): every setting has its default. Give --all to see them.", quiet: false)
            }
            for setting in SettingTable.all {
                let value = values.value(of: setting)
                guard value.origin != .standard else {
                    if all { Console.line("\(setting.name): \(setting.standard)  (default)") }
                    continue
                }
                let text = value.texts.map(setting.shown).joined(separator: ", ")
                Console.line("\(setting.name): \(text)  (\(value.place))")
            }
        }
    }
}

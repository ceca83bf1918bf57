import Library
import App
import ArgumentParser
import Foundation
import Storage
import Stories

/// The program: runs the command named in its arguments and exits with a documented exit code.
@main
struct Entry {
    static func main() async {
        // If the reader has gone (`| head`), writing then fails with an error, which `Console` treats as the end.
        signal(SIGPIPE, SIG_IGN)
        do {
            let given = Array(CommandLine.arguments.dropFirst())
            var command = try parsed(try await ServeSettings.completed(given))
            // Before settings are added, which options of 'serve' overrule.
            if let repeated = RepeatedOption(in: given, of: type(of: command)) {
                throw CommandFailure.usage(repeated.description)
            }
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as StoreError where error.code == .locked {
            exit(await codeOfLocked(error))
        } catch {
            exit(exitCode(of: error))
        }
    }

    /// Parses the arguments of the program.
    ///
    /// - Throws: what ArgumentParser says of them, or ``CommandFailure`` if they name a command that does not exist.
    private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        // Asked for help on a command that does not exist, ArgumentParser prints that of the program.
        if arguments.first == "help" { try refuseUnknown(arguments) }
        do {
            return try WaymarkCommand.parseAsRoot(arguments)
        } catch {
            // ArgumentParser suggests options, but of a mistyped command it only says that it is unexpected, or that
            // its options are unknown.
            if !WaymarkCommand.exitCode(for: error).isSuccess { try refuseUnknown(arguments) }
            throw error
        }
    }

    private static func refuseUnknown(_ arguments: [String]) throws {
        if let unknown = UnknownCommand(in: arguments) { throw CommandFailure.usage(unknown.description) }
    }

    /// Has the service that holds the database carry the command out, or prints why it cannot be; returns the exit code.
    private static func codeOfLocked(_ error: StoreError) async -> Int32 {
        let command = try? WaymarkCommand.parseAsRoot()
        if let command = command as? any DoneByService, let call = OperatorCall(command) {
            return await call.run(Array(CommandLine.arguments.dropFirst()))
        }
        Console.error(error.description)
        if command is any DoneByService {
            Console.error("If a service is just starting there, try again in a few seconds; it will then do this.")
        }
        if let command = command as? any DoneOverHTTP { Console.error(command.overHTTP) }
        return ExitStatus.failed.rawValue
    }

    /// What `--help` ends with.
    private static let exitCodes = "\nExit codes: 0 done, 1 failed, 2 wrong usage or bad input, 3 nothing found."

    /// Prints the error and returns the exit code: 0 done, 1 failed, 2 wrong usage or bad input, 3 nothing found.
    static func exitCode(of error: any Error) -> Int32 {
        switch error {
        case let failure as CommandFailure:
            Console.error(failure.description)
            return failure.code.rawValue
        case let failure as StoreError:
            Console.error(failure.description)
            return failure.code == .missing || failure.code == .refused
                ? ExitStatus.usage.rawValue : ExitStatus.failed.rawValue
        case let failure as DisplayName.Refusal:
            Console.error(failure.description)
            return ExitStatus.usage.rawValue
        case let failure as GazetteerImport.Refusal:
            Console.error(failure.description)
            return ExitStatus.usage.rawValue
        case let failure as GazetteerLoader.Failure:
            Console.error(failure.description)
            return ExitStatus.failed.rawValue
        case let failure as BasemapFiles.Failure:
            Console.error(failure.description)
            return ExitStatus.failed.rawValue
        default:
            let code = WaymarkCommand.exitCode(for: error)
            let message = WaymarkCommand.fullMessage(for: error)
            guard code.isSuccess else {
                Console.error(message)
                // ArgumentParser exits with 64 after wrong usage; the documented code is 2.
                return code == .validationFailure ? ExitStatus.usage.rawValue : ExitStatus.failed.rawValue
            }
            print(message)
            // Help begins so; versions and scripts for shells do not. Some commands say it in words of their own.
            if message.hasPrefix("OVERVIEW:"), !message.contains("Exit codes:") { print(Entry.exitCodes) }
            return 0
        }
    }
}

/// The root command.
struct WaymarkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waymark",
        abstract: "Stories on a map, offline place names, and one notification when somebody comes near.",
        discussion: "Example: waymark serve --demo",
        version: Release.version,
        subcommands: [
            ServeCommand.self, ImportCommand.self, ImportsCommand.self, StoriesCommand.self, ClustersCommand.self,
            GeocodeCommand.self,
            ReverseCommand.self, ReplayCommand.self, UsersCommand.self, TokensCommand.self, GazetteerCommand.self,
            TilesCommand.self,
            FamiliesCommand.self,
            AreasCommand.self,
            ReportsCommand.self,
            RetainedCommand.self,
            EraseCommand.self,
            CheckCommand.self,
            BackupCommand.self,
            RestoreCommand.self,
            KeysCommand.self,
            BenchCommand.self,
            NearbyCommand.self,
            PlaceCommand.self,
            ClusterCommand.self,
            HistogramCommand.self,
            BoundsCommand.self,
            CollectionsCommand.self,
            PlacesCommand.self,
            ExportCommand.self,
            ConvertCommand.self,
            SuggestCommand.self,
            SimulateCommand.self,
            ChannelsCommand.self,
            OutboxCommand.self,
            NotifyCommand.self,
            RenderCommand.self,
            ConfigCommand.self,
            DoctorCommand.self,
        ]
    )
}

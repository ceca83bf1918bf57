import ArgumentParser
import Foundation
import Logging
import Storage
import Library

// The commands that a running service carries out. All others read beside it, or need the database for themselves.
extension ImportCommand: DoneByService {
    var inputs: [String] { files }
    var reportFile: String? { choices.report }
    var reviewFile: String? { geocoding.placing.review }
    var converter: InputConverter? { InputConverter(keepsPositions: crs != nil) }
    var gathersInputs: Bool { true }
}
extension ImportsCommand.Cancel: DoneByService {}
extension ImportsCommand.Undo: DoneByService {}
extension StoriesCommand.Locate: DoneByService {
    var inputs: [String] { table.map { [$0] } ?? [] }
    var reviewFile: String? { placing.review }
}
extension UsersCommand.Add: DoneByService {}
extension UsersCommand.Remove: DoneByService {}
extension UsersCommand.OptIn: DoneByService {}
extension UsersCommand.OptOut: DoneByService {}
extension UsersCommand.Passkeys: DoneByService {}
extension UsersCommand.Link: DoneByService {}
extension FamiliesCommand.Add: DoneByService {}
extension FamiliesCommand.Join: DoneByService {}
extension FamiliesCommand.Leave: DoneByService {}
extension FamiliesCommand.Remove: DoneByService {}
extension EraseCommand: DoneByService {}
extension AreasCommand.Load: DoneByService {
    var inputs: [String] { files }
}
extension AreasCommand.Clear: DoneByService {}
extension ReportsCommand.Review: DoneByService {
    var database: DatabaseOptions { decision.database }
}
extension ReportsCommand.Action: DoneByService {
    var database: DatabaseOptions { decision.database }
}
extension ReportsCommand.Dismiss: DoneByService {
    var database: DatabaseOptions { decision.database }
}
extension RetainedCommand.Restore: DoneByService {}
extension RetainedCommand.Purge: DoneByService {}
extension TokensCommand.Issue: DoneByService {}
extension TokensCommand.Key: DoneByService {}
extension TokensCommand.Revoke: DoneByService {}
extension CollectionsCommand.Add: DoneByService {}
extension CollectionsCommand.Remove: DoneByService {}
extension PlacesCommand.Add: DoneByService {}
extension PlacesCommand.Remove: DoneByService {}
extension ChannelsCommand.Vouch: DoneByService {}
extension OutboxCommand.Replay: DoneByService {}
extension ReplayCommand: DoneByService {
    var inputs: [String] { traces }
}

extension OperatorDesk {
    /// Opens the desk of a running service.
    static func open(for library: StoryLibrary, logger: Logger) -> OperatorDesk? {
        OperatorDesk(for: library, logger: logger) { arguments in
            do {
                // Parsed apart: a value whose conformance was asked for at run time could not be passed on.
                let isDoneHere = try WaymarkCommand.parseAsRoot(arguments) is any DoneByService
                guard isDoneHere else {
                    throw CommandFailure.usage("This command is not one that a running service carries out.")
                }
                var command = try WaymarkCommand.parseAsRoot(arguments)
                if var asynchronous = command as? any AsyncParsableCommand {
                    try await asynchronous.run()
                } else {
                    try command.run()
                }
                return 0
            } catch {
                return Entry.exitCode(of: error)
            }
        }
    }
}

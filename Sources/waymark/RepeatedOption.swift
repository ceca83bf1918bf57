import ArgumentParser
import Foundation

/// An option that may be given once and was given twice.
///
/// ArgumentParser takes the last value and says nothing: `--privacy private --privacy public` would publish.
struct RepeatedOption: CustomStringConvertible {
    private let name: String

    /// Finds the first option of a command that stands twice in the arguments; `nil` if there is none.
    ///
    /// Flags may be repeated, and so may options that take lists. Of `serve` the last value counts: the unit of systemd
    /// and containers put an operator's options behind their own.
    init?(in arguments: [String], of command: any ParsableCommand.Type) {
        guard command != ServeCommand.self else { return nil }
        let words = arguments.prefix { $0 != "--" }
        // Most arguments repeat nothing, and the description of a command is long.
        let dashed = words.filter { $0.hasPrefix("-") }.map { $0.prefix { $0 != "=" } }
        guard dashed.count > 1, let options = try? RepeatedOption.options(of: command) else { return nil }
        var given: Set<String> = []
        var isValue = false
        for word in words {
            // Whatever stands behind the name of an option is its value.
            guard !isValue else {
                isValue = false
                continue
            }
            guard let option = options[String(word.prefix { $0 != "=" })] else { continue }
            isValue = !word.contains("=")
            guard option.isRepeating || given.insert(option.name).inserted else {
                name = option.name
                return
            }
        }
        return nil
    }

    var description: String { "\(name) must be given only once." }

    /// Returns the options of a command that take a value, by each of their names with its dashes.
    private static func options(
        of command: any ParsableCommand.Type
    ) throws -> [String: (name: String, isRepeating: Bool)] {
        let tool = try JSONDecoder().decode(HelpDump.self, from: Data(command._dumpHelp().utf8))
        var found: [String: (name: String, isRepeating: Bool)] = [:]
        for option in tool.command.arguments ?? [] where option.kind == "option" {
            let names = (option.names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }
            let shown = names.first { $0.hasPrefix("--") } ?? names.first
            for name in names { found[name] = (shown ?? name, option.isRepeating) }
        }
        return found
    }

    /// What ArgumentParser says of a command in JSON, as far as it is needed here.
    private struct HelpDump: Decodable {
        struct DumpedCommand: Decodable { let arguments: [DumpedArgument]? }
        struct DumpedArgument: Decodable {
            let kind: String
            let isRepeating: Bool
            let names: [DumpedName]?
        }
        struct DumpedName: Decodable {
            let kind: String
            let name: String
        }
        let command: DumpedCommand
    }
}

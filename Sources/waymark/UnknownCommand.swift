import ArgumentParser
import Settings

/// A word where a command should stand, and the commands that may be meant.
struct UnknownCommand: CustomStringConvertible {
    /// The commands before it, such as `waymark users`.
    private let path: String
    private let word: String
    private let suggestion: String?

    /// Finds the first word of arguments that names no command; `nil` if there is none.
    ///
    /// Behind an option, and of a command that takes arguments of its own, nobody can say what a word is.
    init?(in arguments: [String]) {
        var (command, names): (any ParsableCommand.Type, [String]) = (WaymarkCommand.self, ["waymark"])
        // Behind 'help' stands a command too.
        let words = arguments.first == "help" ? Array(arguments.dropFirst()) : arguments
        for word in words {
            let configuration = command.configuration
            guard !configuration.subcommands.isEmpty, configuration.defaultSubcommand == nil, !word.hasPrefix("-"),
                word != "help"
            else { return nil }
            let isNext = { (type: any ParsableCommand.Type) in UnknownCommand.names(of: type).contains(word) }
            guard let next = configuration.subcommands.first(where: isNext) else {
                self.path = names.joined(separator: " ")
                self.word = word
                let isFirst = names.count == 1
                suggestion = UnknownCommand.nearest(to: word, among: configuration.subcommands, isFirst: isFirst)
                return
            }
            command = next
            names.append(word)
        }
        return nil
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        [command._commandName] + command.configuration.aliases
    }

    /// Returns the command that is spelled nearly so, the one that is its plural, or the only one that begins so.
    ///
    /// Other programs also have a command for their version, where this one has an option.
    private static func nearest(
        to word: String,
        among commands: [any ParsableCommand.Type],
        isFirst: Bool
    ) -> String? {
        let all = commands.filter { $0.configuration.shouldDisplay }.flatMap { names(of: $0) }
        if let near = NearestName.of(word, among: all) { return near }
        if isFirst, NearestName.of(word, among: ["version"]) != nil { return "--version" }
        let lower = word.lowercased()
        let plural = lower.hasSuffix("y") ? String(lower.dropLast()) + "ies" : lower + "s"
        if all.contains(plural) { return plural }
        let beginning = all.filter { $0.hasPrefix(word.lowercased()) }
        return word.count >= 2 && beginning.count == 1 ? beginning.first : nil
    }

    var description: String {
        let meant = suggestion.map { " Did you mean '\(path) \($0)'?" } ?? ""
        return "There is no command '\(path) \(excerpt(word))'.\(meant) '\(path) --help' lists the commands."
    }
}

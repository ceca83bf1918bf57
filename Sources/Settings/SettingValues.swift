import Configuration
import Synchronization

/// The effective settings: options before the environment, the environment before the file, the file before defaults.
///
/// swift-configuration keeps the precedence; what a value may be is the table's affair.
public struct SettingValues: Sendable {
    /// Where a value comes from.
    public enum Origin: String, Sendable {
        /// The command line.
        case option
        /// The environment.
        case environment
        /// The file.
        case file
        /// Nothing gives one.
        case standard = "default"
    }

    /// The effective value of a setting.
    public struct Value: Hashable, Sendable {
        /// The texts: one, unless the setting is a list; none for a default.
        public let texts: [String]
        /// Where they come from.
        public let origin: Origin
        /// The file with its line, the variable or the option.
        public let place: String
    }

    /// The path of the file; `nil` without one.
    public let path: String?
    private let values: [String: Value]

    /// Finds the effective settings.
    ///
    /// - Parameters:
    ///   - arguments: the arguments of `waymark serve`, without its name.
    ///   - environment: the variables of the environment.
    ///   - file: the file; `nil` without one.
    /// - Throws: ``SettingProblems`` with every value that may not be.
    public init(arguments: [String] = [], environment: [String: String], file: SettingFile?) throws {
        let checked = SettingValues.checked(arguments: arguments, environment: environment, file: file)
        guard checked.problems.isEmpty else { throw SettingProblems(all: checked.problems) }
        self = checked.values
    }

    private init(path: String?, values: [String: Value]) { (self.path, self.values) = (path, values) }

    /// Finds the effective settings without those that may not be, and what is wrong with these; for the parameters see
    /// ``init(arguments:environment:file:)``.
    public static func checked(
        arguments: [String] = [],
        environment: [String: String],
        file: SettingFile?
    ) -> (values: SettingValues, problems: [SettingProblem]) {
        let options = GivenOptions(arguments)
        let reader = SettingValues.reader(options, environment: environment, file: file)
        var (values, problems) = ([String: Value](), file?.problems ?? [])
        for setting in SettingTable.all {
            guard let value = reader.value(of: setting) else { continue }
            let place =
                switch value.origin {
                case .option: setting.option
                case .environment: setting.variable
                case .file: "\(file?.path ?? ""):\(file?.entries[setting.name]?.line ?? 0)"
                case .standard: ""
                }
            // What the command line says is judged by the command, in the words of its options.
            guard value.origin != .option, let objection = setting.objection(to: value.texts) else {
                values[setting.name] = Value(texts: value.texts, origin: value.origin, place: place)
                continue
            }
            problems.append(SettingProblem(place, setting.name, objection.what, objection.remedy))
        }
        problems += SettingValues.unknownVariables(environment)
        return (SettingValues(path: file?.path, values: values), problems)
    }

    /// Variables that begin as ours and are none of the service's.
    private static let otherVariables: Set<String> = ["WAYMARK_CACHE", "WAYMARK_CONFIG", "WAYMARK_DATA"]

    /// Finds variables that are nearly those of a setting: others may belong to scripts and tests.
    private static func unknownVariables(_ environment: [String: String]) -> [SettingProblem] {
        let known = SettingTable.all.map(\.variable)
        return environment.keys.filter { $0.hasPrefix("WAYMARK_") && !known.contains($0) }.sorted()
            .filter { !otherVariables.contains($0) }
            .compactMap { name in
                let wanted = String(name.dropFirst("WAYMARK_".count))
                guard let near = known.first(where: { NearestName.distance($0, "WAYMARK_" + wanted) == 1 }) else {
                    return nil
                }
                return SettingProblem(name, nil, "there is no such variable", "Did you mean \(near)?")
            }
    }

    /// Returns the effective value of a setting.
    public func value(of setting: Setting) -> Value {
        values[setting.name] ?? Value(texts: [], origin: .standard, place: "")
    }

    /// Returns whether the file or the environment gives a setting its value.
    func isGivenElsewhere(_ setting: Setting) -> Bool {
        let origin = value(of: setting).origin
        return origin == .file || origin == .environment
    }

    /// Returns the text of a setting by its name; `nil` for a default.
    public func text(_ name: String) -> String? { values[name]?.texts.first }

    /// The arguments that give `waymark serve` what the environment and the file say.
    public var arguments: [String] {
        SettingTable.all.flatMap { setting -> [String] in
            guard let value = values[setting.name], value.origin != .option else { return [] }
            guard setting.kind == .flag else { return value.texts.map { "\(setting.option)=\($0)" } }
            guard value.texts.first.flatMap(Setting.flag) == true else {
                return setting.hasInverse ? ["--no-" + setting.name] : []
            }
            return [setting.option]
        }
    }

    /// Returns the settings whose values differ from others, in the order of the table.
    public func changes(to other: SettingValues) -> [Setting] {
        SettingTable.all.filter { value(of: $0).texts != other.value(of: $0).texts }
    }
}

/// The reader of swift-configuration, and which of its providers answered last.
private struct SettingReader: Sendable {
    let reader: ConfigReader
    let report: LastAnswer

    func value(of setting: Setting) -> (texts: [String], origin: SettingValues.Origin)? {
        let key = ConfigKey(["waymark", setting.name])
        let texts =
            setting.isList
            ? reader.stringArray(forKey: key, isSecret: setting.isSecret)
            : reader.string(forKey: key, isSecret: setting.isSecret).map { [$0] }
        guard let texts, let origin = report.origin else { return nil }
        return (texts, origin)
    }
}

/// Notes which provider answered last.
private final class LastAnswer: AccessReporter {
    private let last = Mutex<SettingValues.Origin?>(nil)

    var origin: SettingValues.Origin? { last.withLock { $0 } }

    func report(_ event: AccessEvent) {
        let name = event.providerResults
            .first { result in
                if case .success(let found) = result.result { found.value != nil } else { false }
            }?
            .providerName
        last.withLock { $0 = name.map(SettingValues.origin) }
    }
}

extension SettingValues {
    fileprivate static func origin(ofProvider name: String) -> Origin {
        // A provider in memory writes its own name in brackets.
        if name.contains("[option]") { return .option }
        return name.contains("[file]") ? .file : .environment
    }

    fileprivate static func reader(
        _ options: GivenOptions,
        environment: [String: String],
        file: SettingFile?
    ) -> SettingReader {
        var (given, written) = ([AbsoluteConfigKey: ConfigValue](), [AbsoluteConfigKey: ConfigValue]())
        for setting in SettingTable.all {
            let key = AbsoluteConfigKey(["waymark", setting.name])
            if let texts = options.values(of: setting) {
                given[key] = value(texts, of: setting)
            }
            if let entry = file?.entries[setting.name] { written[key] = value(entry.values, of: setting) }
        }
        // An empty variable says nothing: scripts set them so.
        let variables = environment.filter { $0.key.hasPrefix("WAYMARK_") && !$0.value.isEmpty }
        let report = LastAnswer()
        let reader = ConfigReader(
            providers: [
                InMemoryProvider(name: "option", values: given),
                EnvironmentVariablesProvider(environmentVariables: variables),
                InMemoryProvider(name: "file", values: written),
            ],
            accessReporter: report
        )
        return SettingReader(reader: reader, report: report)
    }

    private static func value(_ texts: [String], of setting: Setting) -> ConfigValue {
        let content: ConfigContent = setting.isList ? .stringArray(texts) : .string(texts.first ?? "")
        return ConfigValue(content, isSecret: setting.isSecret)
    }
}

/// Which settings the command line gives.
struct GivenOptions: Sendable {
    private var given: [String: [String]] = [:]

    /// Reads arguments; what they may be is up to the command.
    init(_ arguments: [String]) {
        for (index, argument) in arguments.enumerated() where argument.hasPrefix("--") {
            if argument == "--" { break }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if name.hasPrefix("no-"), SettingTable.setting(String(name.dropFirst(3)))?.hasInverse == true {
                given[String(name.dropFirst(3)), default: []].append("no")
            } else if SettingTable.setting(name)?.kind == .flag {
                given[name, default: []].append("yes")
            } else if parts.count == 2 {
                given[name, default: []].append(String(parts[1]))
            } else if index + 1 < arguments.count {
                given[name, default: []].append(arguments[index + 1])
            }
        }
    }

    /// Returns what is given for a setting, or `nil`; of several values for one setting the last counts.
    func values(of setting: Setting) -> [String]? {
        guard let values = given[setting.name] else { return nil }
        return setting.isList ? values : values.suffix(1)
    }

    /// The value of an option that is no setting.
    subscript(_ name: String) -> String? { given[name]?.last }
}

extension SettingValues {
    /// Returns the path of the file that a start with these arguments reads; `nil` for none.
    ///
    /// An option names it, or `WAYMARK_CONFIG`; else it is `waymark.yaml` in the working folder, if there is one.
    public static func filePath(
        arguments: [String],
        environment: [String: String],
        exists: (String) -> Bool
    ) -> String? {
        if let given = GivenOptions(arguments)["config"] ?? environment["WAYMARK_CONFIG"], !given.isEmpty {
            return given
        }
        return exists(SettingFile.usual) ? SettingFile.usual : nil
    }
}

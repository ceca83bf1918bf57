import Foundation
import Yams

/// The file of settings: YAML, one line `name: value` for each; lists are lists of YAML.
public struct SettingFile: Sendable {
    /// A value with its place.
    struct Entry: Sendable {
        let values: [String]
        let isList: Bool
        let line: Int
    }

    /// The path, as it was given.
    public let path: String
    let entries: [String: Entry]
    /// What is wrong with single lines, which are not among the entries.
    let problems: [SettingProblem]

    /// The maximum size in bytes.
    private static let mostBytes = 262_144

    /// The file that is read if nothing names one.
    public static let usual = "waymark.yaml"

    /// Reads a file.
    ///
    /// What is wrong with single lines, ``SettingValues`` says together with the rest.
    ///
    /// - Throws: ``SettingProblems`` if it cannot be read, or is not YAML.
    public init(path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw SettingProblems(all: [
                SettingProblem(path, nil, "the file cannot be read", "Check its path and its permissions.")
            ])
        }
        guard data.count <= SettingFile.mostBytes, let text = String(data: data, encoding: .utf8) else {
            throw SettingProblems(all: [
                SettingProblem(path, nil, "it is not a text of at most 256 KB", "Write it in UTF-8.")
            ])
        }
        try self.init(text: text, path: path)
    }

    /// Reads the text of a file.
    ///
    /// - Throws: ``SettingProblems`` if it is not YAML.
    public init(text: String, path: String) throws {
        self.path = path
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw SettingProblems(all: [SettingFile.problem(error, path)])
        }
        guard let root, !SettingFile.isEmpty(root) else {
            (entries, problems) = ([:], [])
            return
        }
        guard case .mapping(let mapping) = root else {
            throw SettingProblems(all: [
                SettingProblem(
                    path,
                    nil,
                    "it does not contain settings",
                    "Write one line for each, such as 'port: 8080'."
                )
            ])
        }
        (entries, problems) = SettingFile.entries(of: mapping, path)
    }

    private static func isEmpty(_ node: Node) -> Bool {
        if case .scalar(let scalar) = node { return scalar.string.isEmpty || scalar.string == "null" }
        return false
    }

    private static func entries(of mapping: Node.Mapping, _ path: String) -> ([String: Entry], [SettingProblem]) {
        var (entries, problems) = ([String: Entry](), [SettingProblem]())
        for (key, node) in mapping {
            let (name, line) = (key.scalar?.string ?? "", key.mark?.line ?? 0)
            let place = "\(path):\(line)"
            guard let setting = SettingTable.setting(name) else {
                problems.append(unknown(name, place))
                continue
            }
            guard let values = texts(of: node), setting.isList || node.sequence == nil else {
                let shape = setting.isList ? "a list of values, such as [a, b]" : "one value on the same line"
                problems.append(SettingProblem(place, name, "it must have \(shape)", "Change the line."))
                continue
            }
            entries[name] = Entry(values: values, isList: setting.isList, line: line)
        }
        return (entries, problems)
    }

    /// Returns the texts of a value; `nil` if it is neither a value nor a list of values.
    private static func texts(of node: Node) -> [String]? {
        switch node {
        case .scalar(let scalar): [scalar.string]
        case .sequence(let sequence):
            sequence.allSatisfy { $0.scalar != nil } ? sequence.compactMap { $0.scalar?.string } : nil
        case .mapping, .alias: nil
        }
    }

    private static func unknown(_ name: String, _ place: String) -> SettingProblem {
        if SettingTable.optionsOnly.contains(name) {
            return SettingProblem(place, name, "it is an option for one start", "Give it on the command line.")
        }
        let nearest = NearestName.of(name, among: SettingTable.all.map(\.name))
        return SettingProblem(
            place,
            // An address may stand where a name should.
            name.isEmpty ? nil : Setting.shownText(name),
            "there is no such setting",
            nearest.map { "Did you mean \($0)?" } ?? "'waymark config show --all' lists all settings."
        )
    }

    private static func problem(_ error: any Error, _ path: String) -> SettingProblem {
        guard let known = error as? YamlError else {
            return SettingProblem(path, nil, "it is not YAML", "Write one line for each setting, such as 'port: 8080'.")
        }
        var (place, what) = (path, "it is not YAML")
        switch known {
        case .scanner(_, let text, let mark, _), .parser(_, let text, let mark, _), .composer(_, let text, let mark, _):
            place = "\(path):\(mark.line)"
            what += ": \(text)"
        case .duplicatedKeysInMapping(let names, let context):
            place = "\(path):\(context.mark.line)"
            what = "\(names.sorted().joined(separator: ", ")) stands in the file twice"
        default: break
        }
        return SettingProblem(place, nil, what, "Write one line for each setting, such as 'port: 8080'.")
    }
}

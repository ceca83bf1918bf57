/// Something wrong with a setting: where, what, and what to do.
public struct SettingProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where: a file with its line, a variable or an option.
    public let place: String
    /// The name of the setting; `nil` if the file as a whole is wrong.
    public let key: String?
    /// What is wrong.
    public let what: String
    /// What to do.
    public let remedy: String

    init(_ place: String, _ key: String?, _ what: String, _ remedy: String) {
        (self.place, self.key, self.what, self.remedy) = (place, key, what, remedy)
    }

    /// The problem in one line.
    public var description: String {
        (place.isEmpty ? "" : place + ": ") + (key.map { "\($0): " } ?? "") + what + "."
            + (remedy.isEmpty ? "" : " " + remedy)
    }

    /// The line of the file; `nil` for another place.
    fileprivate var line: Int? { place.split(separator: ":").dropFirst().last.flatMap { Int($0) } }
}

extension SettingProblem {
    /// Turns what the command says of its options into a problem of the setting that gives the first of them a value.
    ///
    /// The names of settings then stand without dashes, as in the file. What names no setting stays as it is.
    public init(of words: String, in values: SettingValues) {
        let text = words.hasSuffix(".") ? String(words.dropLast()) : words
        let named = SettingProblem.settings(in: text)
        guard let setting = named.first(where: { values.isGivenElsewhere($0) }) else {
            self.init("", nil, values.hidingAddresses(in: text), "")
            return
        }
        let value = values.value(of: setting)
        var rest = text[...]
        // The place and the key stand before it already.
        for start in ["\(setting.option) \(value.texts.first ?? ""): ", "\(setting.option): "]
        where rest.hasPrefix(start) {
            rest = rest.dropFirst(start.count)
        }
        for start in ["must ", "needs "] where rest.hasPrefix("\(setting.option) \(start)") {
            rest = rest.dropFirst(setting.option.count + 1)
        }
        var plain = String(rest)
        for other in named { plain = plain.replacing(other.option, with: other.name) }
        self.init(value.place, setting.name, values.hidingAddresses(in: plain), "")
    }

    /// Returns the settings whose options a text names, in its order.
    static func settings(in text: String) -> [Setting] {
        text.matches(of: #/--([a-z][a-z-]*[a-z])/#).compactMap { SettingTable.setting(String($0.1)) }
    }

    /// Returns whether what the command says follows from other problems: a setting that is wrong counts as missing.
    public static func follows(_ words: String, from problems: [SettingProblem]) -> Bool {
        let wrong = Set(problems.compactMap(\.key))
        return settings(in: words).contains { wrong.contains($0.name) }
    }
}

/// Several problems with settings.
public struct SettingProblems: Error, Sendable, CustomStringConvertible {
    /// The problems, in the order of their places.
    public let all: [SettingProblem]

    /// Creates a list of problems: those of the file first, in the order of its lines.
    public init(all: [SettingProblem]) {
        self.all = all.enumerated()
            .sorted { ($0.element.line ?? .max, $0.offset) < ($1.element.line ?? .max, $1.offset) }
            .map(\.element)
    }

    /// One line each.
    public var description: String { all.map(\.description).joined(separator: "\n") }
}

/// Finds what somebody may have meant.
package enum NearestName: Sendable {
    /// Returns the nearest of some names, if it is near enough to be what was meant.
    package static func of(_ name: String, among names: [String]) -> String? {
        let wanted = name.lowercased().replacing("_", with: "-")
        let ranked = names.map { ($0, distance(wanted, $0)) }.min { ($0.1, $0.0) < ($1.1, $1.0) }
        guard let ranked, ranked.1 <= max(1, min(3, wanted.count / 3)) else { return nil }
        return ranked.0
    }

    /// Returns the number of characters to insert, remove, replace or swap to turn one text into another.
    static func distance(_ one: String, _ other: String) -> Int {
        let (left, right) = (Array(one.unicodeScalars), Array(other.unicodeScalars))
        var rows = [Array(0...right.count)]
        for (index, scalar) in left.enumerated() {
            let above = rows[index]
            var row = [index + 1]
            for column in right.indices {
                var least = min(above[column + 1], row[column]) + 1
                least = min(least, above[column] + (right[column] == scalar ? 0 : 1))
                if index > 0, column > 0, scalar == right[column - 1], left[index - 1] == right[column] {
                    least = min(least, rows[index - 1][column - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}

import Foundation

extension Setting {
    /// What is wrong with values, and what to do; `nil` if nothing is.
    func objection(to values: [String]) -> (what: String, remedy: String)? {
        guard isList || values.count == 1 else { return ("it must have one value", "Give one.") }
        for value in values {
            if let objection = objection(to: value) { return objection }
        }
        return nil
    }

    private func objection(to value: String) -> (what: String, remedy: String)? {
        switch kind {
        case .text, .list:
            return value.isEmpty ? ("it is empty", "Give a value, or leave the setting out.") : nil
        case .integer(let bounds), .integers(let bounds):
            guard let number = Int(value), bounds.contains(number) else {
                return (
                    "'\(Setting.excerpt(value))' is not a whole number between \(bounds.lowerBound) and \(bounds.upperBound)",
                    "Give one."
                )
            }
            return nil
        case .number(let bounds, let orZero):
            guard let number = Double(value), bounds.contains(number) || orZero && number == 0 else {
                let least = orZero ? "0 or a number" : "a number"
                return (
                    "'\(Setting.excerpt(value))' is not \(least) between \(Int(bounds.lowerBound)) and "
                        + "\(Int(bounds.upperBound))",
                    "Give one."
                )
            }
            return nil
        case .flag:
            return Setting.flag(value) == nil
                ? ("'\(Setting.excerpt(value))' is neither yes nor no", "Give one of them.") : nil
        case .word(let words):
            guard !words.contains(value) else { return nil }
            let nearest = NearestName.of(value, among: words)
            return (
                "'\(Setting.excerpt(value))' is none of \(words.joined(separator: ", "))",
                nearest.map { "Did you mean \($0)?" } ?? "Give one of them."
            )
        case .file, .secretFile:
            return FileManager.default.isReadableFile(atPath: value)
                ? nil
                : (
                    "there is no file \(Setting.shownText(value)) that can be read",
                    "Check its path and its permissions."
                )
        case .size:
            return value.wholeMatch(of: /(?i)[0-9]+(\.[0-9]+)? ?(b|[kmgt]i?b)?/) == nil
                ? ("'\(Setting.excerpt(value))' is not a size", "Give one such as 200MB or 1GB; 0 means none.") : nil
        case .duration:
            return value.wholeMatch(of: /[0-9]{1,4}(s|min)?/) == nil
                ? ("'\(Setting.excerpt(value))' is not a time", "Give one such as 30s or 2min.") : nil
        }
    }

    /// Reads yes or no as YAML and people write them; `nil` if it is neither.
    static func flag(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "on", "1": true
        case "no", "false", "off", "0": false
        default: nil
        }
    }

    private static func excerpt(_ value: String) -> String {
        let text = shownText(value)
        return text.count <= 60 ? text : text.prefix(60) + "…"
    }
}

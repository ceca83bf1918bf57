extension SettingTable {
    /// The documentation of all settings, as Markdown.
    public static var guide: String {
        var text = """
            # Settings

            A setting of `waymark serve` can be given in three ways. An option on the command line comes first, then a
            variable of the environment, then the file; if none of them gives a value, the default applies.

            | given as | example |
            |---|---|
            | option | `waymark serve --rate-limit 200` |
            | environment | `WAYMARK_RATE_LIMIT=200` |
            | file | `rate-limit: 200` |

            `--config FILE` or `WAYMARK_CONFIG` names the file; else it is `waymark.yaml` in the working folder, if there is
            one. It is YAML, with one line for each setting. Lists are written as `[a, b]`, in the environment as `a,b`.

            `waymark config check` finds what is wrong, with its line and what to do. `waymark config show` prints the
            effective values and where each comes from. It hides the paths of files with secrets, and passwords and queries in URLs.

            SIGHUP makes a running service read the file again. It takes over what the last column allows, says in its log
            what changed, and names what needs a restart. If anything in the file is wrong, nothing changes. The contents of
            `tls-certificate`, `tls-key` and `jwks` are read again even if their paths stay the same.

            The folders of data are set by the environment alone: `WAYMARK_DATA` names the folder with `geodata` and
            `tiles`, and `WAYMARK_CACHE` the folder for compiled data.


            """
        for group in groups {
            text += "## \(group.title)\n\n| name | value | default | meaning | at SIGHUP |\n|---|---|---|---|---|\n"
            for setting in group.settings {
                text += "| `\(setting.name)` | \(setting.kind.words) | \(setting.standard) | \(setting.meaning) | "
                text += (setting.isReloadable ? "taken over" : "restart") + " |\n"
            }
            text += "\n"
        }
        return String(text.dropLast())
    }
}

extension Setting.Kind {
    /// What a value may be, in words.
    public var words: String {
        switch self {
        case .text: "text"
        case .integer(let bounds): "whole number, \(bounds.lowerBound) to \(bounds.upperBound)"
        case .number(let bounds, let orZero):
            "number, \(orZero ? "0 or " : "")\(Int(bounds.lowerBound)) to \(Int(bounds.upperBound))"
        case .flag: "yes or no"
        case .list: "list of texts"
        case .integers(let bounds): "list of whole numbers, \(bounds.lowerBound) to \(bounds.upperBound)"
        case .word(let words): words.joined(separator: ", ")
        case .file: "path of a file"
        case .secretFile: "path of a file with a secret"
        case .size: "size, such as 200MB"
        case .duration: "time up to an hour, such as 30s or 2min"
        }
    }
}

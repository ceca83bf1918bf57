/// A setting of the service: an option of `waymark serve`, a variable of the environment, and a key of the file.
public struct Setting: Hashable, Sendable {
    /// What a value may be.
    public enum Kind: Hashable, Sendable {
        /// A text that the setting's own rule judges.
        case text
        /// A whole number between bounds.
        case integer(ClosedRange<Int>)
        /// A number between bounds; with `orZero` also 0, which switches something off.
        case number(ClosedRange<Double>, orZero: Bool)
        /// Yes or no.
        case flag
        /// Any number of texts.
        case list
        /// Any number of whole numbers between bounds.
        case integers(ClosedRange<Int>)
        /// One of some words.
        case word([String])
        /// The path of a file that must exist.
        case file
        /// The path of a file with a secret in it.
        case secretFile
        /// A size, such as `200MB`.
        case size
        /// A time up to an hour, such as `30s` or `2min`.
        case duration
    }

    /// The name: `rate-limit` is the option `--rate-limit`, the variable `WAYMARK_RATE_LIMIT` and the key `rate-limit`.
    public let name: String
    /// What a value may be.
    public let kind: Kind
    /// The value without any, in the words of the documentation.
    public let standard: String
    /// A sentence that says what it does.
    public let meaning: String
    /// Whether a running service takes over a new value at SIGHUP.
    public let isReloadable: Bool
    /// Whether the option has an inverse, `--no-…`.
    public let hasInverse: Bool
    /// Whether a value names an address, in which people may have written a name and a password.
    package let isAddress: Bool

    init(
        _ name: String,
        _ kind: Kind,
        standard: String = "none",
        reloadable: Bool = false,
        inverse: Bool = false,
        address: Bool = false,
        _ meaning: String
    ) {
        self.name = name
        self.kind = kind
        self.standard = standard
        self.meaning = meaning
        isReloadable = reloadable
        hasInverse = inverse
        isAddress = address
    }

    /// The option of the command line.
    public var option: String { "--" + name }

    /// The variable of the environment.
    public var variable: String { "WAYMARK_" + name.uppercased().replacing("-", with: "_") }

    /// Whether its value is hidden where settings are shown: it is the place of a secret.
    public var isSecret: Bool { kind == .secretFile }

    /// Whether it has any number of values.
    public var isList: Bool {
        switch kind {
        case .list, .integers: true
        default: false
        }
    }
}

extension Setting {
    /// What stands in place of what is hidden.
    static let hidden = "<hidden>"

    /// Returns a value as it may be shown and logged.
    ///
    /// The place of a secret is hidden. So is what may be a secret in an address: passwords are written there, although
    /// every address with one is refused.
    public func shown(_ value: String) -> String {
        if isSecret { return Setting.hidden }
        return isAddress ? Setting.shownAddress(value) : Setting.shownText(value)
    }

    /// Returns a value that should not be an address as it may be shown; it may contain one by mistake.
    static func shownText(_ text: String) -> String { text.contains("://") ? shownAddress(text) : text }

    /// Returns an address without the name and the password before its host, and without its query and its fragment.
    ///
    /// The text need not be an address: of one that cannot be read, rather too much is hidden.
    public static func shownAddress(_ address: String) -> String {
        var (start, rest) = ("", address[...])
        if let scheme = address.firstRange(of: "://") {
            (start, rest) = (String(address[..<scheme.upperBound]), address[scheme.upperBound...])
        } else if address.lowercased().hasPrefix("mailto:") {
            // What stands before the host of a mailbox is no secret.
            return withoutQuery(rest)
        }
        if start.contains("@") { return hidden }
        // The last one counts: a password may contain every character.
        if let end = rest.lastIndex(of: "@") {
            start += hidden
            rest = rest[end...]
        }
        return start + (beginningOfPassword(in: rest).map { $0 + hidden } ?? withoutQuery(rest))
    }

    /// Returns what may be shown of a host with something behind its colon that is no port; `nil` if all is well.
    private static func beginningOfPassword(in rest: Substring) -> String? {
        let authority = rest.prefix { !"/?#".contains($0) }
        let host = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[host...].firstIndex(of: ":") else { return nil }
        let port = authority[authority.index(after: colon)...]
        return port.allSatisfy(\.isNumber) ? nil : String(authority[...colon])
    }

    private static func withoutQuery(_ rest: Substring) -> String {
        guard let end = rest.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return String(rest) }
        return String(rest[...end]) + hidden
    }
}

extension SettingValues {
    /// Returns words in which every value that names an address stands as it may be shown.
    func hidingAddresses(in words: String) -> String {
        var plain = words
        for setting in SettingTable.all where !setting.isSecret {
            for text in value(of: setting).texts where setting.shown(text) != text {
                plain = plain.replacing(text, with: setting.shown(text))
            }
        }
        return plain
    }
}

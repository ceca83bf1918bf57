/// The filter of Photon's `osm_tag`: `key:value`, `key` or `:value`; `!` before one of them excludes its places.
struct PhotonTags: Sendable {
    private struct Tag: Sendable {
        var key: String
        var value: String
        /// Whether places with this key and value are excluded.
        var isExcluded = false
        /// Whether it names only other values of the key: `key:!value`.
        var isOtherValue = false

        init?(_ text: String) {
            var text = text[...]
            if text.first == "!" {
                isExcluded = true
                text.removeFirst()
            }
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            key = parts[0]
            value = parts.count > 1 ? parts[1] : ""
            if value.first == "!" {
                value.removeFirst()
                // ":!value" excludes the value under any key; "key:!value" requires another value of the key.
                if key.isEmpty { isExcluded = true } else { isOtherValue = true }
            }
            guard !key.isEmpty || !value.isEmpty else { return nil }
        }

        func names(_ key: String, _ value: String) -> Bool {
            guard self.key.isEmpty || self.key == key else { return false }
            guard !self.value.isEmpty else { return true }
            return (self.value == value) != isOtherValue
        }
    }

    private let wanted: [Tag]
    private let excluded: [Tag]

    /// Parses the values of the parameter; invalid tags are ignored because Photon's clients may send any text.
    init(_ texts: [String]) {
        let tags = texts.compactMap(Tag.init)
        wanted = tags.filter { !$0.isExcluded }
        excluded = tags.filter(\.isExcluded)
    }

    /// Returns whether a place with a key and value passes the filter.
    func admit(_ key: String, _ value: String) -> Bool {
        (wanted.isEmpty || wanted.contains { $0.names(key, value) }) && !excluded.contains { $0.names(key, value) }
    }
}

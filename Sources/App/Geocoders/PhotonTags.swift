/// What Photon's `osm_tag` lets through: `key:value`, `key`, `:value`, and with `!` before one of them all but that.
struct PhotonTags: Sendable {
    private struct Tag: Sendable {
        var key: String
        var value: String
        /// Whether places of this key and value are left out.
        var isExcluded = false
        /// Whether only other values of the key are meant: `key:!value`.
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
                // ":!value" leaves the value out whatever its key; "key:!value" asks for others of the key.
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

    /// Reads the values of the parameter; what is no tag is passed over, as Photon's clients send what they like.
    init(_ texts: [String]) {
        let tags = texts.compactMap(Tag.init)
        wanted = tags.filter { !$0.isExcluded }
        excluded = tags.filter(\.isExcluded)
    }

    /// Whether a place of a key and value may be among the answers.
    func admit(_ key: String, _ value: String) -> Bool {
        (wanted.isEmpty || wanted.contains { $0.names(key, value) }) && !excluded.contains { $0.names(key, value) }
    }
}

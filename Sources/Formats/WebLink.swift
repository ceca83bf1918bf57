import Stories

/// A link in a file: where it leads, and what the file says about it.
package struct WebLink: Hashable, Sendable {
    /// What an address leads to.
    package enum Form: Hashable, Sendable {
        /// A recording, with or without pictures.
        case recording
        case picture
        case page
    }

    /// The address as the file writes it, without blanks around it.
    package let address: String
    /// The words of the link on one line, or `nil`.
    package let words: String?
    /// What it leads to, by the file's word for it or the ending of its name.
    package let form: Form
    /// The name of the property that has it, or `nil` if it is in an element of its own.
    package let property: String?

    /// Creates a link; a media type such as `audio/mpeg` says more than the ending.
    init(
        _ address: String,
        words: String? = nil,
        mediaType: String? = nil,
        as form: Form? = nil,
        of property: String? = nil
    ) {
        let plain = address[...].trimmingBlanks
        // As browsers do, which read such an address like that of the page around it.
        self.address = plain.hasPrefix("//") ? "https:" + plain : plain
        let line = words.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") } ?? ""
        self.words = line.isEmpty ? nil : line
        self.property = property
        self.form = form ?? WebLink.form(ofType: mediaType) ?? WebLink.form(of: self.address)
    }

    /// Whether the address is one of the web, and not of a disk, an archive or a mailbox.
    package var isWeb: Bool {
        let start = address.prefix(8).lowercased()
        return start.hasPrefix("https://") || start.hasPrefix("http://")
    }

    /// The address in the characters of RFC 3986, as a story may have it; `nil` if it is none of the web or too long.
    package var url: String? {
        guard isWeb else { return nil }
        var text = ""
        for byte in address.utf8 {
            if byte <= 0x20 || byte >= 0x7F || WebLink.refused.contains(byte) {
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%" + (digits.count < 2 ? "0" : "") + digits
            } else {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return text.utf8.count <= StoryLimits.urlLength && StoryLimits.isWebAddress(text) ? text : nil
    }

    /// The link as a text says it: `words (https://…)`.
    package var inWords: String {
        words.map { WebLink.isSame($0, address) ? address : "\($0) (\(address))" } ?? address
    }

    /// Returns whether words are an address, with or without its scheme and a slash at its end.
    static func isSame(_ words: String, _ address: String) -> Bool {
        words.contains(address) || bare(words) == bare(address)
    }

    private static func bare(_ address: String) -> Substring {
        var rest = address[...]
        for scheme in ["https://", "http://"] where rest.hasPrefix(scheme) { rest = rest.dropFirst(scheme.count) }
        return rest.last == "/" ? rest.dropLast() : rest
    }

    /// What an address may not contain literally, besides blanks, control characters and those beyond ASCII.
    private static let refused = Set("\"<>\\^`{|}".utf8)

    private static let endings: [String: Form] = {
        let recordings = "aac amr flac m4a mp3 oga ogg opus wav wma 3gp avi m4v mov mp4 mpg ogv webm"
        let pictures = "avif gif jpeg jpg png webp"
        var forms: [String: Form] = [:]
        for ending in recordings.split(separator: " ") { forms[String(ending)] = .recording }
        for ending in pictures.split(separator: " ") { forms[String(ending)] = .picture }
        return forms
    }()

    private static func form(ofType type: String?) -> Form? {
        guard let type = type?[...].trimmingBlanks.lowercased() else { return nil }
        if type.hasPrefix("audio/") || type.hasPrefix("video/") { return .recording }
        return type.hasPrefix("image/") ? .picture : nil
    }

    private static func form(of address: String) -> Form {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        guard let last = path.split(separator: "/").last, let dot = last.lastIndex(of: ".") else { return .page }
        return endings[last[last.index(after: dot)...].lowercased()] ?? .page
    }
}

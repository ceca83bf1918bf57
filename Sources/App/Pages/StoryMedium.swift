import Stories

/// The recording, picture or document that a story links, as the page names and plays it.
struct StoryMedium: Sendable {
    /// What it is, as far as its address says.
    enum Form: Hashable, Sendable {
        case audio
        case image
        case video
        case document
        case other
    }

    let form: Form
    /// The ending of its name in upper case, if that says what it is.
    let ending: String?
    let address: WebAddress
    /// The host of another server, or `nil` for this one.
    let host: String?
    /// Whether the page itself may load it.
    let isLoaded: Bool

    /// Reads the medium of a story; `nil` if it has none that a page may link.
    ///
    /// `origins` are those from which the page may load media, such as `https://media.example`.
    init?(of story: Story, origins: [String]) {
        guard let address = story.mediaURL.flatMap({ WebAddress($0) }) else { return nil }
        self.address = address
        (form, ending) = StoryMedium.form(of: StoryMedium.ending(of: address.text), kind: story.kind)
        host = StoryMedium.host(of: address.text)
        isLoaded = StoryMedium.mayLoad(address, from: origins)
    }

    /// Returns whether a page may load an address: one of this service, or one below an origin that the operator named.
    ///
    /// Anything that is not literally below such an origin is only linked; the content security policy says the same.
    static func mayLoad(_ address: WebAddress, from origins: [String]) -> Bool {
        address.text.hasPrefix("/") || origins.contains { address.text.hasPrefix($0 + "/") }
    }

    private static let endings: [(form: Form, endings: Set<String>)] = [
        (.audio, ["aac", "flac", "m4a", "mp3", "oga", "ogg", "opus", "wav"]),
        (.image, ["avif", "gif", "jpeg", "jpg", "png", "webp"]),
        (.video, ["m4v", "mov", "mp4", "ogv", "webm"]),
        (.document, ["doc", "docx", "epub", "htm", "html", "odt", "pdf", "txt"]),
    ]

    private static func form(of ending: String?, kind: StoryKind) -> (Form, String?) {
        if let ending {
            guard let known = endings.first(where: { $0.endings.contains(ending) }) else { return (.other, nil) }
            return (known.form, ending.uppercased())
        }
        switch kind {
        case .interview: return (.audio, nil)
        case .photo: return (.image, nil)
        case .videoObject: return (.video, nil)
        case .document: return (.document, nil)
        default: return (.other, nil)
        }
    }

    /// Returns the ending of the path in lower case, at most five letters and digits; `nil` without one.
    private static func ending(of address: String) -> String? {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        let last = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = last.lastIndex(of: ".") else { return nil }
        let ending = last[last.index(after: dot)...].lowercased()
        let isPlain = ending.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
        return isPlain && (1...5).contains(ending.utf8.count) ? ending : nil
    }

    private static func host(of address: String) -> String? {
        guard let mark = address.firstRange(of: "://") else { return nil }
        let authority = address[mark.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        // What stands before an at sign is no part of the host, but could look like one.
        return authority.split(separator: "@", omittingEmptySubsequences: false).last.map(String.init)
    }
}

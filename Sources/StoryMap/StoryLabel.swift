import Stories

/// The display data of a single story's marker, packed into the bytes of a segment.
struct StoryLabel: Sendable {
    let title: String
    /// The date as entered.
    let date: String?
    let privacy: Privacy

    /// The separator between title and date; never a byte of UTF-8.
    private static let separator: UInt8 = 0xFF

    /// Appends the label of a story: a byte for its privacy level, the title, and the date after a separator if it has
    /// one.
    static func append(_ story: Story, to bytes: inout [UInt8]) {
        bytes.append(UInt8(Privacy.allCases.firstIndex(of: story.privacy) ?? 0))
        bytes.append(contentsOf: story.title.utf8)
        guard let date = story.indexedTimes.date else { return }
        bytes.append(separator)
        bytes.append(contentsOf: date.text.utf8)
    }

    /// Unpacks a label; no bytes give an empty one.
    init(_ bytes: ArraySlice<UInt8>) {
        let levels = Privacy.allCases
        let level = Int(bytes.first ?? 0)
        privacy = level < levels.count ? levels[level] : .private
        let texts = bytes.dropFirst().split(separator: StoryLabel.separator, omittingEmptySubsequences: false)
        title = texts.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        date = texts.count > 1 ? String(decoding: texts[texts.startIndex + 1], as: UTF8.self) : nil
    }
}

import Stories

/// What the marker of a single story tells of it, packed into the bytes of a segment.
struct StoryLabel: Sendable {
    let title: String
    /// The date as it was written.
    let date: String?
    let privacy: Privacy

    /// Stands between the title and the date; no byte of UTF-8 is like it.
    private static let separator: UInt8 = 0xFF

    /// Appends the label of a story: a byte for its level, the title, and the date behind a separator if it has one.
    static func append(_ story: Story, to bytes: inout [UInt8]) {
        bytes.append(UInt8(Privacy.allCases.firstIndex(of: story.privacy) ?? 0))
        bytes.append(contentsOf: story.title.utf8)
        guard let date = story.indexedTimes.date else { return }
        bytes.append(separator)
        bytes.append(contentsOf: date.text.utf8)
    }

    /// Unpacks a label; of no bytes an empty one.
    init(_ bytes: ArraySlice<UInt8>) {
        let levels = Privacy.allCases
        let level = Int(bytes.first ?? 0)
        privacy = level < levels.count ? levels[level] : .private
        let texts = bytes.dropFirst().split(separator: StoryLabel.separator, omittingEmptySubsequences: false)
        title = texts.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        date = texts.count > 1 ? String(decoding: texts[texts.startIndex + 1], as: UTF8.self) : nil
    }
}

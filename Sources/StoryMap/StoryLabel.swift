import Stories

/// The display data of a single story's marker, packed into the bytes of a segment.
struct StoryLabel: Sendable {
    let title: String
    /// The date as entered.
    let date: String?
    let privacy: Privacy
    /// The version of its picture.
    let picture: UInt64?

    /// The separator between title, date and picture; never a byte of UTF-8.
    private static let separator: UInt8 = 0xFF

    /// Appends the label of a story: a byte for its privacy level, the title, and after separators the date and the
    /// picture's version, as far as it has them.
    static func append(_ story: Story, to bytes: inout [UInt8]) {
        bytes.append(UInt8(Privacy.allCases.firstIndex(of: story.privacy) ?? 0))
        bytes.append(contentsOf: story.title.utf8)
        let (date, picture) = (story.indexedTimes.date, story.picture)
        guard date != nil || picture != nil else { return }
        bytes.append(separator)
        bytes.append(contentsOf: (date?.text ?? "").utf8)
        guard let picture else { return }
        bytes.append(separator)
        bytes.append(contentsOf: picture.name.utf8)
    }

    /// Unpacks a label; no bytes give an empty one.
    init(_ bytes: ArraySlice<UInt8>) {
        let levels = Privacy.allCases
        let level = Int(bytes.first ?? 0)
        privacy = level < levels.count ? levels[level] : .private
        let texts = bytes.dropFirst().split(separator: StoryLabel.separator, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        title = texts.first ?? ""
        date = texts.count > 1 && !texts[1].isEmpty ? texts[1] : nil
        picture = texts.count > 2 ? StoryPicture.version(named: texts[2]) : nil
    }
}

/// Names of columns in Japanese, Chinese and Korean, which put no spaces between many words: a part of the name counts.
extension PrivacyWords {
    /// Parts that are about privacy, whatever the values: "not to be published", "range of publication", "confidential".
    private static let clearParts = [
        "非公開", "不公開", "公開しない", "公開不可", "公開区分", "公開範囲", "公開制限", "限定公開", "閲覧制限", "閲覧不可", "取扱注意",
        "利用制限", "社外秘", "部外秘", "家族のみ", "プライバシー", "不公开", "非公开", "限制公开", "保密", "密级", "隐私",
        "비공개", "공개불가", "공개금지",
    ]
    /// Parts that may be about privacy: "publication", which may be a day, and "reading".
    private static let doubtfulParts = ["公開", "公开", "閲覧", "공개"]

    /// Returns whether a word of a name has a part that is about privacy.
    static func hasClearPart(_ word: String) -> Bool { hasPart(word, of: clearParts) }

    /// Returns whether a word of a name has a part that may be about privacy.
    static func hasDoubtfulPart(_ word: String) -> Bool { hasPart(word, of: doubtfulParts) }

    private static func hasPart(_ word: String, of parts: [String]) -> Bool {
        // Most names are in ASCII.
        word.utf8.contains { $0 >= 0x80 } && parts.contains(where: word.contains)
    }
}

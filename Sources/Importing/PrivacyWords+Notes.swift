/// What people write above a table, into the name of a sheet or into the description of a file, in the languages of
/// ``PrivacyWords``.
extension PrivacyWords {
    /// Words that restrict wherever such a note has them.
    private static let noteWords: Set<String> = [
        "draft", "entwurf", "brouillon", "borrador", "rascunho", "veröffentlichen", "veröffentlichung", "publier",
        "diffuser",
        "diffusion", "publicar", "publicação", "публиковать", "публикации", "распространять", "конфиденциально",
        "секретно",
        "служебного", "riservato", "vertrouwelijk", "poufne", "internen", "beschränkt", "eingeschränkt", "réservé",
        "réservée",
        "réservés", "unveröffentlicht", "inédit",
    ]
    /// Several words that do.
    private static let notePhrases: [[String]] = [
        ["nur", "intern"], ["nur", "für"], ["nur", "familie"], ["pour", "la", "famille"], ["usage", "interne"],
        ["uso", "interno"],
        ["solo", "para"], ["sólo", "para"], ["apenas", "para"], ["somente", "para"], ["только", "для"],
        ["niet", "openbaar"],
        ["uso", "riservato"], ["off", "the", "record"], ["published", "no"], ["public", "no"], ["publish", "no"],
        ["web", "no"],
        ["öffentlich", "nein"], ["public", "non"], ["público", "no"], ["público", "não"], ["for", "family"],
        ["access", "closed"],
    ]
    /// Parts of texts in scripts that do not separate words.
    private static let noteParts = [
        "家族のみ", "家族だけ", "家人", "内部", "公開不可", "社外秘", "部外秘", "非公開", "不公开", "保密", "仅限", "请勿", "禁止",
    ]

    /// Returns whether a note, by its words and as a whole, restricts who may see something.
    static func isNote(_ words: [String], _ plain: String) -> Bool {
        if words.contains(where: noteWords.contains) || noteParts.contains(where: plain.contains) { return true }
        return words.indices.contains { index in notePhrases.contains { words[index...].starts(with: $0) } }
    }
}

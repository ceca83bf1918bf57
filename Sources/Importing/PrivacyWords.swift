/// The words by which people and programs say who may see something, in the languages of most archives that we have seen.
enum PrivacyWords {
    /// Words that may be about privacy.
    private static let doubtful: Set<String> = [
        "public", "published", "publish", "publication", "audience", "permission", "permissions", "status", "release",
        "rights", "viewable", "classification", "share", "sharing", "shared", "living", "consent", "resn",
        "web", "online", "internet", "website", "webinclude", "protocol", "protocols", "agree", "geoprivacy",
        "withdrawn", "anonymous", "anonym", "anonyme", "anónimo", "pub", "öffentlich", "oeffentlich",
        "veröffentlichung", "veröffentlichen", "veröffentlicht", "freigabe",
        "freigegeben", "einwilligung", "zugang", "zugänglich", "accès", "acces", "communicable", "communicabilité",
        "diffusion", "diffusable", "publiable", "publié", "consentement", "acceso", "público", "publico", "publicar",
        "publicado", "consentimiento", "publier", "autorisation", "droits", "approved", "cleared", "display", "viewers",
        "openbaar", "toestemming", "pubblico", "pubblica", "pubblicabile", "consenso", "consultable", "consultabile",
        "acesso", "publicação", "consentimento", "доступ", "publishable", "shareable", "sharable", "showable",
        "displayable", "публиковать", "публикация", "опубликовано", "разрешение", "согласие",
    ]
    /// What restricts in any column, as a whole value.
    static let restricting: Set<String> = [
        "private", "family", "family_only", "restricted", "confidential", "secret", "members_only", "staff_only",
        "not_public", "non_public", "unpublished", "internal", "for_family_only", "embargoed", "friends", "only_me",
        "internal_only", "closed_access", "privat", "vertraulich", "gesperrt", "nicht_öffentlich", "privé",
        "confidentiel", "restreint", "non_communicable", "privado", "privada", "restringido", "restrito", "restrita",
        "confidencial", "非公開", "不公開", "公開しない", "公開不可", "不公开", "非公开", "保密", "закрыто", "закрытый", "비공개",
    ]
    /// What restricts only in a column that may be about privacy.
    static let closed: Set<String> = [
        "0", "no", "n", "false", "closed", "hidden", "draft", "sealed", "withheld", "living", "locked", "obscured",
        "declined", "denied", "staff", "intern", "interne", "interno", "interna", "reservado", "not_granted",
        "in_review",
        "not_available", "refused", "revoked", "withdrawn", "suppressed", "nein", "non", "não", "nao", "нет",
        "いいえ", "否", "不可", "×", "✗", "✘", "nee", "nej", "nie",
        "forbidden", "not_allowed", "not_permitted", "아니오", "아니요", "خاص", "خاصة", "لا",
    ]
    /// Names of columns in which a tick restricts.
    private static let inverse: Set<String> = [
        "draft", "withdrawn", "sealed", "closed", "entwurf", "brouillon", "borrador", "rascunho", "bozza",
        "закрыто", "закрыт",
    ]
    /// What marks a row in a column of ticks.
    static let ticks: Set<String> = [
        "x", "yes", "y", "true", "1", "ja", "oui", "sí", "si", "sim", "да", "はい", "是", "○", "◯", "〇", "✓", "✔", "☑",
        "ok", "예", "네", "نعم", "tak",
    ]
    static let open: Set<String> = ["public", "open", "published", "everyone", "all", "unrestricted", "anyone"]
    /// Words that are about privacy wherever a name has them.
    private static let clear: Set<String> = [
        "secret", "secrecy", "hidden", "hide", "unpublished", "sensitive", "sensitivity", "vertraulich", "gesperrt",
        "schutzfrist", "geheim",
        "withhold", "withheld", "redacted", "takedown", "datenschutz", "reservado", "sigilo", "sigiloso", "restreint",
        "restringido", "restrição", "restrito",
    ]
    /// Names of several words that are about privacy.
    private static let phrases: [[String]] = [
        ["do", "not", "publish"], ["do", "not", "share"], ["not", "for", "publication"], ["staff", "only"],
        ["members", "only"], ["internal", "only"], ["internal", "use"], ["closed", "until"], ["opt", "out"],
        ["family", "only"], ["family", "eyes"], ["not", "public"], ["non", "communicable"], ["eyes", "only"],
        ["can", "see"], ["cultural", "protocol"], ["sharing", "protocol"], ["community", "protocol"],
        ["mukurtu", "protocols"], ["gdpr"], ["redact"], ["do", "not", "show"], ["off", "the", "record"],
        ["legal", "hold"], ["under", "review"], ["take", "down"], ["ne", "pas", "diffuser"], ["no", "difundir"],
        ["no", "mostrar"], ["nicht", "zeigen"], ["não", "divulgar"], ["не", "публиковать"],
        ["non", "pubblicare"], ["non", "diffondere"], ["niet", "publiceren"], ["niet", "tonen"], ["nie", "publikować"],
        ["nie", "publikowac"], ["nie", "udostępniać"], ["nicht", "veröffentlichen"], ["ne", "pas", "publier"],
        ["no", "publicar"], ["não", "publicar"], ["nao", "publicar"], ["не", "показывать"], ["لا", "تنشر"],
    ]
    /// Whole names that are about privacy, and less so within another: "قطاع خاص" is the private sector.
    private static let wholeNames: Set<[String]> = [["خاص"], ["خاصة"], ["سري"], ["الخصوصية"]]
    /// Names that may be about privacy only together: "Can be shown", but not "Films shown".
    private static let doubtfulPhrases: [[String]] = [
        ["can", "be", "shown"], ["may", "be", "shown"], ["can", "show"], ["may", "show"], ["ok", "to", "show"],
    ]

    /// Returns whether words are about privacy, whatever the values under them.
    static func isClear(_ words: [String]) -> Bool {
        let words = withoutCovenants(words)
        return words.contains(where: isClear) || isAccess(words) || hasPhrase(words) || wholeNames.contains(words)
    }

    /// Returns whether words of a column's name are about privacy only if a value restricts: "Access", "Restrictions".
    static func isVague(_ words: [String]) -> Bool {
        let words = withoutCovenants(words).filter { !restrictions.contains($0) }
        // "Access level" and "Public access" are settings even where they are empty.
        guard !words.contains(where: ["level", "levels", "public"].contains) else { return false }
        return !words.contains(where: isClear) && !hasPhrase(words) && !wholeNames.contains(words)
    }

    /// Names of restrictions, of which there may be none.
    private static let restrictions: Set<String> = [
        "restriction", "restrictions", "accessrestrict", "userestrict", "accessrestriction", "accessrestrictions",
        "userestriction", "userestrictions",
    ]

    /// Returns words without "restrictive" in front of "covenant", which restricts a house.
    private static func withoutCovenants(_ words: [String]) -> [String] {
        guard words.contains(where: { $0.hasPrefix("covenant") }) else { return words }
        return words.filter { $0 != "restrictive" }
    }

    /// Returns whether words contain a phrase that is about privacy wherever it stands: "family eyes only".
    static func hasPhrase(_ words: [String]) -> Bool { hasPhrase(words, of: phrases) }

    private static func hasPhrase(_ words: [String], of phrases: [[String]]) -> Bool {
        words.indices.contains { index in phrases.contains { words[index...].starts(with: $0) } }
    }

    static func isDoubtful(_ words: [String]) -> Bool {
        words.contains { doubtful.contains($0) || hasDoubtfulPart($0) } || isInverse(words)
            || hasPhrase(words, of: doubtfulPhrases)
    }

    /// Returns whether a tick in the column restricts: "draft", "is_withdrawn".
    static func isInverse(_ words: [String]) -> Bool {
        let words = words.first == "is" ? words.dropFirst() : words[...]
        return words.count == 1 && words.allSatisfy(inverse.contains)
    }

    /// Returns whether a value begins with a term or a wish about who may see something: "closed until 2050".
    static func isLimit(_ value: String) -> Bool {
        guard let first = value.utf8.first, limitStarts.contains(first | 0x20), value.utf8.count <= longest else {
            return false
        }
        let words = words(value)
        return limits.contains { words.starts(with: $0) }
    }

    private static let limits = [
        ["closed", "until"], ["closed", "till"], ["restricted", "until"], ["embargoed", "until"], ["embargo", "until"],
        ["sealed", "until"], ["withheld", "until"], ["keep", "private"], ["keep", "confidential"],
        ["keep", "within", "the", "family"], ["keep", "in", "the", "family"], ["for", "the", "family", "only"],
        ["for", "family", "only"], ["only", "for", "the", "family"], ["family", "only"],
    ]
    private static let limitStarts = Set(limits.compactMap { $0.first?.utf8.first })

    /// Returns whether a value is a longer "no": "No, please do not".
    static func isAnswerNo(_ value: String) -> Bool {
        let first = value.prefix { $0.isLetter }
        guard ["no", "nein", "non", "não", "nao"].contains(first.lowercased()) else { return false }
        return value.dropFirst(first.count).first.map { ",.;:!-–—(".contains($0) } ?? true
    }

    /// Returns whether a value of some words names a restriction that it does not deny.
    static func namesRestriction(_ value: String) -> Bool {
        guard value.utf8.count <= longest else { return false }
        let words = words(value)
        let restrictions: Set = [
            "private", "restricted", "confidential", "unpublished", "embargoed", "sealed", "withheld", "embargo",
            "gesperrt", "vertraulich", "sigiloso", "confidentiel", "confidencial", "restreint",
        ]
        return words.indices.contains { index in
            restrictions.contains(words[index])
                && (index == 0 || !["not", "no", "non", "un"].contains(words[index - 1]))
        }
    }

    private static let denials: Set<String> = [
        "no", "without", "none", "keine", "ohne", "sans", "aucune", "sin", "sem", "nessuna", "senza", "geen",
    ]

    /// Returns whether a short value says that nothing is restricted: "No restrictions", "unrestricted".
    static func deniesRestriction(_ value: String) -> Bool {
        guard value.utf8.count <= 60 else { return false }
        let words = words(value)
        guard let first = words.first, words.count <= 5 else { return false }
        // "private: all" is no denial.
        if words.count == 1, first != "all", open.contains(first) { return true }
        if ["unrestricted", "none"].contains(first) { return words.count == 1 || words[1] == "access" }
        let named = words.dropFirst()
            .contains { word in
                ["restri", "einschränk", "beschränk", "beperk"].contains { word.hasPrefix($0) }
            }
        return denials.contains(first) && named
    }

    /// The maximum length in bytes of a value that is read word by word.
    static let longest = 400

    private static func isClear(_ word: String) -> Bool {
        if word.hasPrefix("priv") { return !word.hasPrefix("privileg") }
        if word.hasPrefix("confiden") { return !word.hasPrefix("confidence") }
        if word.hasPrefix("visib") || word.hasPrefix("embargo") || word.contains("restrict") { return true }
        if word.hasPrefix("suppress") || word.hasPrefix("sperr") || word.hasPrefix("sichtbar") { return true }
        return clear.contains(word) || hasClearPart(word)
    }

    /// Returns whether the words speak of access to the story, and not of a way to a file.
    private static func isAccess(_ words: [String]) -> Bool {
        let technical: Set<String> = ["uri", "url", "point", "date", "time", "copy", "file", "number", "no", "id"]
        guard words.contains("access") || words.contains("accessrights") else { return false }
        return !words.contains(where: technical.contains)
    }

    /// Returns the words of a name or value in lower case: "isPrivate" and "IS_PRIVATE" are "is" and "private".
    static func words(_ name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var wasLower = false
        for character in name {
            if !character.isLetter && !character.isNumber || (wasLower && character.isUppercase) {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if character.isLetter || character.isNumber { word += character.lowercased() }
            wasLower = character.isLowercase
        }
        return word.isEmpty ? words : words + [word]
    }
}

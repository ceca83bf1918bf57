/// Answers that refuse in more words than "no", in columns that may be about privacy.
extension PrivacyWords {
    /// Words of names that ask for somebody's leave, under which "not given" is a no; elsewhere it is a gap.
    private static let asking: Set<String> = [
        "permission", "permissions", "consent", "consents", "release", "agree", "einwilligung", "freigabe",
        "consentement", "autorisation", "consentimiento", "consentimento", "consenso", "toestemming", "разрешение",
        "согласие",
    ]
    /// Words with which a refusal begins: "refused by family".
    private static let refused: Set<String> = [
        "refused", "denied", "prohibited", "verweigert", "abgelehnt", "untersagt", "interdit", "interdite", "interdits",
        "interdites", "refusé", "refusée", "refusés", "prohibido", "prohibida", "denegado", "denegada", "proibido",
        "proibida", "negado", "negada", "vietato", "vietata", "negato", "negata", "geweigerd", "verboden", "запрещено",
        "запрещен", "запрещён", "запрещена", "отказано", "закрыт", "закрыта", "закрыто", "закрыты",
    ]
    /// Words that take a leave back or withhold it, wherever an answer to ``asking`` has them.
    private static let withheld: Set<String> = [
        "declined", "revoked", "withdrawn", "withheld", "rescinded", "forbidden",
    ]
    private static let nots: Set<String> = [
        "not", "never", "nicht", "non", "pas", "no", "não", "nao", "niet", "не", "nie",
    ]
    /// What a leave is that there is, and is not behind one of ``nots``.
    private static let granted: Set<String> = [
        "given", "granted", "obtained", "received", "signed", "agreed", "approved", "allowed", "permitted", "cleared",
        "yet", "erteilt", "gegeben", "accordé", "accordée", "donné", "obtenu", "concedido", "concedida", "dado", "dato",
        "concesso", "gegeven", "verleend", "дано", "получено", "получен",
    ]
    private static let leaves: Set<String> = ["permission", "consent", "release", "authorization", "authorisation"]
    private static let spared: Set<String> = ["needed", "required", "necessary", "applicable"]
    /// Longer values are texts, and what they say is not an answer.
    private static let mostRefusalWords = 8

    /// Returns whether the words of a name ask for somebody's leave: "Permission", "consent_form".
    static func isAsking(_ words: [String]) -> Bool {
        words.contains(where: asking.contains) && !words.contains("date")
    }

    /// Returns whether a value refuses: "refused by family", and as an answer to a leave also "not given".
    static func isRefusal(_ value: String, isAnswer: Bool) -> Bool {
        guard value.utf8.count <= longest else { return false }
        let words = words(value)
        guard let first = words.first, words.count <= mostRefusalWords else { return false }
        if refused.contains(first) { return true }
        return isAnswer && refusesLeave(words)
    }

    private static func refusesLeave(_ words: [String]) -> Bool {
        if words == ["none"] { return true }
        // "No permission needed" refuses nothing.
        guard !words.contains(where: spared.contains) else { return false }
        if ["no", "without"].contains(words[0]), words.count > 1, leaves.contains(words[1]) { return true }
        return words.indices.contains { index in
            let isDenied = index > 0 && nots.contains(words[index - 1])
            if granted.contains(words[index]) { return isDenied }
            return !isDenied && (refused.contains(words[index]) || withheld.contains(words[index]))
        }
    }
}

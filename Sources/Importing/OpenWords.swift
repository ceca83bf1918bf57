/// Values by which a column such as "Access" or "Restrictions" says plainly that everybody may see something.
///
/// Only whole values count: what says more may take back what it gives, as in "Open to staff".
enum OpenWords {
    /// What opens under any such name.
    private static let open: Set<String> = [
        "open", "public", "unrestricted", "open access", "open to all", "open to everyone", "open to the public",
        "open for research", "open to research", "open to researchers", "open for use", "open for public use",
        "open without restrictions", "publicly available", "publicly accessible", "available to all",
        "available to everyone", "available to the public", "freely available", "freely accessible", "free access",
        "unrestricted access", "access is unrestricted", "access unrestricted", "not restricted", "no restriction",
        "no restrictions", "no access restrictions", "no known restrictions", "no known access restrictions",
        "no restrictions on access", "no restrictions on access or use", "no restrictions on use",
        "no restrictions apply",
        "without restriction", "without restrictions", "there are no restrictions", "there are no access restrictions",
        "there are no restrictions on access", "collection is open for research",
        "the collection is open for research", "this collection is open for research",
        "open for research without restrictions", "offen", "öffentlich", "öffentlich zugänglich", "frei zugänglich",
        "keine einschränkungen", "keine einschränkung", "keine beschränkungen", "keine beschränkung",
        "ohne einschränkung", "uneingeschränkt", "libre", "accès libre", "libre accès", "librement communicable",
        "aucune restriction", "sans restriction", "acceso libre", "acceso abierto", "sin restricciones",
        "acesso livre", "acesso aberto", "sem restrições", "sem restrição", "geen beperkingen", "vrij toegankelijk",
        "nessuna restrizione", "accesso libero", "без ограничений", "制限なし", "无限制",
    ]
    /// What opens only under a name of restrictions or conditions: under "Access" it closes.
    private static let absent: Set<String> = [
        "none", "no", "none known", "false", "keine", "aucune", "ninguna", "nenhuma", "geen", "nessuna", "нет", "なし",
        "无",
    ]

    /// Returns whether a value opens, in a column that names restrictions or access.
    static func isOpen(_ value: String, namesRestrictions: Bool) -> Bool {
        // "Open?" is a question, and "open – see note" says more than its words.
        guard value.utf8.count <= 80, !value.contains("?"), !value.contains("*") else { return false }
        let text = PrivacyWords.words(value).joined(separator: " ")
        return open.contains(text) || (namesRestrictions && absent.contains(text))
    }
}

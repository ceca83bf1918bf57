import Importing
import Testing

/// Columns that refuse to publish in other words than "no", or in languages that are seldom met.
@Suite("Refusals in columns about publishing")
struct RefusalTests {
    private func table(_ column: String, _ values: [String]) throws -> ImportResult {
        try Fixture.text("title,\"\(column)\"\n" + values.map { "A,\"\($0)\"\n" }.joined())
    }

    @Test(
        "PRV-01 A column that refuses in more words, or under another name, refuses the file",
        arguments: [
            ("Permission", "not given"), ("Permissions", "refused by family"), ("Permission", "Permission not granted"),
            ("Consent", "given, later withdrawn"), ("Consent form", "not signed"), ("Consent", "none"),
            ("Consent", "No consent form"), ("Publishable", "no"), ("Publishable", "0"), ("Can be shown", "no"),
            ("Can publish", "no"), ("May be published", "no"), ("Shareable", "false"), ("OK to show", "n"),
            ("Diffusion", "interdite"), ("Diffusion", "Interdite par la famille"), ("Einwilligung", "nicht erteilt"),
            ("Доступ", "закрыт"), ("Закрыто", "да"), ("Публиковать", "нет"), ("Доступ", "Запрещён семьёй"),
            ("공개", "아니오"), ("공개 여부", "비공개"),
        ]
    )
    func refusals(column: String, value: String) throws {
        let result = try table(column, [value])
        #expect(result.isRefused)
        #expect(result.errors.first?.message.hasPrefix("\(column) looks like a privacy setting") == true)
        #expect(try table(column, ["", value]).isRefused)
    }

    @Test(
        "PRV-01 A column that is called what is not to be done refuses the file whatever its cells say",
        arguments: [
            "Non pubblicare", "Niet publiceren", "비공개", "خاص", "Nie publikować", "Nicht veröffentlichen",
            "Ne pas publier", "No publicar", "NIE PUBLIKOWAĆ",
        ]
    )
    func names(column: String) throws {
        for value in ["x", "si", "ja", "예", "نعم", "tak", "maybe", ""] {
            #expect(try table(column, [value]).isRefused, "\(value)")
        }
    }

    @Test(
        "The same columns are left out with a remark where they consent",
        arguments: [
            ("Permission", "given"), ("Permissions", "granted by family"), ("Permission", "not needed"),
            ("Permission", "No permission required"), ("Consent", "never withdrawn"), ("Consent", "signed"),
            ("Publishable", "yes"), ("Publishable", "1"), ("Can be shown", "yes"), ("Can publish", "yes"),
            ("May be published", "yes"), ("Diffusion", "libre"), ("Доступ", "открыт"), ("Закрыто", "нет"),
            ("Публиковать", "да"), ("공개", "예"),
        ]
    )
    func consents(column: String, value: String) throws {
        let result = try table(column, [value, value])
        #expect(!result.isRefused && result.stories.count == 2, "\(result.errors)")
        #expect(result.warnings.contains { $0.message.contains("nothing was read from the column") })
    }

    @Test(
        "Under names that ask for nobody's leave, a longer answer is no refusal",
        arguments: [
            ("Status", "Refused by the National Register"), ("Publication", "Not given"), ("Release date", "not given"),
            ("Films shown", "no"), ("قطاع خاص", "x"), ("Display", "Forbidden City"),
            ("Rights", "Images not cleared of dust"), ("Permission", "Ask the museum; it has given many people leave"),
        ]
    )
    func others(column: String, value: String) throws {
        #expect(try !table(column, [value]).isRefused)
    }

    @Test("A tick for what is closed is about the shop beside its opening hours in Russian, too")
    func shops() throws {
        #expect(try !Fixture.text("title,opening_hours,Закрыто\nA,Mo-Fr 9-17,да\n").isRefused)
        #expect(try Fixture.text("title,opening_hours,Закрыто\nA,Mo-Fr 9-17,закрыто\n").isRefused)
    }
}

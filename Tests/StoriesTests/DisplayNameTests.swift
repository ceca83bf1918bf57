import Stories
import Testing

@Suite("Display names")
struct DisplayNameTests {
    private static func text(_ count: Int, of letter: String = "x") -> String {
        String(repeating: letter, count: count)
    }

    @Test(
        "A name is kept as given",
        arguments: [
            "a", "Ana W.", " Ana ", "O’Neill–Smith", "José", "Jose\u{301}", "王芳", "עדי", "محمد", "می\u{200C}خواهم",
            "👩\u{200D}👩\u{200D}👧", "A\u{200E}B", "A\u{200F}B", "A\u{61C}B", "Ana\u{A0}W.", "zero\u{200B}width", "<b>",
            "\"", "\u{FFFD}", "\u{2801}\u{2800}\u{2803}",
            text(300), text(150, of: "é"),
        ]
    )
    func good(text: String) throws {
        #expect(DisplayName(text)?.text == text)
        #expect(try DisplayName(text, in: "name").description == text)
        #expect(!StoryLimits.isBlank(text))
    }

    @Test(
        "Blank, invisible, multi-line and overlong names, and those with control or bidirectional marks, are rejected",
        arguments: [
            "", " ", "   ", "\u{A0}", "\u{3000}", "\u{2003} ", "\u{200B}", "\u{200B} \u{2060}", "\u{FEFF}", "\u{3164}",
            "\u{200E}", "\u{2800}", "\u{2800} \u{2800}\u{301}",
            " \u{301}", "a\nb", "a\r\nb", "a\rb", "a\tb", "a\u{B}b", "a\u{C}b", "a\u{85}b", "a\u{2028}b", "a\u{2029}b",
            "a\u{0}b",
            "a\u{7}b", "a\u{1B}[31mb", "a\u{7F}b", "a\u{80}b", "a\u{9F}b", "a\u{202A}b", "a\u{202E}b", "a\u{2066}b",
            "\u{2069}a",
            "a\n", "\na", text(301), text(151, of: "é"),
        ]
    )
    func bad(text: String) {
        #expect(DisplayName(text) == nil)
        let isBlank = !text.contains("a") && !text.contains("x") && !text.contains("é")
        #expect(StoryLimits.isBlank(text) == isBlank)
        let rule =
            "must be one line of 1 to 300 bytes, not blank, without control characters or marks that reverse text"
        #expect(DisplayName.rule() == rule)
        let refusal = #expect(throws: DisplayName.Refusal.self) { try DisplayName(text, in: "--name") }
        #expect(refusal?.field == "--name" && refusal?.message == rule && refusal?.description == "--name \(rule).")
    }

    @Test("A lower limit applies where given, and the rule states it")
    func shorter() {
        let (fitting, long) = (DisplayNameTests.text(100), DisplayNameTests.text(101))
        #expect(DisplayName(fitting, maxBytes: 100)?.text == fitting)
        #expect(DisplayName(long, maxBytes: 100) == nil && DisplayName(long) != nil)
        #expect(DisplayName.rule(maxBytes: 100).hasPrefix("must be one line of 1 to 100 bytes, "))
    }
}

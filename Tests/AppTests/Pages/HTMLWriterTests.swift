import App
import Testing

@Suite("Writing HTML")
struct HTMLWriterTests {
    static let hostile: [String] = [
        "<script>alert(1)</script>", "</title><script>alert(1)</script>", "\" onclick=\"alert(1)",
        "' onclick='alert(1)", "&lt;b&gt;", "&#60;b&#62;", "&amp", "a & b", "<!-- a", "]]>", "<![CDATA[", "--><b>",
        "<\u{301}b>", "\u{301}a", "\u{202E}abc", "a\u{2028}b", "`onclick=alert(1)`", "={{7*7}}", "e\u{301}", "👩‍👩‍👧",
        "<img src=x onerror=alert(1)>", "</p></article></main>", "\u{FEFF}<b>", "+ADw-script+AD4-", "a=b", "",
        String(repeating: "<", count: 10_000),
    ]

    @Test("Every text comes back as it was, as text and as attribute, and makes no element", arguments: hostile)
    func texts(text: String) throws {
        var html = HTMLWriter()
        html.element("p", [.text("title", text), .flag("hidden"), .text("class", "a")]) { html in
            html.text(text)
            html.element("b", text: text)
        }
        let page = try PageReader(html.bytes)
        #expect(page.elements.map(\.name) == ["p", "b"])
        let element = try #require(page.elements.first)
        #expect(element.attributes.keys.sorted() == ["class", "hidden", "title"])
        #expect(element.attributes["title"].map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
        #expect(Array(element.text.unicodeScalars) == Array((text + text).unicodeScalars))
    }

    @Test("Control characters, which HTML does not have, do not pass; line breaks and tabs do")
    func controls() {
        for value in UInt32(0)..<0xA0 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            var html = HTMLWriter()
            html.text("a\(Character(scalar))b")
            let text = String(decoding: html.bytes, as: UTF8.self)
            let isControl = value < 0x20 || (0x7F..<0xA0).contains(value)
            switch scalar {
            case "\n", "\t": #expect(text.unicodeScalars.contains(scalar))
            case "\r": #expect(text == "ab")
            default: #expect(text.unicodeScalars.contains("\u{FFFD}") == isControl, "\(value)")
            }
        }
    }

    @Test(
        "A link leads to a web address or nowhere",
        arguments: [
            ("/stories/1", true), ("https://example.org/a?b=c&d", true), ("http://example.org", true),
            ("javascript:alert(1)", false), ("JavaScript:alert(1)", false), (" javascript:alert(1)", false),
            ("java\nscript:alert(1)", false), ("data:text/html,<b>", false), ("vbscript:1", false),
            ("//evil.example", false),
            ("/\\evil.example", false), ("/\t/evil.example", false), ("\u{1}javascript:1", false), ("https://", false),
            ("", false), ("story", false), ("https:evil", false), ("/a\"b", false),
        ]
    )
    func links(text: String, isGood: Bool) throws {
        #expect((WebAddress(text) != nil) == isGood)
        var html = HTMLWriter()
        html.element("a", [.href(WebAddress(text))], text: "x")
        html.void("img", [.src(WebAddress(text))])
        let elements = try PageReader(html.bytes).elements
        let addresses = elements.map { $0.attributes["href"] ?? $0.attributes["src"] }
        #expect(addresses == (isGood ? [text, text] : [nil, nil]))
    }

    @Test("No address, script or style passes as a plain attribute")
    func names() {
        let names: [StaticString] = [
            "href", "SRC", "srcset", "srcdoc", "style", "onclick", "ONLOAD", "action", "formaction", "poster", "data",
        ]
        for name in names {
            var html = HTMLWriter()
            html.void("img", [.text(name, "javascript:alert(1)"), .flag(name), .text("alt", "A")])
            #expect(String(decoding: html.bytes, as: UTF8.self) == "<img alt=\"A\">", "\(name)")
        }
    }
}

import App
import Formats
import Foundation
import Geometry
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite("The language of the pages")
struct LanguageTests {
    private static let available = ["en", "es", "pt-br"]

    private static func choice(_ accept: String?, cookie: String? = nil) -> String {
        var headers = HTTPFields()
        if let accept { headers[.acceptLanguage] = accept }
        if let cookie { headers[.cookie] = cookie }
        return LanguageChoice.language(for: headers, among: available)
    }

    @Test(
        "Accept-Language decides by its qualities (RFC 9110 §12.5.4)",
        arguments: [
            (nil, "en"), ("", "en"), ("es", "es"), ("ES", "es"), ("es-MX", "es"), ("es-MX, en;q=0.5", "es"),
            ("en, es", "en"), ("es, en", "es"), ("en;q=0.8, es;q=0.9", "es"), ("en;q=0.9,es;q=0.8", "en"),
            ("fr, es;q=0.1", "es"), ("fr", "en"), ("*", "en"), ("fr, *;q=0.1", "en"), ("en;q=0, *", "es"),
            ("es;q=0", "en"), ("es;q=0.000, pt-BR", "pt-br"), ("pt", "en"), ("pt-BR", "pt-br"),
            // The language itself counts before a region of it.
            ("es-AR;q=0.9, es;q=0, en;q=0.1", "en"),
            // Regions of one language: the one that is wanted most.
            ("es-AR;q=0.1, es-MX;q=0.9, en;q=0.5", "es"),
            (" es ; q=1.000 ,\ten;q=1.000", "es"), ("es;Q=0.9,en;q=0.8", "es"),
            // What cannot be read is passed over.
            ("es;q=2, en;q=0.1", "en"), ("es;q=0.1234, en;q=0.1", "en"), ("es;q=-1", "en"), ("es;level=1", "en"),
            ("es;q=", "en"), ("es;q=.5", "en"), ("es_MX", "en"), ("español", "en"), (",,;q=1,;, es", "es"),
            ("abcdefghij, es;q=0.2", "es"), ("es--MX", "en"), ("es;q=1;q=0", "en"),
        ] as [(String?, String)]
    )
    func accepted(header: String?, language: String) {
        #expect(LanguageTests.choice(header) == language)
    }

    @Test(
        "A cookie decides before the header, if it names a language that is there",
        arguments: [
            ("language=es", "es"), ("a=b; language=es", "es"), ("language=ES;a=b", "es"), ("language=fr", "en"),
            ("language=", "en"), ("language", "en"), ("xlanguage=es", "en"), ("languages=es", "en"),
            ("language=es; language=en", "es"), ("language=es\"", "en"),
        ]
    )
    func cookie(cookie: String, language: String) {
        #expect(LanguageTests.choice("en", cookie: cookie) == language)
        if language == "es" { #expect(LanguageTests.choice("en;q=1, es;q=0", cookie: cookie) == "es") }
    }

    @Test("No header chooses a language that is not there, and one far too long is read in no time")
    func fuzz() {
        var generator = SplitMix64(seed: 20)
        let pieces = [
            "es", "en", "pt-br", "*", ";", "q=", "0", "1", ".", "5", ",", " ", "-", "\t", "é", "=", "\"", "q",
        ]
        for _ in 0..<20_000 {
            let header = (0..<Int.random(in: 0...20, using: &generator))
                .map { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)] }.joined()
            let chosen = LanguageTests.choice(header)
            #expect(LanguageTests.available.contains(chosen), "\(header)")
            // A language that is not named, neither by itself nor by *, is never chosen but as the default.
            if chosen != "en" { #expect(header.contains(chosen.prefix(2)) || header.contains("*"), "\(header)") }
        }
        let long = String(repeating: "xx-yy;q=0.5,", count: 100_000) + "es"
        #expect(LanguageTests.choice(long) == "en")
    }

    private static let spanish: HTTPFields = [.accept: "text/html", .acceptLanguage: "es-MX,es;q=0.9,en;q=0.8"]
    private static let english: HTTPFields = [.accept: "text/html", .acceptLanguage: "en-US,en;q=0.9"]

    private static func text(_ reply: Client.Reply) -> String { String(decoding: reply.bytes, as: UTF8.self) }

    @Test("The pages come in Spanish to who asks for it, each with an ETag of its own", arguments: ["/", "/walk"])
    func pages(path: String) async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let (es, en) = (
                try await client.get(path, headers: LanguageTests.spanish),
                try await client.get(path, headers: LanguageTests.english)
            )
            for (reply, code) in [(es, "es"), (en, "en")] {
                #expect(reply.status == 200 && reply.headers[.contentLanguage] == code)
                let vary = reply.headers[.vary] ?? ""
                #expect(vary.contains("Accept-Language") && vary.contains("Cookie") && vary.contains("Accept-Encoding"))
                #expect(LanguageTests.text(reply).contains("<html lang=\"\(code)\">"))
                // The names of the languages stand in themselves, to choose from.
                #expect(LanguageTests.text(reply).contains("data-language=\"es\" hidden>Español</button>"))
                #expect(!LanguageTests.text(reply).contains("<!-- languages -->"))
            }
            #expect(es.headers[.eTag] != en.headers[.eTag])
            #expect(LanguageTests.text(es).contains("/assets/texts-es.json"))
            #expect(!LanguageTests.text(en).contains("texts-"))
            let tag = try #require(es.headers[.eTag])
            var again = LanguageTests.spanish
            again[.ifNoneMatch] = tag
            #expect(try await client.get(path, headers: again).status == 304)
            again[.acceptLanguage] = "en"
            #expect(try await client.get(path, headers: again).status == 200)
            again[.cookie] = "language=es"
            #expect(try await client.get(path, headers: again).status == 304)
        }
    }

    @Test("The page's words, its attributes and its title are Spanish, and its addresses stay")
    func words() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let page = LanguageTests.text(try await client.get("/", headers: LanguageTests.spanish))
            for words in [
                "<title>Waymark: historias en un mapa</title>", "placeholder=\"Busca lugares e historias\"",
                "aria-label=\"Acercar\"", ">Entrar</button>", ">Historias a la vista</h2>",
                "href=\"/assets/manifest-es.webmanifest\"", "href=\"/stories\"",
            ] {
                #expect(page.contains(words), "\(words)")
            }
            for words in ["Sign in", "Close", "Zoom in", "Stories in view", "Settings"] {
                #expect(!page.contains(">\(words)<") && !page.contains("\"\(words)\""), "\(words)")
            }
        }
    }

    @Test("The service worker keeps the pages of one language, and the manifest speaks it")
    func worker() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let es = try await client.get("/sw.js", headers: LanguageTests.spanish)
            let en = try await client.get("/sw.js")
            #expect(es.headers[.eTag] != en.headers[.eTag])
            #expect(LanguageTests.text(es).contains("const language = \"es\";"))
            #expect(LanguageTests.text(es).contains("[\"texts-es.json\","))
            #expect(LanguageTests.text(en).contains("const language = \"en\";"))
            #expect(
                !LanguageTests.text(en).contains("[\"texts-es.json\",")
                    && !LanguageTests.text(en).contains("manifest-es")
            )
            let manifest = try await client.get("/assets/manifest-es.webmanifest")
            #expect(manifest.headers[.contentType] == "application/manifest+json")
            #expect(manifest.json["lang"]?.string == "es" && manifest.json["start_url"]?.string == "/")
            #expect(manifest.json["name"]?.string == "Waymark: historias en un mapa")
            let texts = try await client.get("/assets/texts-es.json")
            #expect(texts.status == 200 && texts.json["Sign in"]?.string == "Entrar")
            #expect(texts.json["{count} stories"]?["one"]?.string == "{count} historia")
        }
    }

    @Test("A story's page is written in the language asked for, by the cookie first")
    func story() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let extra = #","date":"1936-05-04/1941","media_url":"https://media.example/a.mp3""#
            let id = try await client.create(as: "ana", title: "The porch", extra: extra)
            let es = try await client.get("/stories/\(id)", headers: LanguageTests.spanish)
            let page = try PageReader(es.bytes)
            let body = try #require(page.first("body")?.text)
            #expect(es.headers[.contentLanguage] == "es" && es.headers[.vary]?.contains("Accept-Language") == true)
            #expect(page.first("html")?.attributes["lang"] == "es")
            for words in [
                "Entrevista", "4 de mayo de 1936 a 1941", "Pública", "La puede ver todo el mundo.", "The porch",
                "Grabación (MP3) en media.example", "Latitud y longitud", "Abrir el mapa",
            ] {
                #expect(body.contains(words), "\(words)")
            }
            #expect(page.first("link", "rel", "preload")?.attributes["href"] == "/assets/texts-es.json")
            var headers = LanguageTests.spanish
            headers[.cookie] = "language=en"
            let en = try await client.get("/stories/\(id)", headers: headers)
            #expect(try PageReader(en.bytes).first("body")?.text.contains("4 May 1936 to 1941") == true)
            #expect(en.headers[.contentLanguage] == "en" && en.headers[.eTag] != es.headers[.eTag])
            let gone = try await client.get(
                "/stories/\(String(repeating: "0", count: 32))",
                headers: LanguageTests.spanish
            )
            #expect(gone.status == 404 && LanguageTests.text(gone).contains("Esa historia no está aquí"))
        }
    }

    @Test("Scripts come without the lines that are comments")
    func comments() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            for name in ["app.js", "texts.js", "sw.js"] {
                let path = name == "sw.js" ? "/sw.js" : "/assets/\(name)"
                let served = LanguageTests.text(try await client.get(path))
                    .split(separator: "\n", omittingEmptySubsequences: false)
                #expect(!served.contains { $0.drop { $0 == " " }.hasPrefix("//") }, "\(name)")
                #expect(served.contains { $0.contains("const ") })
            }
        }
    }
}

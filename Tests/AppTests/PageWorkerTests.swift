import App
import Formats
import Foundation
import HTTPTypes
import Testing

@Suite("The page's service worker and manifest")
struct PageWorkerTests {
    @Test("The worker lies at the root, is revalidated, and may load from this server only")
    func worker() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let reply = try await client.get("/sw.js")
            #expect(reply.status == 200)
            #expect(reply.headers[.contentType] == "text/javascript; charset=utf-8")
            #expect(reply.headers[.cacheControl] == "public, no-cache")
            #expect(reply.headers[.contentSecurityPolicy] == "default-src 'self'")
            let tag = try #require(reply.headers[.eTag])
            let again = try await client.get("/sw.js", headers: [.ifNoneMatch: tag])
            #expect(again.status == 304 && again.bytes.isEmpty)
        }
    }

    @Test("The worker names every file of the page with the ETag under which it is served, so it changes with them")
    func files() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let text = String(decoding: try await client.get("/sw.js").bytes, as: UTF8.self)
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("const files = ") })
            let list = try JSONValue(parsing: Array(line.dropFirst("const files = ".count).prefix { $0 != ";" }.utf8))
            let files = (list.array ?? [])
                .compactMap { file in
                    file[0]?.string.flatMap { name in file[1]?.string.map { (name: name, tag: $0) } }
                }
            let names = files.map(\.name)
            #expect(names == names.sorted() && Set(names).count == names.count)
            #expect(Set(["index.html", "app.js", "page.css", "manifest.webmanifest"]).isSubset(of: names))
            #expect(!names.contains("sw.js"))
            for file in files where file.name != "index.html" {
                let reply = try await client.get("/assets/\(file.name)")
                #expect(reply.status == 200 && reply.headers[.eTag] == file.tag, "\(file.name)")
            }
        }
    }

    @Test("The manifest makes the page installable, and its icons are there")
    func manifest() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            let reply = try await client.get("/assets/manifest.webmanifest")
            #expect(reply.headers[.contentType] == "application/manifest+json")
            #expect(reply.json["start_url"]?.string == "/" && reply.json["scope"]?.string == "/")
            let icons = reply.json["icons"]?.array ?? []
            let sizes = Set(icons.compactMap { $0["sizes"]?.string })
            #expect(sizes.isSuperset(of: ["192x192", "512x512"]))
            for icon in icons {
                let file = try await client.get(try #require(icon["src"]?.string))
                #expect(file.status == 200 && file.headers[.contentType] == icon["type"]?.string)
            }
            let page = try await client.get("/", headers: [.accept: "text/html"])
            let link = #"<link rel="manifest" href="/assets/manifest.webmanifest">"#
            #expect(String(decoding: page.bytes, as: UTF8.self).contains(link))
        }
    }
}

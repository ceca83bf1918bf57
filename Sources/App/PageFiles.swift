import Web
import Library
import Formats
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The files of the map page: its own, the basemap, and the map engine, which is downloaded at set-up.
struct PageFiles: Sendable {
    private let languages: PageLanguages
    /// The files that are the same for everybody.
    private let files: [String: PageFile]
    /// The pages and the service worker, by language and name.
    private let pages: [String: [String: PageFile]]

    /// The name of the folder that contains the map engine.
    static let engineFolder = "maplibre-5.3.0"
    private static let engineScript = "maplibre-gl.js"
    private static let engineNames = [engineScript, "maplibre-gl.css"]

    /// The content security policy of the page.
    private let contentPolicy: String
    /// The content security policy of the map in frames of other sites; `nil` if there is none.
    private let embedPolicy: String?

    /// Returns the content security policy of the map in frames; `nil` without an origin: then there is no such page.
    ///
    /// Nothing is loaded from others, and only pages of the named origins may show it.
    static func embedPolicy(for embedders: [MediaOrigin]) -> String? {
        guard !embedders.isEmpty else { return nil }
        return "default-src 'self'; img-src 'self' data: blob:; media-src 'none'; worker-src 'self' blob:; "
            + "style-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors \(embedders.map(\.text).joined(separator: " "))"
    }

    /// Returns the content security policy of the page: everything is loaded from this server only, except media from
    /// the origins that the operator named.
    static func contentPolicy(media origins: [MediaOrigin]) -> String {
        let media = origins.map { " " + $0.text }.joined()
        return "default-src 'self'; img-src 'self' data: blob:\(media); media-src 'self'\(media); "
            + "worker-src 'self' blob:; style-src 'self'; "
            + "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    }

    /// The element of the page that names the origins of media, for its scripts.
    private static let mediaElement = #"<meta name="waymark-media-origins" content="">"#

    /// Returns the page with the origins of media filled in; they contain no character that HTML would read otherwise.
    private static func page(_ html: String, media origins: [MediaOrigin]) -> String {
        let list = origins.map(\.text).joined(separator: " ")
        let filled = mediaElement.replacing(#"content="""#, with: "content=\"\(list)\"")
        return html.replacing(mediaElement, with: filled)
    }

    /// The line of the service worker that lists the page's files, for their versions.
    private static let filesLine = "const files = [];"

    /// The line of the service worker that names the language of its pages.
    private static let languageLine = "const language = \"en\";"

    /// Returns the service worker of a language with the names and ETags of the files that it keeps, so that it is
    /// another worker when any of them changes.
    private static func worker(
        _ script: String,
        files: [String: PageFile],
        language: PageLanguage,
        others: Set<String>
    ) -> String {
        var json = JSONWriter(capacity: 80 * files.count)
        json.beginArray()
        // The map in frames is not opened without a network.
        for (name, file) in files.sorted(by: { $0.key < $1.key }) where name != embedName && !others.contains(name) {
            json.beginArray()
            json.value(name)
            json.value(file.tag)
            json.endArray()
        }
        json.endArray()
        let list = String(decoding: json.bytes, as: UTF8.self)
        return script.replacing(filesLine, with: "const files = \(list);")
            .replacing(languageLine, with: "const language = \"\(language.code)\";")
    }

    private static let workerName = "sw.js"
    /// Served at `/embed` alone, where its own policy is.
    private static let embedName = "embed.html"

    /// The words for an operator about a page's modules that could not be joined; they are then served one by one.
    let problem: String?

    /// Reads all files into memory; missing files are skipped and answered with 404.
    init(folders: DataFolders, mediaOrigins: Set<MediaOrigin> = [], embedders: Set<MediaOrigin> = []) {
        let origins = mediaOrigins.sorted()
        embedPolicy = PageFiles.embedPolicy(for: embedders.sorted())
        contentPolicy = PageFiles.contentPolicy(media: origins)
        languages = PageLanguages(folders: folders)
        let folder = folders.resource("page").map { PageFolder($0, worker: PageFiles.workerName) } ?? PageFolder()
        problem = folder.problem
        var files = folder.files
        func add(_ url: URL, as name: String) {
            if let data = try? Data(contentsOf: url) { files[name] = PageFile([UInt8](data), name: name) }
        }
        if let basemap = folders.find("tiles/world.geojson") { add(basemap, as: "world.geojson") }
        if let engine = PageFiles.engine(folders) {
            for name in PageFiles.engineNames { add(engine.appendingPathComponent(name), as: name) }
        }
        var pages: [String: [String: PageFile]] = [:]
        for language in languages.all {
            let translation = PageTranslation(language: language, languages: languages.all)
            if let file = language.fileName, let bytes = language.bytes { files[file] = PageFile(bytes, name: file) }
            let manifest = PageTranslation.manifestName(language)
            if let english = files["manifest.webmanifest"] {
                files[manifest] = english.with(manifest, translation.manifest)
            }
            for name in files.keys.filter({ $0.hasSuffix(".html") }) {
                pages[language.code, default: [:]][name] = files[name]?
                    .with(name) { PageFiles.page(translation.html($0), media: origins) }
            }
        }
        // Last, because it names all others; the modules within a page's script are nobody's to keep.
        let outer = files.filter { !folder.inner.contains($0.key) }
        for language in languages.all {
            let others = languages.all.filter { $0.code != language.code }
                .flatMap { [$0.fileName, PageTranslation.manifestName($0)].compactMap { $0 } }
            let kept = outer.merging(pages[language.code] ?? [:]) { $1 }
            pages[language.code, default: [:]][PageFiles.workerName] = folder.worker?
                .with(PageFiles.workerName) {
                    PageFiles.worker($0, files: kept, language: language, others: Set(others))
                }
        }
        (self.files, self.pages) = (files, pages)
    }

    /// The folder of the map engine: what was fetched into the cache, else what was installed with the program's data.
    static func engine(_ folders: DataFolders) -> URL? {
        let cached = folders.cache.appendingPathComponent(engineFolder, isDirectory: true)
        let script = cached.appendingPathComponent(engineScript)
        return FileManager.default.fileExists(atPath: script.path) ? cached : folders.find(engineFolder)
    }

    /// Whether the map engine is present; without it the page shows only the list.
    var hasMapEngine: Bool { files[PageFiles.engineScript] != nil }

    /// The routes of the page.
    static let routes: [(path: String, method: HTTPRequest.Method)] = [
        ("/walk", .get), ("/embed", .get), ("/assets/{name}", .get), ("/sw.js", .get),
    ]

    /// Returns the page of the map, which browsers get at `/`.
    func mapPage(for headers: HTTPFields) throws -> Answer {
        let language = languages.language(for: headers)
        guard let file = pages[language.code]?["index.html"] else { throw Problem.notFound }
        var answer = Answer(
            mediaType: file.mediaType,
            headers: [
                .eTag: file.tag, .contentLanguage: language.code, .contentSecurityPolicy: contentPolicy,
                .vary: "Accept, Cookie",
            ],
            body: Array(buffer: file.bytes)
        )
        answer.packedBody = file.packed.map { Array(buffer: $0) }
        return answer
    }

    /// Registers `/walk`, `/embed`, `/sw.js` and `/assets/NAME`.
    func register(on router: Router<ServiceContext>) {
        router.get("/walk") { [contentPolicy] request, _ in
            var response = try respond(to: request, name: "walk.html")
            response.headers[.contentSecurityPolicy] = contentPolicy
            return response
        }
        // The same bytes for everybody: the page asks for stories as a stranger, whatever cookie the browser has.
        router.get("/embed") { [embedPolicy] request, _ in
            guard let embedPolicy else { throw Problem.notFound }
            var response = try respond(to: request, name: PageFiles.embedName)
            response.headers[.contentSecurityPolicy] = embedPolicy
            return response
        }
        for (path, method) in PageFiles.routes {
            router.on(RouterPath(path), method: .options) { _, _ in
                Response(status: .noContent, headers: [.allow: AllowedMethods.list([method])])
            }
        }
        // At the root, because a service worker may act for the folder it lies in only.
        router.get("/sw.js") { request, _ in
            var response = try respond(to: request, name: PageFiles.workerName)
            response.headers[.contentSecurityPolicy] = "default-src 'self'"
            return response
        }
        router.get("/assets/{name}") { [contentPolicy] request, context in
            let name = context.parameters.get("name") ?? ""
            guard name != PageFiles.embedName else { throw Problem.notFound }
            var response = try respond(to: request, name: name)
            // A page is a page under this address too: with its policy, and in no frame.
            if name.hasSuffix(".html") { response.headers[.contentSecurityPolicy] = contentPolicy }
            return response
        }
    }

    /// Answers with a file: a page and the service worker in the language of the request.
    private func respond(to request: Request, name: String) throws -> Response {
        let language = languages.language(for: request.headers)
        let page = pages[language.code]?[name]
        guard let file = page ?? files[name] else { throw Problem.notFound }
        let packed = Compression.accepts(request.headers[.acceptEncoding]) ? file.packed : nil
        let tag = packed == nil ? file.tag : EntityTag.packed(file.tag)
        var headers: HTTPFields = [.eTag: tag, .cacheControl: "public, no-cache", .vary: "Accept-Encoding"]
        if page != nil {
            headers[.vary] = "Accept-Encoding, Accept-Language, Cookie"
            headers[.contentLanguage] = language.code
        }
        if EntityTag.matches(request.headers[.ifNoneMatch], tag) {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = file.mediaType
        if packed != nil { headers[.contentEncoding] = "gzip" }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: packed ?? file.bytes))
    }
}

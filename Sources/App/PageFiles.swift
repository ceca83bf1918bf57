import Web
import Library
import Formats
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The files of the map page: its own, the basemap, and the map engine, which is downloaded at set-up.
struct PageFiles: Sendable {
    private struct File: Sendable {
        let bytes: ByteBuffer
        let packed: ByteBuffer?
        let mediaType: String
        let tag: String
    }

    /// What the page's folder contains.
    private struct PageFolder {
        var files: [(name: String, bytes: [UInt8])] = []
        /// The modules that are part of a page's script; they are served alone as well, for checks of one of them.
        var inner: Set<String> = []
        var problem: String?
    }

    private let files: [String: File]

    /// The folder in the cache that contains the map engine.
    static let engineFolder = "maplibre-5.3.0"

    /// The content security policy of the page.
    private let contentPolicy: String

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
    private static func page(_ bytes: [UInt8], media origins: [MediaOrigin]) -> [UInt8] {
        let list = origins.map(\.text).joined(separator: " ")
        let filled = mediaElement.replacing(#"content="""#, with: "content=\"\(list)\"")
        return Array(String(decoding: bytes, as: UTF8.self).replacing(mediaElement, with: filled).utf8)
    }

    /// The line of the service worker that lists the page's files, for their versions.
    private static let filesLine = "const files = [];"

    /// Returns the service worker with the names and ETags of the files that it keeps, so that it is another worker
    /// when any of them changes.
    private static func worker(_ bytes: [UInt8], files: [String: File]) -> [UInt8] {
        var json = JSONWriter(capacity: 80 * files.count)
        json.beginArray()
        for (name, file) in files.sorted(by: { $0.key < $1.key }) {
            json.beginArray()
            json.value(name)
            json.value(file.tag)
            json.endArray()
        }
        json.endArray()
        let list = String(decoding: json.bytes, as: UTF8.self)
        let filled = String(decoding: bytes, as: UTF8.self).replacing(filesLine, with: "const files = \(list);")
        return Array(filled.utf8)
    }

    private static let workerName = "sw.js"

    /// The words for an operator about a page's modules that could not be joined; they are then served one by one.
    let problem: String?

    /// Returns the files of the page's folder by their names; each page's modules are one script, under the name of the
    /// page's own module.
    private static func pageFiles(in folder: URL) -> PageFolder {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        let files = names.compactMap { name in
            (try? Data(contentsOf: folder.appendingPathComponent(name))).map { (name: name, bytes: [UInt8]($0)) }
        }
        let isModule = { (name: String) in name.hasSuffix(".js") && name != workerName }
        let texts = files.filter { isModule($0.name) }.map { ($0.name, String(decoding: $0.bytes, as: UTF8.self)) }
        do {
            let bundle = try PageBundle(Dictionary(texts, uniquingKeysWith: { first, _ in first }))
            let scripts = try bundle.entries.map { (name: $0, bytes: Array(try bundle.script(of: $0).utf8)) }
            let joined = Set(scripts.map(\.name))
            return PageFolder(
                files: files.filter { !joined.contains($0.name) } + scripts,
                inner: Set(texts.map(\.0)).subtracting(joined)
            )
        } catch {
            return PageFolder(files: files, problem: "\(error)")
        }
    }

    /// Reads all files into memory; missing files are skipped and answered with 404.
    init(folders: DataFolders, mediaOrigins: Set<MediaOrigin> = []) {
        let origins = mediaOrigins.sorted()
        contentPolicy = PageFiles.contentPolicy(media: origins)
        let page = folders.resource("page").map(PageFiles.pageFiles) ?? PageFolder()
        var files: [String: File] = [:]
        func add(_ content: [UInt8], as name: String) {
            let bytes =
                switch name {
                case "index.html": PageFiles.page(content, media: origins)
                case PageFiles.workerName:
                    PageFiles.worker(content, files: files.filter { !page.inner.contains($0.key) })
                default: content
                }
            files[name] = File(
                bytes: ByteBuffer(bytes: bytes),
                packed: Compression.pack(bytes).map { ByteBuffer(bytes: $0) },
                mediaType: PageFiles.mediaType(of: name),
                tag: EntityTag.strong(bytes)
            )
        }
        func add(_ url: URL, as name: String) {
            if let data = try? Data(contentsOf: url) { add([UInt8](data), as: name) }
        }
        for (name, bytes) in page.files where name != PageFiles.workerName { add(bytes, as: name) }
        if let basemap = folders.find("tiles/world.geojson") { add(basemap, as: "world.geojson") }
        let engine = folders.cache.appendingPathComponent(PageFiles.engineFolder, isDirectory: true)
        for name in ["maplibre-gl.js", "maplibre-gl.css"] { add(engine.appendingPathComponent(name), as: name) }
        // Last, because it names all others.
        for (name, bytes) in page.files where name == PageFiles.workerName { add(bytes, as: name) }
        self.files = files
        problem = page.problem
    }

    /// Whether the map engine is present; without it the page shows only the list.
    var hasMapEngine: Bool { files["maplibre-gl.js"] != nil }

    /// The routes of the page.
    static let routes: [(path: String, method: HTTPRequest.Method)] = [
        ("/", .get), ("/walk", .get), ("/assets/{name}", .get), ("/sw.js", .get),
    ]

    /// Registers `/`, `/walk`, `/sw.js` and `/assets/NAME`; at `/`, browsers get the page and other clients a JSON document.
    func register(on router: Router<ServiceContext>) {
        router.get("/") { [contentPolicy] request, _ in
            guard request.headers[.accept]?.contains("text/html") == true else { return PageFiles.landing }
            var response = try respond(to: request, name: "index.html")
            response.headers[.contentSecurityPolicy] = contentPolicy
            response.headers[.vary] = "Accept, Accept-Encoding"
            return response
        }
        router.get("/walk") { [contentPolicy] request, _ in
            var response = try respond(to: request, name: "walk.html")
            response.headers[.contentSecurityPolicy] = contentPolicy
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
        router.get("/assets/{name}") { request, context in
            try respond(to: request, name: context.parameters.get("name") ?? "")
        }
    }

    private func respond(to request: Request, name: String) throws -> Response {
        guard let file = files[name] else { throw Problem.notFound }
        let packed = Compression.accepts(request.headers[.acceptEncoding]) ? file.packed : nil
        let tag = packed == nil ? file.tag : EntityTag.packed(file.tag)
        var headers: HTTPFields = [.eTag: tag, .cacheControl: "public, no-cache", .vary: "Accept-Encoding"]
        if EntityTag.matches(request.headers[.ifNoneMatch], tag) {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = file.mediaType
        if packed != nil { headers[.contentEncoding] = "gzip" }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: packed ?? file.bytes))
    }

    /// The JSON document at `/` for programs.
    private static var landing: Response {
        let json = """
            {"title":"Waymark","links":[{"rel":"self","type":"application/json","href":"/"},\
            {"rel":"service-desc","type":"application/vnd.oai.openapi+json;version=3.1","href":"/openapi.json"}]}
            """
        return Response(
            status: .ok,
            headers: [.contentType: MediaType.json, .cacheControl: "public, no-cache", .vary: "Accept"],
            body: .init(byteBuffer: ByteBuffer(string: json))
        )
    }

    private static func mediaType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": MediaType.html
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "geojson": MediaType.geoJSON
        case "json": MediaType.json
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "ico": "image/x-icon"
        default: "application/octet-stream"
        }
    }
}

import Formats
import Foundation
import Library
import NIOCore
import Web

/// A file that browsers get as it is: its bytes as they are and packed, its type and its tag.
struct PageFile: Sendable {
    let bytes: ByteBuffer
    /// The bytes in gzip; `nil` if that makes them no shorter.
    let packed: ByteBuffer?
    let mediaType: String
    let tag: String

    init(_ bytes: [UInt8], name: String) {
        self.bytes = ByteBuffer(bytes: bytes)
        packed = Compression.pack(bytes).map { ByteBuffer(bytes: $0) }
        mediaType = PageFile.mediaType(of: name)
        tag = EntityTag.strong(bytes)
    }

    /// Returns the file with its text changed, under another name.
    func with(_ name: String, _ change: (String) -> String) -> PageFile {
        PageFile(Array(change(String(buffer: bytes)).utf8), name: name)
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

/// The page's folder, read: each page's modules as one script, under the name of the page's own module.
struct PageFolder {
    var files: [String: PageFile] = [:]
    /// The service worker, which is told the names of all others.
    var worker: PageFile?
    /// The modules that are part of a page's script; they are served alone as well, for checks of one of them.
    var inner: Set<String> = []
    /// The words for an operator about modules that could not be joined; they are then served one by one.
    var problem: String?

    init() {}

    /// Reads a folder; what cannot be read is left out.
    ///
    /// `worker` is the name of the service worker's file, which is no page's script.
    init(_ folder: URL, worker workerName: String) {
        var texts: [String: String] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
            guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)) else { continue }
            let file = PageFile(PageFolder.lean([UInt8](data), name), name: name)
            if name == workerName {
                worker = file
            } else {
                files[name] = file
                if name.hasSuffix(".js") { texts[name] = String(decoding: data, as: UTF8.self) }
            }
        }
        do {
            let bundle = try PageBundle(texts)
            let scripts = try bundle.entries.map { PageScript(name: $0, bytes: Array(try bundle.script(of: $0).utf8)) }
            for script in scripts { files[script.name] = PageFile(script.bytes, name: script.name) }
            inner = Set(texts.keys).subtracting(scripts.map(\.name))
        } catch {
            problem = "\(error)"
        }
    }

    private struct PageScript {
        let name: String
        let bytes: [UInt8]
    }

    /// Returns a script without the lines that hold only a comment, but with as many lines.
    ///
    /// Comments are for people who read the source; they would be a sixth of what browsers load.
    private static func lean(_ bytes: [UInt8], _ name: String) -> [UInt8] {
        guard name.hasSuffix(".js") else { return bytes }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { line in line.drop { $0 == UInt8(ascii: " ") }.starts(with: "//".utf8) ? [] : line }
        return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }
}

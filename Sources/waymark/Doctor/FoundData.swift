import App
import Foundation
import Gazetteer
import Library
import Logging

/// The data of the program: where it is found, and where it is compiled to.
struct FoundData: Sendable {
    let folders: DataFolders
    let logger: Logger

    func findings() -> [Finding] {
        let (names, areNamesCompiled) = placeNames()
        let (map, isMapCompiled) = basemap()
        return [names, map, pages, engine, cache(isFilled: areNamesCompiled && isMapCompiled)]
    }

    private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    private func placeNames() -> (Finding, isCompiled: Bool) {
        do {
            let (sources, compiled) = try GazetteerLoader(folders: folders, logger: logger).survey()
            return (described("place names", sources, [compiled]), exists(compiled))
        } catch {
            return (Finding(.problem, "place names", "\(error)"), false)
        }
    }

    private func basemap() -> (Finding, isCompiled: Bool) {
        do {
            let files = BasemapFiles(folders: folders, logger: logger)
            let compiled = try BasemapFiles.Part.allCases.map { try files.location(of: $0) }
            let sources = folders.find("tiles/manifest.json")?.deletingLastPathComponent() ?? folders.cache
            return (described("map under the stories", sources, compiled), compiled.allSatisfy(exists))
        } catch {
            return (Finding(.problem, "map under the stories", "\(error)"), false)
        }
    }

    private func described(_ subject: String, _ sources: URL, _ compiled: [URL]) -> Finding {
        compiled.allSatisfy(exists)
            ? Finding(.ok, subject, "\(sources.path), compiled in \(folders.cache.path)")
            : Finding(.ok, subject, "\(sources.path); the first start compiles it, which takes less than a minute")
    }

    private var pages: Finding {
        folders.resource("page").map { Finding(.ok, "pages", $0.path) }
            ?? Finding(.problem, "pages", folders.missing("waymark_App.resources/page"))
    }

    private var engine: Finding {
        Surroundings.mapEngine(in: folders).map { Finding(.ok, "map engine", $0.path) }
            ?? Finding(
                .note,
                "map engine",
                "\(Surroundings.mapEngine) is neither in the cache nor in the data folder, so the page shows only the list.",
                remedy: "Run scripts/fetch-maplibre, or copy that folder into the data folder."
            )
    }

    private func cache(isFilled: Bool) -> Finding {
        var folder = folders.cache
        // What does not exist yet is made in what does.
        while folder.path != "/", !exists(folder) { folder.deleteLastPathComponent() }
        if access(folder.path, W_OK) == 0 { return Finding(.ok, "cache", folders.cache.path) }
        return Finding(
            isFilled ? .note : .problem,
            "cache",
            "\(folders.cache.path) cannot be written by this user\(isFilled ? "; all that is needed now is in it" : "").",
            remedy: "Let the user who runs the service write it, or set WAYMARK_CACHE to another folder."
        )
    }
}

public import Foundation

/// The folders in which the program finds its files: `geodata`, `tiles`, the pages.
///
/// They are searched in this order: the folder given as `option`, `WAYMARK_DATA`, `share/waymark` in the parent of the
/// program's folder, and every folder from the program's real path upwards. So the program also runs from a fresh
/// checkout.
public struct DataFolders: Sendable {
    private let roots: [URL]
    /// The folder for compiled data: `WAYMARK_CACHE`, else `$XDG_CACHE_HOME/waymark`, else `~/.cache/waymark`.
    public let cache: URL

    /// Creates the search for a program at `executable` with the given environment.
    public init(
        option: String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        executable: String = DataFolders.executablePath
    ) {
        var roots: [URL] = []
        for folder in [option, environment["WAYMARK_DATA"]] {
            if let folder, !folder.isEmpty { roots.append(URL(fileURLWithPath: folder, isDirectory: true)) }
        }
        var folder = URL(fileURLWithPath: executable).resolvingSymlinksInPath().deletingLastPathComponent()
        roots.append(folder.deletingLastPathComponent().appendingPathComponent("share/waymark", isDirectory: true))
        while folder.path != "/" {
            roots.append(folder)
            folder.deleteLastPathComponent()
        }
        self.roots = roots
        cache = DataFolders.cacheFolder(environment)
    }

    /// The path of the running program.
    public static var executablePath: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    private static func cacheFolder(_ environment: [String: String]) -> URL {
        if let given = environment["WAYMARK_CACHE"], !given.isEmpty {
            return URL(fileURLWithPath: given, isDirectory: true)
        }
        if let base = environment["XDG_CACHE_HOME"], !base.isEmpty {
            return URL(fileURLWithPath: base, isDirectory: true).appendingPathComponent("waymark", isDirectory: true)
        }
        return FileManager.default.homeDirectoryForCurrentUser
            .appendingPathComponent(".cache/waymark", isDirectory: true)
    }

    /// Returns the URL of `path` in the first searched folder that contains it; `nil` if none does.
    public func find(_ path: String) -> URL? {
        roots.map { $0.appendingPathComponent(path) }.first { FileManager.default.fileExists(atPath: $0.path) }
    }

    /// Returns one line that says that `path` is missing, where it was looked for, and what to do.
    package func missing(_ path: String) -> String {
        let searched = roots.map { $0.path }.joined(separator: ", ")
        return "The file \(path) was not found in any of these folders: \(searched). Set WAYMARK_DATA to the folder "
            + "that contains \(path.prefix { $0 != "/" })."
    }

    /// Returns a file or folder of the App target's resources: beside the built program, else in the sources.
    package func resource(_ name: String) -> URL? {
        find("waymark_App.resources/\(name)") ?? find("Sources/App/Resources/\(name)")
    }
}

/// The check that a path has its canonical spelling.
enum RequestPath: Sendable {
    /// Routes that imitate other services, whose clients append a superfluous slash.
    private static let lenient = ["/nominatim/", "/photon/", "/pelias/", "/ingest/"]

    /// Returns whether the path of a target is spelt as a proxy's rules expect: no empty segment, no trailing slash.
    ///
    /// `//metrics` would reach the same route as `/metrics` but bypass a rule that protects it.
    static func isPlain(_ target: String) -> Bool {
        var path = target.prefix { $0 != "?" && $0 != "#" }
        // The absolute form, meant for proxies, begins with the scheme and the host (RFC 9112 §3.2.2).
        if let scheme = ["http://", "https://"].first(where: path.hasPrefix) {
            path = path.dropFirst(scheme.count).drop { $0 != "/" }
        }
        let bytes = path.utf8
        guard !zip(bytes, bytes.dropFirst()).contains(where: { $0 == UInt8(ascii: "/") && $1 == $0 }) else {
            return false
        }
        return bytes.last != UInt8(ascii: "/") || bytes.count == 1 || lenient.contains { path.hasPrefix($0) }
    }
}

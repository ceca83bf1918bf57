/// Which paths are read as they are.
enum RequestPath: Sendable {
    /// Routes of other services, whose clients write a slash more than they need.
    private static let lenient = ["/nominatim/", "/photon/", "/pelias/", "/ingest/"]

    /// Whether a request's target has its path in the one way that a proxy's rules for it expect: no empty part, none at
    /// the end.
    ///
    /// `//metrics` would reach the same route as `/metrics` past a rule that keeps strangers from that.
    static func isPlain(_ target: String) -> Bool {
        var path = target.prefix { $0 != "?" && $0 != "#" }
        // The form that is meant for proxies begins with the scheme and the host (RFC 9112 §3.2.2).
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

import Formats
import Geometry

/// Values for parameters of the query whose name says what they are.
enum TwinQuery: Sendable {
    /// A value, percent-encoded where it must be; `nil` when its schema has to say what fits.
    static func value(
        _ name: String,
        pools: TwinPools,
        links: [String],
        reach: inout Double,
        using draw: inout TwinDraw
    ) throws -> String? {
        switch name {
        case "bbox": return box(reach: &reach, using: &draw)
        case "zoom": return zoom(reach: reach, using: &draw)
        case "q": return words(using: &draw)
        case "tag", "tags": return draw.pick(TwinWords.tags + TwinWords.closedTags)
        case "prefix": return draw.pick(["b", "i", "ri", "zeb", "se", "no"])
        case "person": return draw.pick(["Ida", "Ralph", "%C3%89mile", "Nobody%20Else"])
        case "kind": return draw.pick(TwinWords.kinds + TwinWords.closedKinds + ["family_object", "No"])
        case "owner", "user": return try pools.value("user", of: "", using: &draw)
        case "family": return try pools.value("family", of: "", using: &draw)
        case "collection":
            return draw.chance(50)
                ? draw.pick(TwinWords.collections + ["autumn"])
                : try pools.value("collection", of: "", using: &draw)
        case "on": return draw.pick(["05-04", "07-14", "01-01", "12-31", "02-29", "02-30"])
        case "from", "to": return draw.pick(["1936", "1936-05", "1941", "1930-01-01", "2002", "never"])
        case "cursor", "since": return cursor(in: links, using: &draw)
        case "lat": return "\(draw.pick(TwinWords.towns).latitude)"
        case "lon": return "\(draw.pick(TwinWords.towns).longitude)"
        case "near": return "33.75,-84.37"
        case "country": return "us"
        case "max_zoom": return draw.pick(["0", "2", "4", "99"])
        case "limit": return draw.pick(["1", "2", "3", "5", "20", "100", "0"])
        default: return nil
        }
    }

    private static func words(using draw: inout TwinDraw) -> String {
        let words = TwinWords.open + TwinWords.closed + ["zeb", "ri", "House", "Cabin", "Atlantis", "a"]
        return (0..<draw.pick([1, 1, 2])).map { _ in draw.pick(words).replacing("'", with: "%27") }
            .joined(separator: "%20")
    }

    /// A box around one of the towns, of any size, or of the world.
    private static func box(reach: inout Double, using draw: inout TwinDraw) -> String {
        reach = 360
        if draw.chance(15) { return "-180,-90,180,90" }
        if draw.chance(3) { return draw.pick(["1,2,3", "0,10,1,-10", "200,0,210,1", "a,b,c,d"]) }
        let town = draw.pick(TwinWords.towns)
        let size = draw.pick([0.001, 0.01, 0.0999, 0.3, 2, 20])
        reach = 2 * size
        let (south, north) = (max(-90, town.latitude - size * draw.unit()), min(90, town.latitude + size * draw.unit()))
        let west = Coordinate.wrap(longitude: town.longitude - size * draw.unit())
        let east = Coordinate.wrap(longitude: town.longitude + size * draw.unit())
        return "\(west),\(south),\(east),\(north)"
    }

    /// A zoom at which a box of `reach` degrees is not too large for a screen, mostly.
    private static func zoom(reach: Double, using draw: inout TwinDraw) -> String {
        if draw.chance(4) { return draw.pick(["0", "24", "25", "-1"]) }
        // 8,192 pixels of a world of 512 at zoom 0; towards the poles a degree of latitude takes more.
        var most = 0
        while most < 22, reach * Double(1 << (most + 4)) < 16 * 360 { most += 1 }
        let zoom = draw.pick(max(0, most - 6)...most)
        return draw.chance(20) ? "\(zoom).5" : "\(zoom)"
    }

    /// The position that an address of a next page holds, also where it does not belong.
    private static func cursor(in links: [String], using draw: inout TwinDraw) -> String {
        let cursors = links.compactMap { link in
            link.split(whereSeparator: { $0 == "?" || $0 == "&" })
                .first { $0.hasPrefix("cursor=") || $0.hasPrefix("since=") }
                .flatMap { $0.split(separator: "=").last.map(String.init) }
        }
        return cursors.isEmpty || draw.chance(6) ? "AAAA" : draw.pick(cursors)
    }

    /// The address of the next page that an answer gives.
    static func next(in json: JSONValue) -> String? {
        guard let links = json["links"] else { return nil }
        if let next = links["next"]?.string { return next }
        return links.array?.first { $0["rel"]?.string == "next" }?["href"]?.string
    }
}

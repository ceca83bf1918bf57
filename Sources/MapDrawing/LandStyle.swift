import Formats

/// The drawing of land, lakes, rivers and borders, as basemap.js of the page has it.
enum LandStyle: Sendable {
    /// Returns the rules for a zoom, from the bottom up.
    static func rules(zoom: Double, _ palette: MapPalette) -> [LayerRule] {
        func line(_ source: String, _ colour: String, _ stops: [(Double, Double)], from: Double = 0) -> LayerRule? {
            guard zoom >= from else { return nil }
            let width = ZoomScale(stops: stops.map { (zoom: $0.0, value: $0.1) }).value(at: zoom)
            return LayerRule(source: source, form: .lines, colour: colour, width: width)
        }
        let lines = [
            line("rivers", palette.water, [(4, 0.4), (8, 1.2), (12, 3)]),
            line("counties", palette.county, [(7, 0.6), (12, 1.4)], from: 7.5),
            line("states", palette.state, [(3, 0.5), (8, 1.4), (12, 2)]),
            line("regions", palette.state, [(3, 0.5), (8, 1.4)]),
            line("borders", palette.border, [(1, 0.5), (6, 1.4), (10, 2)]),
        ]
        return [
            LayerRule(source: "land", form: .areas, colour: palette.land),
            LayerRule(source: "lakes", form: .areas, colour: palette.water),
        ] + lines.compactMap(\.self)
    }
}

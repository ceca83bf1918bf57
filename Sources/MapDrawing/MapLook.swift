/// The colours of a picture.
public enum MapLook: String, CaseIterable, Hashable, Sendable {
    /// Dark on light.
    case light
    /// Light on dark.
    case dark

    /// The colours of the page's map (basemap.js, basemap-streets.js, labels.js, page.css, explore.css).
    var palette: MapPalette { self == .light ? .light : .dark }
}

/// The colours of a look: those of the page's map.
struct MapPalette: Sendable {
    let water, land, border, state, county, paper, ink, soft, accent, onAccent, halo: String
    /// The colours of names by their style, and of what surrounds them.
    let names: [NameStyle.Tone: String]
    let nameHalo, seaHalo: String
    let kinds: [String: String]
    let streets: [StreetPaint: String]

    static let light = MapPalette(
        water: "#cfdfe6",
        land: "#f4f4ee",
        border: "#8d9994",
        state: "#b3bcb2",
        county: "#dcdfd6",
        paper: "#ffffff",
        ink: "#14242b",
        soft: "#4b5b63",
        accent: "#0d5c63",
        onAccent: "#ffffff",
        halo: "#ffffff",
        names: [
            .country: "#3b4a4c", .state: "#5b6967", .ocean: "#44687b", .city: "#2c3739", .town: "#39484a",
            .village: "#48575a", .neighbourhood: "#5a5266", .county: "#66736c", .water: "#3f6578", .nature: "#4c6247",
            .airport: "#5c6670", .road: "#4a4f50",
        ],
        nameHalo: "#f7f8f4",
        seaHalo: "#cfdfe6",
        kinds: [
            "interview": "#8a3b12", "photo": "#1d4f91", "document": "#6b4e00", "video_object": "#7a1f6b",
            "observation": "#23602a", "event": "#93203f", "other": "#44525a",
        ],
        streets: [
            .residential: "#eeede6", .business: "#f1e9e5", .industry: "#ebe8ec", .school: "#f0ead9", .grass: "#dbe9cf",
            .wood: "#cadfbf", .cemetery: "#d5e2cd", .farmland: "#f0efdb", .sand: "#f3ecd4", .wetland: "#d8e8e0",
            .rock: "#e6e3df", .pitch: "#cfe3c8", .water: "#bcd7e4", .building: "#e1dcd3", .wall: "#cfc8bb",
            .apron: "#e4e1e8", .motorway: "#f5c483", .trunk: "#f8d49c", .primary: "#fbe5b0", .secondary: "#fdf2c9",
            .tertiary: "#ffffff", .minor: "#ffffff", .service: "#ffffff", .motorwayEdge: "#c98b43",
            .trunkEdge: "#cf9f58", .primaryEdge: "#cbb069", .secondaryEdge: "#c9bf8c", .tertiaryEdge: "#c4c1b7",
            .minorEdge: "#cfccc3", .serviceEdge: "#dad8d1", .track: "#a89371", .path: "#b09a78", .rail: "#9b989e",
            .ferry: "#7fa3b8",
        ]
    )

    static let dark = MapPalette(
        water: "#0f1a21",
        land: "#23323a",
        border: "#6d7f86",
        state: "#4a5c65",
        county: "#31424b",
        paper: "#141d23",
        ink: "#e9eff1",
        soft: "#a9b8be",
        accent: "#7fd1cf",
        onAccent: "#06282c",
        halo: "#0b1216",
        names: [
            .country: "#d5dee0", .state: "#a4b2b6", .ocean: "#86a5b5", .city: "#e4ebec", .town: "#d0dadc",
            .village: "#b6c3c7", .neighbourhood: "#b9b2c9", .county: "#94a39d", .water: "#8db0c1", .nature: "#9fb598",
            .airport: "#a3adb6", .road: "#c2ccd0",
        ],
        nameHalo: "#162026",
        seaHalo: "#0f1a21",
        kinds: [
            "interview": "#ffb088", "photo": "#9cc4ff", "document": "#f0cf6b", "video_object": "#f0a6e0",
            "observation": "#9fd99b", "event": "#ffa3b5", "other": "#c3ced3",
        ],
        streets: [
            .residential: "#263640", .business: "#2c3640", .industry: "#2a3742", .school: "#2c3a3e", .grass: "#263f38",
            .wood: "#223d33", .cemetery: "#2a4139", .farmland: "#2a3a39", .sand: "#3a3f3c", .wetland: "#233f42",
            .rock: "#303c42", .pitch: "#2a473d", .water: "#142733", .building: "#31424c", .wall: "#3c4f5a",
            .apron: "#2e3c48", .motorway: "#a9773c", .trunk: "#97703f", .primary: "#7d6a47", .secondary: "#66624f",
            .tertiary: "#50606a", .minor: "#465660", .service: "#3c4c56", .motorwayEdge: "#14202a",
            .trunkEdge: "#14202a", .primaryEdge: "#14202a", .secondaryEdge: "#14202a", .tertiaryEdge: "#17232c",
            .minorEdge: "#18252e", .serviceEdge: "#1b2932", .track: "#6b6a58", .path: "#6f7464", .rail: "#6d7982",
            .ferry: "#4b6a7c",
        ]
    )
}

/// What of a street map has a colour.
enum StreetPaint: Sendable {
    case residential, business, industry, school, grass, wood, cemetery, farmland, sand, wetland, rock, pitch, water
    case building, wall, apron
    case motorway, trunk, primary, secondary, tertiary, minor, service
    case motorwayEdge, trunkEdge, primaryEdge, secondaryEdge, tertiaryEdge, minorEdge, serviceEdge
    case track, path, rail, ferry
}

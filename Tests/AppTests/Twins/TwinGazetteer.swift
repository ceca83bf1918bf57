import Gazetteer
import GazetteerCompiler

/// A gazetteer of a few places around the stories of the twin worlds.
enum TwinGazetteer: Sendable {
    static let index = Result { try make(places: [], parts: []) }

    /// The same with a part of Atlanta.
    static let withPart = Result {
        try make(places: ["4 Sweet_Auburn 33.7554 -84.3736 US GA 13121 4000 _"], parts: ["4 2"])
    }

    /// The same with a neighbourhood of which the tables do not say to which city it belongs.
    static let withLonePart = Result {
        try make(places: ["4 Sweet_Auburn 33.7554 -84.3736 US GA 13121 4000 _"], parts: ["4 99"])
    }

    private static func make(places: [String], parts: [String]) throws -> GazetteerIndex {
        let sources = GazetteerSources(
            countries: table(
                "id code code3 name lat lon west south east north population capital names abbreviations",
                [
                    "3017382 FR FRA France 46.5 2.5 -5 41 10 51 67000000 1 _ _",
                    "6252001 US USA United_States 39.5 -99.1 172 18 -66 71 330000000 2 _ U.S.",
                ]
            ),
            states: table(
                "id code fips name lat lon west south east north population names abbreviations",
                [
                    "12 GA 13 Georgia 32.6 -83.4 -85.6 30.3 -80.8 35 10700000 _ Ga.",
                    "17 OK 40 Oklahoma 35.6 -97.5 -103 33.6 -94.4 37 4000000 _ Okla.",
                ]
            ),
            regions: table(
                "country code name lat lon west south east north population bounds names abbreviations",
                ["FR 11 Île-de-France 48.7 2.5 1.4 48.1 3.6 49.2 12000000 natural-earth _ _"]
            ),
            counties: table(
                "geoid name short state lat lon west south east north",
                ["13121 Fulton_County Fulton GA 33.79 -84.47 -84.85 33.5 -84.1 34.19"]
            ),
            places: table(
                "id name lat lon country admin1 county population names",
                [
                    "1 Paris 48.85341 2.3488 FR 11 _ 2138551 _", "2 Atlanta 33.749 -84.38798 US GA 13121 510823 _",
                    "3 Tulsa 36.15398 -95.99277 US OK _ 413066 _",
                ] + places
            ),
            zipcodes: table("zip city state lat lon", ["30303 Atlanta GA 33.7529 -84.3925"]),
            parts: parts.isEmpty ? [] : table("id city", parts)
        )
        return try GazetteerIndex(bytes: GazetteerBytes(GazetteerBuilder.build(sources, checksum: Array(1...32))))
    }

    /// Rows of blank-separated fields as a table; `_` alone is an empty field, inside a field a blank.
    private static func table(_ header: String, _ rows: [String]) -> [UInt8] {
        let lines = rows.map { row in
            row.split(separator: " ").map { $0 == "_" ? "" : $0.replacing("_", with: " ") }.joined(separator: "\t")
        }
        let columns = header.split(separator: " ").joined(separator: "\t")
        return Array(([columns] + lines).map { $0 + "\n" }.joined().utf8)
    }
}

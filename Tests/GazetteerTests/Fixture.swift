import Gazetteer
import GazetteerCompiler
import Testing

/// A small world of our own making, in the format of `geodata/`.
enum Fixture {
    static let countries = table(
        "id code code3 name lat lon west south east north population capital names abbreviations",
        """
        3017382 FR FRA France 46.5 2.5 -5 41 10 51 67000000 1 République_française
        900 GA GAB Gabon -0.6 11.8 8 -4 14 2 2000000 _ _
        614540 GE GEO Georgia 42.2 43.5 40 41 47 44 3700000 9 Sakartvelo
        2921044 DE DEU Germany 51 10 6 47 15 55 83000000 _ Deutschland
        5 TR TUR Turkey 39 35 26 36 45 42 84000000 _ Türkiye
        6252001 US USA United_States 39.5 -99.1 172 18 -66 71 330000000 4 United_States_of_America|America USA|U.S.
        """
    ) { $0.sorted { $0[1] < $1[1] } }

    static let states = table(
        "id code fips name lat lon west south east north population names abbreviations",
        """
        11 DC 11 District_of_Columbia 38.9 -77 -77.1 38.8 -76.9 39 690000 _ D.C.
        12 GA 13 Georgia 32.6 -83.4 -85.6 30.3 -80.8 35 10700000 State_of_Georgia Ga.
        13 MO 29 Missouri 38.3 -92.4 -95.8 36 -89.1 40.6 6100000 _ Mo.
        14 MS 28 Mississippi 32.7 -89.7 -91.7 30 -88.1 35 2900000 _ Miss.
        15 NC 37 North_Carolina 35.5 -79.4 -84.3 33.8 -75.4 36.6 10400000 _ N.C.
        16 NY 36 New_York 42.9 -75.5 -79.8 40.5 -71.8 45 19500000 New_York_State N.Y.
        17 OK 40 Oklahoma 35.6 -97.5 -103 33.6 -94.4 37 4000000 _ Okla.
        18 TX 48 Texas 31.5 -99.4 -106.6 25.8 -93.5 36.5 29000000 _ Tex.
        """
    )

    static let regions = table(
        "country code name lat lon west south east north population bounds names abbreviations",
        """
        DE 07 North_Rhine-Westphalia 51.5 7.5 5.9 50.3 9.5 52.5 17900000 natural-earth Nordrhein-Westfalen NRW
        FR 11 Île-de-France 48.7 2.5 1.4 48.1 3.6 49.2 12000000 natural-earth _ _
        TR 34 Istanbul 41.1 29 28 40.8 29.9 41.6 15700000 natural-earth _ _
        """
    )

    static let counties = table(
        "geoid name short state lat lon west south east north",
        """
        13121 Fulton_County Fulton GA 33.79 -84.47 -84.85 33.5 -84.1 34.19
        36035 Fulton_County Fulton NY 43.11 -74.42 -74.77 42.98 -74.1 43.29
        28011 Bolivar_County Bolivar MS 33.8 -90.88 -91.2 33.56 -90.66 34.1
        40143 Tulsa_County Tulsa OK 36.12 -95.94 -96.3 35.86 -95.76 36.42
        """
    )

    static let places = table(
        "id name lat lon country admin1 county population names",
        """
        1 Paris 48.85341 2.3488 FR 11 _ 2138551 Parigi|パリ
        2 Paris 33.66094 -95.55551 US TX _ 24912 _
        3 Atlanta 33.749 -84.38798 US GA 13121 510823 ATL|Terminus
        4 Washington 38.89511 -77.03637 US DC _ 689545 Washington_D.C.
        6 Mound_Bayou 33.87817 -90.72732 US MS 28011 1421 _
        7 Istanbul 41.01384 28.94966 TR 34 _ 15701602 Constantinople|İstanbul|Стамбул
        8 St._Louis 38.62727 -90.19789 US MO _ 301578 _
        9 Tbilisi 41.69411 44.83368 GE _ _ 1049498 Тбилиси
        10 New_York_City 40.71427 -74.00597 US NY _ 8804190 NYC|New_York|Big_Apple
        20 Harlem 40.80788 -73.94542 US NY _ 116345 _
        21 Harlem 33.41457 -82.31262 US GA _ 2600 _
        22 Tulsa 36.15398 -95.99277 US OK 40143 413066 _
        23 Münster 51.96236 7.62571 DE 07 _ 314319 Munster
        24 Winston-Salem 36.09986 -80.24422 US NC _ 247945 _
        25 O'Fallon 38.81061 -90.69985 US MO _ 91316 _
        26 Ga 6.5 -1.5 US TX _ 0 _
        """
    )

    static let zipcodes = table(
        "zip city state lat lon",
        """
        74106 Tulsa OK 36.1883 -95.986
        30303 Atlanta GA 33.7529 -84.3925
        """
    )

    static let sources = GazetteerSources(
        countries: countries,
        states: states,
        regions: regions,
        counties: counties,
        places: places,
        zipcodes: zipcodes
    )

    /// The compiled fixture.
    static func compiled() throws -> [UInt8] {
        try GazetteerBuilder.build(sources, checksum: Array(1...32))
    }

    /// The index over the compiled fixture, the same for all tests.
    static func index() throws -> GazetteerIndex { try shared.get() }

    private static let shared = Result { try GazetteerIndex(bytes: GazetteerBytes(compiled())) }

    /// Writes rows of blank-separated fields as a table; `_` alone is an empty field, inside a field a blank.
    static func table(
        _ header: String,
        _ rows: String,
        ordered: ([[String]]) -> [[String]] = { $0 }
    ) -> [UInt8] {
        let columns = header.split(separator: " ").map(String.init)
        let fields = rows.split(separator: "\n")
            .map { line in
                var row = line.split(separator: " ").map { $0 == "_" ? "" : String($0.map { $0 == "_" ? " " : $0 }) }
                while row.count < columns.count { row.append("") }
                return row
            }
        let lines = [columns] + ordered(fields)
        return Array(lines.map { $0.joined(separator: "\t") + "\n" }.joined().utf8)
    }
}

import Gazetteer
import GazetteerCompiler
import Geometry

/// Reads rows of the GeoNames dumps (https://www.geonames.org/, readme.txt in its dump folder).
enum GeoNames: Sendable {
    /// Reads a row of the main table; returns `nil` for places that people do not search for by name, and for countries
    /// and regions that the program's own gazetteer contains.
    static func place(_ fields: [String]) -> GazetteerRecord? {
        guard fields.count == 19, let latitude = DecimalText.number(fields[4]),
            let longitude = DecimalText.number(fields[5])
        else {
            return nil
        }
        guard abs(latitude) <= 90, abs(longitude) <= 180, Int(fields[0]) != nil else { return nil }
        let population = max(0, Int(fields[14]) ?? 0)
        guard let kind = kind(fields[6], fields[7], population), !fields[1].isEmpty else { return nil }
        return .place(
            AddedPlace(
                id: "geonames:\(fields[0])",
                name: fields[1],
                kind: kind,
                latitude: latitude,
                longitude: longitude,
                population: population,
                country: fields[8],
                region: fields[10],
                names: fields[3].split(separator: ",").map { AddedName(String($0)) },
                isCapital: fields[7] == "PPLC"
            )
        )
    }

    private static func kind(_ category: String, _ code: String, _ population: Int) -> PlaceKind? {
        switch (category, code) {
        case ("P", "PPLX"): .neighbourhood
        // Destroyed and historic places can be found too.
        case ("P", _): .added(population: population)
        case ("A", "ADM2"): .county
        case ("A", "ADM3"), ("A", "ADM4"): .added(population: population)
        case ("R", "ST"): .street
        case ("H", "STM"), ("H", "STMS"), ("H", "CNL"), ("H", "FLLS"), ("H", "BYU"), ("H", "CRKT"), ("H", "ESTY"):
            .river
        case ("H", "LK"), ("H", "LKS"), ("H", "RSV"), ("H", "BAY"), ("H", "SEA"), ("H", "OCN"), ("H", "GULF"),
            ("H", "STRT"), ("H", "LGN"), ("H", "HBR"), ("H", "SD"), ("H", "FJD"):
            .water
        case ("T", "ISL"), ("T", "ISLS"), ("T", "ATOL"), ("T", "ISLET"): .island
        case ("T", "MT"), ("T", "MTS"), ("T", "PK"), ("T", "PKS"), ("T", "VLC"), ("T", "PASS"): .mountain
        case ("L", "PRK"), ("L", "RESN"), ("L", "RESW"), ("L", "RESF"): .park
        case ("L", "RGN"), ("L", "AREA"), ("L", "CONT"), ("L", "RGNH"), ("T", "DSRT"), ("T", "PEN"), ("T", "VAL"): .area
        case ("S", "AIRP"): .airport
        case ("S", "UNIV"), ("S", "STDM"), ("S", "CSTL"), ("S", "PAL"), ("S", "CTRF"), ("S", "HSP"), ("S", "THTR"),
            ("S", "BDG"), ("S", "MSQE"), ("S", "TMPL"), ("S", "SYG"), ("S", "RUIN"), ("S", "ANS"), ("S", "SQR"):
            .landmark
        case ("S", "HSTS"), ("S", "MNMT"), ("S", "CH"), ("S", "SCHC"), ("S", "MUS"), ("S", "CMTY"), ("L", "RESV"):
            .landmark
        default: nil
        }
    }

    /// Reads a row of alternateNamesV2: number, place, language, name, preferred, short, colloquial, historic, from,
    /// to.
    static func name(_ fields: [String]) -> GazetteerRecord? {
        guard fields.count >= 4, let place = Int(fields[1]), !fields[3].isEmpty else { return nil }
        // Links, airport codes and the like are not names.
        let language = fields[2]
        guard language.utf8.count <= 3 || language.contains("-") else { return nil }
        return .name(
            AddedName(
                fields[3],
                language: language,
                isHistoric: fields.count > 7 && fields[7] == "1",
                isPreferred: fields.count > 4 && fields[4] == "1"
            ),
            place: "geonames:\(place)"
        )
    }

    /// Reads a row of postal codes: country, code, place, region with its code, …, latitude, longitude, accuracy.
    static func postcode(_ fields: [String]) -> GazetteerRecord? {
        guard fields.count == 12, let latitude = DecimalText.number(fields[9]),
            let longitude = DecimalText.number(fields[10])
        else {
            return nil
        }
        guard abs(latitude) <= 90, abs(longitude) <= 180, !fields[1].isEmpty else { return nil }
        return .place(
            AddedPlace(
                id: "postcode:\(fields[0]).\(fields[1])",
                name: fields[1],
                kind: .postcode,
                latitude: latitude,
                longitude: longitude,
                country: fields[0],
                region: fields[4].isEmpty ? fields[3] : fields[4],
                city: fields[2]
            )
        )
    }
}

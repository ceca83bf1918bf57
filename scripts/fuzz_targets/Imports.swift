import Formats
import Geometry
import Stories

private func requireOnEarth(_ document: FeatureDocument) {
    for feature in document.features {
        guard let position = feature.position else { continue }
        require(position.x.isFinite && position.y.isFinite, "a position has numbers")
    }
}

func fuzzKML(_ bytes: [UInt8]) {
    guard let document = try? FeatureDocument(kml: bytes) else { return }
    require(document.features.count <= bytes.count, "every placemark takes a byte")
    requireOnEarth(document)
}

func fuzzOHMS(_ bytes: [UInt8]) {
    guard let document = try? FeatureDocument(ohms: bytes) else { return }
    require(document.features.count <= bytes.count, "every segment takes a byte")
    requireOnEarth(document)
}

func fuzzGEDCOM(_ bytes: [UInt8]) {
    guard let document = try? FeatureDocument(gedcom: bytes, bornBefore: 1_915) else { return }
    require(document.features.count <= bytes.count, "every event takes a byte")
    requireOnEarth(document)
}

func fuzzWorkbook(_ bytes: [UInt8]) {
    guard let sheet = try? Spreadsheet(bytes, limit: 1 << 20) else { return }
    require(sheet.csv.count <= 1 << 20, "a limit holds")
    var reader = CSVReader(sheet.csv)
    var count = 0
    while let _ = try? reader.next() { count += 1 }
    require(count == sheet.rows.count, "every row of the sheet is a record")
}

func fuzzEncoding(_ bytes: [UInt8]) {
    for given in [nil] + TextEncoding.allCases.map(Optional.some) {
        guard let text = try? DecodedText(bytes, as: given) else { continue }
        require(text.bytes.count <= 3 * bytes.count + 3, "no character takes more than three bytes for one")
    }
}

func fuzzWKT(_ bytes: [UInt8]) {
    guard let read = WellKnownText(String(decoding: bytes, as: UTF8.self)), let position = read.position else { return }
    require(position.x.isFinite && position.y.isFinite, "a position has numbers")
}

func fuzzGrid(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    for read in [try? GridPosition.utm(text), GridPosition.mgrs(text)] {
        guard let position = read ?? nil else { continue }
        require((1...60).contains(position.zone.number), "a zone is one of sixty")
        require(position.easting.isFinite && position.northing.isFinite, "a position has numbers")
    }
}

func fuzzShape(_ bytes: [UInt8]) {
    guard let geometry = try? JSONValue(parsing: bytes, limits: .init(bytes: 1 << 16)),
        let (point, shape) = try? PlaceGeometry.readGiven(geometry)
    else { return }
    require(point.latitude.magnitude <= 90 && point.longitude.magnitude <= 180, "a place is on the earth")
    require(shape == nil || shape?.anchor == point, "a shape stands for its anchor")
}

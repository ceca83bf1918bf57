import Basemap
import Formats

func fuzzGzip(_ bytes: [UInt8]) {
    if let whole = try? Gzip.decompress(bytes, limit: 1 << 20) { require(whole.count <= 1 << 20, "a limit holds") }
    guard let decoder = try? GzipDecoder(limit: 1 << 20) else { return }
    var output: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        // The size of the pieces comes from the data, so that every border is tried.
        let piece = rest.prefix(Int(rest.first ?? 1) % 64 + 1)
        rest = rest.dropFirst(piece.count)
        do { try decoder.decode(Array(piece), into: &output) } catch { return }
        require(output.count <= 1 << 20, "a limit holds")
    }
    try? decoder.finish()
}

func fuzzZip(_ bytes: [UInt8]) {
    let archive = try? ZipReader(length: bytes.count) { offset, count in
        require(offset >= 0 && count >= 0, "a reader asks for a range of the archive")
        return Array(bytes.dropFirst(offset).prefix(count))
    }
    guard let archive else { return }
    for entry in archive.entries.prefix(20) {
        guard let read = try? archive.content(of: entry) else { continue }
        var total = 0
        while total < 4 << 20, let piece = try? read() { total += piece.count }
        require(total <= max(0, entry.size), "an entry has no more than its directory says")
    }
}

func fuzzVectorTile(_ bytes: [UInt8]) {
    _ = try? VectorTileShapes.layers(of: bytes)
    _ = TileContent.kind(of: bytes)
    _ = TileContent.packedVector(bytes)
    _ = TileContent.layers(of: bytes)
}

private struct Memory: TileBytes {
    let bytes: [UInt8]
    var count: Int { bytes.count }
    func read(_ range: Range<Int>) throws -> [UInt8] {
        require(range.lowerBound >= 0 && range.upperBound <= bytes.count, "an archive asks for a range of the file")
        return Array(bytes[range])
    }
}

func fuzzTileArchive(_ bytes: [UInt8]) {
    guard let archive = try? TileArchive(bytes: Memory(bytes: bytes)) else { return }
    for z in 0...4 {
        for x in 0..<min(4, 1 << z) {
            if let address = TileAddress(zoom: z, column: x, row: 0) { _ = try? archive.tile(address) }
        }
    }
}

func fuzzOutline(_ bytes: [UInt8]) {
    guard let outline = try? OutlineFile(bytes: bytes) else { return }
    require(outline.count <= bytes.count, "every shape takes a byte")
}

/// The first two bytes say how much of the rest is geometries; then comes the table.
func fuzzShapefile(_ bytes: [UInt8]) {
    guard bytes.count > 2 else { return }
    let border = min(bytes.count, 2 + (Int(bytes[0]) | Int(bytes[1]) << 8))
    let table = border < bytes.count ? Array(bytes[border...]) : nil
    for encoding in [nil, "UTF-8", "1252"] {
        let files = Shapefile.Files(shapes: Array(bytes[2..<border]), table: table, system: nil, encoding: encoding)
        guard let read = try? Shapefile(files, limit: 1 << 20) else { continue }
        require((try? GeoJSONReader(read.geoJSON)) != nil, "a Shapefile becomes GeoJSON")
    }
}

func fuzzWellKnownBinary(_ bytes: [UInt8]) {
    var json = JSONWriter()
    guard (try? WellKnownBinary.write(bytes[...], to: &json)) != nil else { return }
    let read = try? JSONValue(parsing: json.bytes, limits: .init(bytes: json.bytes.count))
    require(read != nil, "a geometry becomes JSON")
}

func fuzzForeignJSON(_ bytes: [UInt8]) {
    guard let read = (try? ForeignJSON(bytes)) ?? nil else { return }
    require((try? GeoJSONReader(read.geoJSON)) != nil, "foreign JSON becomes GeoJSON")
}

func fuzzPhoto(_ bytes: [UInt8]) {
    // The directories alone, too: a mutation seldom keeps the lengths of the segments before them.
    let segment: [UInt8] = Array("Exif".utf8) + [0, 0] + Array(bytes.prefix(60_000))
    let length = segment.count + 2
    let wrapped: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + segment
    for picture in [bytes, wrapped] {
        guard let record = PhotoRecord(of: picture) else { continue }
        if let (latitude, longitude) = record.position {
            require(latitude.magnitude <= 90 && longitude.magnitude <= 180, "a photograph was taken on the earth")
        }
        require((record.accuracy ?? 1) > 0, "a radius is positive")
        require((record.time?.utf8.count ?? 10) >= 10, "a time has a day")
    }
}

func fuzzPacket(_ bytes: [UInt8]) {
    let packet = PicturePacket(in: bytes)
    let count = packet.keywords.count + packet.texts.count + packet.terms.count
    require(count <= bytes.count, "every value takes a byte")
}

func fuzzIPTC(_ bytes: [UInt8]) {
    // The records alone, too: a mutation seldom keeps the lengths of what is around them.
    let content: [UInt8] = Array(bytes.prefix(60_000))
    let size: [UInt8] = [0, 0, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
    let resource: [UInt8] = Array("Photoshop 3.0\0".utf8) + Array("8BIM".utf8) + [4, 4, 0, 0] + size + content
    let length = resource.count + 2
    let wrapped: [UInt8] = [0xFF, 0xD8, 0xFF, 0xED, UInt8(length >> 8), UInt8(length & 0xFF)] + resource
    for picture in [bytes, wrapped] {
        guard let block = IPTCBlock(of: picture) else { continue }
        require(block.values.count <= picture.count, "every value takes a byte")
    }
}

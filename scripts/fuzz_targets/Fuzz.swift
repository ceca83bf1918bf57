#if canImport(Glibc)
import Glibc
#endif

/// A parser of outside data: gets any bytes, and must neither trap nor read past them nor take forever.
typealias Target = @Sendable ([UInt8]) -> Void

/// All targets by name; `scripts/fuzz --list` prints them.
let targets: [String: Target] = [
    "json": fuzzJSON, "geojson": fuzzGeoJSON, "csv": fuzzCSV, "trace": fuzzTrace, "tracker": fuzzTracker,
    "date": fuzzDate, "instant": fuzzInstant, "base64": fuzzBase64, "gzip": fuzzGzip, "zip": fuzzZip,
    "vectortile": fuzzVectorTile, "pmtiles": fuzzTileArchive, "outline": fuzzOutline, "position": fuzzPosition,
    "name": fuzzName, "cbor": fuzzCBOR, "token": fuzzToken, "cookie": fuzzCookie,
    "kml": fuzzKML, "ohms": fuzzOHMS, "gedcom": fuzzGEDCOM, "workbook": fuzzWorkbook, "encoding": fuzzEncoding,
    "wkt": fuzzWKT, "grid": fuzzGrid,
    "shapefile": fuzzShapefile, "wellknownbinary": fuzzWellKnownBinary, "foreignjson": fuzzForeignJSON,
    "photo": fuzzPhoto, "packet": fuzzPacket, "iptc": fuzzIPTC, "shape": fuzzShape, "privacy": fuzzPrivacy,
]

/// The one that the environment names: libFuzzer calls a function without a context.
private let chosen: Target = {
    guard let name = getenv("FUZZ_TARGET").map({ String(cString: $0) }), let target = targets[name] else {
        print("FUZZ_TARGET is none of \(targets.keys.sorted().joined(separator: " "))")
        exit(2)
    }
    return target
}()

/// What libFuzzer calls for each input; returns 0 so that the input may be kept.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Ends the process where a promise of a parser is broken that no trap would show.
func require(_ isRight: Bool, _ promise: StaticString) {
    if !isRight { fatalError("\(promise)") }
}

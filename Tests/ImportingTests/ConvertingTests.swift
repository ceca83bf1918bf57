import Converting
import Foundation
import Geometry
import Importing
import Stories
import TestSupport
import Testing

/// GDAL, where the machine has it.
private let installed = GDALConverter(searching: ProcessInfo.processInfo.environment["PATH"])

@Suite("Formats that GDAL reads", .serialized)
struct ConvertingTests {
    private static let flatGeobuf = Array("fgb\u{3}fgb\u{0}".utf8)

    private static func sample(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples")
        return Array(try Data(contentsOf: folder.appending(path: name)))
    }

    // MARK: Without GDAL

    @Test(
        "LOC-09 What only GDAL reads is recognised by its content",
        arguments: [
            ("fgb\u{3}fgb\u{0}", .flatGeobuf), ("PAR1\u{15}", .parquet), (#"{"type":"Topology","arcs":[]}"#, .topoJSON),
            (#" { "arcs": [], "type" : "Topology" } "#, .topoJSON), (#"{"type":"Feature","x":"Topology"}"#, nil),
            (#"{"a":{"type":"Topology"}}"#, nil), (#"{"type":"Topology""#, nil), ("title\n\"Topology\"\n", nil),
            ("%PDF-1.4", nil), ("", nil),
        ] as [(String, ConvertibleFormat?)]
    )
    func recognition(text: String, format: ConvertibleFormat?) {
        let bytes = Array(text.utf8)
        #expect(ConvertibleFormat(content: bytes) == format)
        if format != nil { #expect(ConvertibleFormat.mayBegin(bytes)) }
    }

    @Test("LOC-07 Without GDAL the refusal names the command, and what to install")
    func absent() throws {
        let folder = try TemporaryFolder()
        for path in [nil, "", folder.url.path, "bin:.", "/absent/\(UUID().uuidString)"] {
            #expect(GDALConverter(searching: path) == nil)
        }
        #expect(
            ConvertibleFormat.flatGeobuf.refusal(name: "maps/layer.fgb")
                == "the file is FlatGeobuf; convert it with 'ogr2ogr -f GeoJSON layer.geojson layer.fgb', or install "
                + "gdal-bin and Waymark converts it itself"
        )
        // Whoever sends such a file to a service cannot install anything there.
        let sent = try Fixture.read(Self.flatGeobuf, name: "layer.fgb")
        #expect(sent.isRefused && sent.problems.allSatisfy { !$0.message.contains("gdal-bin") })
    }

    // MARK: With programs that stand in for GDAL's

    /// Returns a converter whose `ogr2ogr` is a script that does `body` when it is to convert.
    private func converter(
        _ folder: TemporaryFolder,
        _ body: String,
        driver: String = "FlatGeobuf"
    ) throws -> GDALConverter {
        let drivers = [driver + " -vector-", "Other Raster -raster,vector-", "GeoJSONSeq -vector-"]
        let formats = drivers.map { "  " + $0 + " (rw+v): x\\n" }.joined()
        let script = """
            #!/bin/sh
            case "$1" in
            --version) echo 'GDAL 9.9.9, released 2026/01/01' ;;
            --formats) printf 'Supported Formats:\\n\(formats)' ;;
            *) \(body) ;;
            esac

            """
        let isMade = FileManager.default.createFile(
            atPath: folder.path("ogr2ogr"),
            contents: Data(script.utf8),
            attributes: [.posixPermissions: 0o700]
        )
        #expect(isMade)
        return try #require(GDALConverter(searching: "/absent:\(folder.url.path)"))
    }

    private func reason(
        _ body: String,
        driver: String = "FlatGeobuf",
        bytes: Int = 1 << 20,
        seconds: Int = 60
    ) async throws -> String? {
        let folder = try TemporaryFolder()
        // Its script runs later.
        defer { withExtendedLifetime(folder) {} }
        var limits = GDALConverter.Limits(bytes: bytes)
        limits.seconds = seconds
        do {
            let converter = try self.converter(folder, body, driver: driver)
            _ = try await converter.convert(Self.flatGeobuf, from: .flatGeobuf, limits: limits)
            return nil
        } catch let failure as GDALConverter.Failure {
            return failure.reason
        }
    }

    @Test(
        "LOC-07 A program that fails says why; one that passes over an error, or says nothing, has failed as well",
        arguments: [
            (
                "echo 'Warning 1: dry' >&2; printf 'ERROR 1: no\\n  roof\\n' >&2; exit 1",
                "cannot convert the file: ERROR 1: no roof"
            ),
            ("echo '{}'; echo 'ERROR 1: a row is lost' >&2", "cannot convert the file: ERROR 1: a row is lost"),
            (
                "printf 'ERROR 1: no head\\nERROR 1: no head\\nERROR 1: Terminating translation prematurely after failed\\n"
                    + "translation of layer x (use -skipfailures to skip errors)\\n' >&2; exit 1",
                "cannot convert the file: ERROR 1: no head"
            ),
            ("exit 3", "cannot convert the file: it ended without a word"),
            ("kill -SEGV $$", "cannot convert the file: it ended without a word"),
            // Nothing waits for input.
            ("cat; echo 'ERROR at the end' >&2; exit 1", "cannot convert the file: ERROR at the end"),
        ]
    )
    func failures(body: String, words: String) async throws {
        #expect(try await reason(body) == "GDAL 9.9.9 \(words)")
    }

    @Test("LOC-07 A program without an end, or with too much output, is ended; a format without a driver is not tried")
    func limits() async throws {
        let clock = ContinuousClock()
        let began = clock.now
        #expect(try await reason("exec sleep 300", seconds: 5)?.contains("takes more than 5 seconds") == true)
        #expect(clock.now - began < .seconds(60))
        let large = try await reason("head -c 100000 /dev/zero", bytes: 4_096)
        #expect(large == "converted by GDAL 9.9.9, the file has more than 4096 bytes; split it")
        #expect(try await reason("exit 0") == "the file is valid but contains no stories")
        let absent = try await reason("echo '{}'", driver: "Shapes")
        #expect(absent?.contains("GDAL 9.9.9 on this machine has no driver") == true)
    }

    @Test("LOC-07 A program gets hardly any environment, one driver, a folder of its own, and leaves nothing behind")
    func surroundings() async throws {
        let names = try #require(try await reason("echo \"ERROR $(env | cut -d= -f1 | tr '\\n' ' ')\" >&2; exit 1"))
        let allowed: Set<Substring> = [
            "PATH", "LC_ALL", "HOME", "TMPDIR", "PROJ_NETWORK", "OGR_SKIP", "PWD", "OLDPWD", "SHLVL", "_", "GDAL_DATA",
            "GDAL_DRIVER_PATH", "LD_LIBRARY_PATH", "PROJ_DATA", "PROJ_LIB",
        ]
        let found = names.split(separator: "ERROR ").last?.split(separator: " ") ?? []
        #expect(found.contains("OGR_SKIP") && allowed.isSuperset(of: found), "\(names)")
        #expect(try await reason("echo \"ERROR $OGR_SKIP\" >&2; exit 1")?.hasSuffix("ERROR Other Raster") == true)
        let place = try #require(try await reason("echo \"ERROR $(pwd)\" >&2; exit 1")?.split(separator: "ERROR ").last)
        #expect(place.contains("waymark-gdal-") && !FileManager.default.fileExists(atPath: String(place)))
        let arguments = try await reason("echo \"ERROR $*\" >&2; exit 1")
        #expect(arguments?.hasSuffix("/vsistdout/ source.fgb") == true)
        #expect(arguments?.contains("-f GeoJSONSeq -t_srs EPSG:4326") == true)
    }

    @Test("LOC-09 Days that a format can only write as moments are days again; moments and words stay")
    func wholeDays() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let day = "1936-07-04T00:00:00"
        let given = #"{"title":"T","date":"\#(day)","at":"\#(day)Z","x":"on \#(day)"}"#
        let output = try await converter(folder, "printf '%s' '\(given)'")
            .convert(Self.flatGeobuf, from: .flatGeobuf, limits: .init(bytes: 1 << 20))
        let text = String(decoding: output.geoJSON, as: UTF8.self)
        #expect(text == given.replacing(#""1936-07-04T00:00:00","at""#, with: #""1936-07-04","at""#))
        #expect(output.remarks == ["GDAL 9.9.9 converted the file from FlatGeobuf"])
    }

    // MARK: With GDAL

    private func stories(
        _ output: GDALConverter.Output,
        name: String,
        crs: String? = nil
    ) throws -> [String: Coordinate] {
        let result = try Fixture.read(output.geoJSON, name: name) {
            $0.referenceSystem = crs
            $0.remarks = output.remarks
        }
        #expect(!result.isRefused, "\(result.problems)")
        #expect(result.warnings.prefix(output.remarks.count).map(\.message) == output.remarks)
        var places: [String: Coordinate] = [:]
        for story in result.stories { places[story.title] = story.location?.coordinate }
        return places
    }

    private func expectMillAndFerry(_ places: [String: Coordinate]) {
        let expected = ["Mill": (33.75, -84.39), "Ferry": (33.5, -84.25)]
        #expect(Set(places.keys) == Set(expected.keys))
        for (title, place) in places {
            guard let (latitude, longitude) = expected[title] else { continue }
            let isNear = abs(place.latitude - latitude) < 1e-6 && abs(place.longitude - longitude) < 1e-6
            #expect(isNear, "\(title): \(place)")
        }
    }

    @Test("LOC-09 FlatGeobuf is read through GDAL, and says so", .enabled(if: installed != nil))
    func throughGDAL() async throws {
        let converter = try #require(installed)
        let output = try await converter.convert(
            try Self.sample("layer.fgb"),
            from: .flatGeobuf,
            limits: .init(bytes: 1 << 20)
        )
        #expect(output.remarks.count == 1 && output.remarks[0].hasPrefix("GDAL "))
        #expect(output.remarks[0].hasSuffix(" converted the file from FlatGeobuf"))
        expectMillAndFerry(try stories(output, name: "layer.fgb"))
        await #expect(throws: GDALConverter.Failure.self) {
            let cut = Array(try Self.sample("layer.fgb").prefix(200))
            _ = try await converter.convert(cut, from: .flatGeobuf, limits: .init(bytes: 1 << 20))
        }
    }

    @Test("LOC-09 Of TopoJSON the first layer is read, the others are named", .enabled(if: installed != nil))
    func topoJSON() async throws {
        let converter = try #require(installed)
        func point(_ title: String, _ place: String) -> String {
            #"{"type":"Point","coordinates":\#(place),"properties":{"title":"\#(title)"}}"#
        }
        func topology(_ name: String) -> [UInt8] {
            let stories = point("Mill", "[-84.39,33.75]") + "," + point("Ferry", "[-84.25,33.5]")
            let first = #""\#(name)":{"type":"GeometryCollection","geometries":[\#(stories)]}"#
            let second = #""more (old)":{"type":"GeometryCollection","geometries":[\#(point("Z", "[1,2]"))]}"#
            return Array(#"{"type":"Topology","objects":{\#(first),\#(second)},"arcs":[]}"#.utf8)
        }
        let output = try await converter.convert(topology("first"), from: .topoJSON, limits: .init(bytes: 1 << 20))
        #expect(output.remarks.count == 2)
        #expect(output.remarks.last == "only the layer first was read, not more (old)")
        expectMillAndFerry(try stories(output, name: "a.json"))
        // A name in a file is never an option of a program.
        let refusal = "the layer -sql has a name that ogr2ogr takes for an option; rename it"
        await #expect(throws: GDALConverter.Failure(reason: refusal)) {
            _ = try await converter.convert(topology("-sql"), from: .topoJSON, limits: .init(bytes: 1 << 20))
        }
    }

    @Test(
        "LOC-09 Other reference systems are converted once, by GDAL or as --crs says; types come out as they went in",
        .enabled(if: installed != nil)
    )
    func systems() async throws {
        let converter = try #require(installed)
        let folder = try TemporaryFolder()
        func feature(_ title: String, _ place: String) -> String {
            let properties = #"{"title":"\#(title)","date":"1936-07-04","id":9007199254740995}"#
            let point = #"{"type":"Point","coordinates":\#(place)}"#
            return #"{"type":"Feature","properties":\#(properties),"geometry":\#(point)}"#
        }
        let features = feature("Mill", "[-84.39,33.75]") + "," + feature("Ferry", "[-84.25,33.5]")
        let source = folder.path("a.geojson")
        try Data(#"{"type":"FeatureCollection","features":[\#(features)]}"#.utf8).write(to: URL(filePath: source))
        func made(_ name: String, _ options: [String]) throws -> [UInt8] {
            let path = folder.path(name)
            let run = try ProgramRun("ogr2ogr", ["-f", "FlatGeobuf"] + options + [path, source], showsErrors: false)
            #expect(run.status == 0)
            return [UInt8](try Data(contentsOf: URL(filePath: path)))
        }
        let limits = GDALConverter.Limits(bytes: 1 << 20)
        let utm = try made("utm.fgb", ["-t_srs", "EPSG:26916"])
        let converted = try await converter.convert(utm, from: .flatGeobuf, limits: limits)
        expectMillAndFerry(try stories(converted, name: "utm.fgb"))
        let text = String(decoding: converted.geoJSON, as: UTF8.self)
        #expect(text.contains(#""1936-07-04""#) && text.contains(#""9007199254740995""#), "\(text)")
        let kept = try await converter.convert(utm, from: .flatGeobuf, keepsPositions: true, limits: limits)
        #expect(kept.remarks.count == 1)
        expectMillAndFerry(try stories(kept, name: "utm.fgb", crs: "EPSG:26916"))
        let unnamed = try made("unnamed.fgb", ["-a_srs", "NONE"])
        let taken = try await converter.convert(unnamed, from: .flatGeobuf, limits: limits)
        #expect(taken.remarks.last?.hasPrefix("the file names no reference system") == true, "\(taken.remarks)")
        expectMillAndFerry(try stories(taken, name: "unnamed.fgb"))
    }
}

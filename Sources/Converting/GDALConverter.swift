import Foundation
package import Importing

/// Converts files of formats that Waymark does not read itself, by GDAL's programs where they are installed.
///
/// GDAL parses the bytes of strangers in C. A fault in a process of its own, with limits, costs one file and no more.
package struct GDALConverter: Sendable {
    /// How much a conversion may take.
    package struct Limits: Hashable, Sendable {
        /// The maximum size of the result in bytes.
        package var bytes: Int
        /// The maximum time of each program in seconds.
        package var seconds = 600

        /// Creates limits.
        package init(bytes: Int) { self.bytes = bytes }
    }

    /// A file as GeoJSON.
    package struct Output: Hashable, Sendable {
        /// A sequence of features (RFC 8142).
        package let geoJSON: [UInt8]
        /// How it was made and what was not read, each for people and without a full stop.
        package let remarks: [String]
    }

    /// The reason that a file cannot be converted.
    package struct Failure: Error, Hashable, Sendable {
        /// One sentence without a full stop.
        package let reason: String

        package init(reason: String) { self.reason = reason }
    }

    /// The folder of the programs.
    private let folder: String

    /// Looks for GDAL's programs in the folders of a `PATH`; `nil` if they are in none.
    package init?(searching path: String?) {
        let folders = (path ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        let found = folders.first { FileManager.default.isExecutableFile(atPath: "\($0)/ogr2ogr") }
        guard let found else { return nil }
        folder = found
    }

    /// Converts the first layer of a file, to longitude and latitude on WGS 84.
    ///
    /// With `keepsPositions`, those of the file stay as they are, because somebody says of what reference system they are.
    /// - Throws: ``Failure``, or `CancellationError`.
    package func convert(
        _ bytes: [UInt8],
        from format: ConvertibleFormat,
        keepsPositions: Bool = false,
        limits: Limits
    ) async throws -> Output {
        let workplace: Workplace
        do {
            workplace = try Workplace(bytes, fileExtension: format.fileExtension, limits: limits)
        } catch {
            throw Failure(reason: "the folder for temporary files cannot be written; make space, or look at TMPDIR")
        }
        defer { workplace.remove() }
        let version = try await self.version(in: workplace)
        // The file is read by the driver of its format or not at all, whatever else its content may look like.
        let drivers = try await self.drivers(in: workplace, version)
        guard drivers.contains(format.driver) else {
            throw Failure(
                reason: "the file is \(format.title), for which \(version) on this machine has no driver; convert it "
                    + "to GeoJSON on a machine whose GDAL has one"
            )
        }
        let skipped = drivers.filter { $0 != format.driver && $0 != GDALConverter.output }
        let step = Step(workplace: workplace, skippedDrivers: skipped, version: version)
        let layers = try await self.layers(of: format, step)
        let (geoJSON, system) = try await converted(layers.first, format, keepsPositions: keepsPositions, step)
        guard !geoJSON.isEmpty else { throw Failure(reason: "the file is valid but contains no stories") }
        var remarks = ["\(version) converted the file from \(format.title)"]
        if layers.count > 1 { remarks.append(GDALConverter.remark(on: layers)) }
        if let system { remarks.append(system) }
        return Output(
            geoJSON: format == .flatGeobuf ? WholeDays.shortened(geoJSON) : geoJSON,
            remarks: remarks
        )
    }

    /// The driver that writes.
    private static let output = "GeoJSONSeq"

    /// What the programs of one conversion have in common.
    private struct Step {
        let workplace: Workplace
        let skippedDrivers: [String]
        let version: String
    }

    /// Returns the name and the number of the version.
    private func version(in workplace: Workplace) async throws -> String {
        let done = try await workplace.run("\(folder)/ogr2ogr", ["--version"])
        let line = String(decoding: done.output.prefix(200), as: UTF8.self).prefix { $0 != "," && !$0.isNewline }
        guard done.end == .success, line.hasPrefix("GDAL ") else {
            throw Failure(reason: "GDAL's program ogr2ogr does not run on this machine: \(done.words)")
        }
        return String(line.prefix(40))
    }

    /// Returns the names of the drivers, such as `FlatGeobuf` of `  FlatGeobuf -vector- (rw+v): FlatGeobuf`.
    private func drivers(in workplace: Workplace, _ version: String) async throws -> [String] {
        let done = try await workplace.run("\(folder)/ogr2ogr", ["--formats"])
        guard done.end == .success else { throw failure(done, version, workplace.limits) }
        return String(decoding: done.output, as: UTF8.self).split(whereSeparator: \.isNewline)
            .compactMap { line -> String? in
                guard line.hasPrefix("  "), let end = line.firstRange(of: " -") else { return nil }
                return String(line[..<end.lowerBound].dropFirst(2))
            }
    }

    /// Returns the names of the layers of a format that may have several; an empty array for the others.
    private func layers(of format: ConvertibleFormat, _ step: Step) async throws -> [String] {
        guard format == .topoJSON else { return [] }
        let arguments = ["-ro", "-q", step.workplace.source]
        let done = try await step.workplace.run("\(folder)/ogrinfo", arguments, skippedDrivers: step.skippedDrivers)
        guard done.end == .success else { throw failure(done, step.version, step.workplace.limits) }
        return String(decoding: done.output, as: UTF8.self).split(whereSeparator: \.isNewline)
            .compactMap { GDALConverter.layer(in: $0) }
    }

    /// Returns the name in a line such as `1: stories (Point)`.
    private static func layer(in line: Substring) -> String? {
        guard let colon = line.firstRange(of: ": "), !line[..<colon.lowerBound].isEmpty,
            line[..<colon.lowerBound].allSatisfy({ $0.isASCII && $0.isNumber })
        else { return nil }
        let name = line[colon.upperBound...]
        guard name.hasSuffix(")"), let bracket = name.lastIndex(of: "("), bracket > name.startIndex else {
            return String(name)
        }
        let end = name.index(before: bracket)
        return name[end] == " " ? String(name[..<end]) : String(name)
    }

    private static func remark(on layers: [String]) -> String {
        let others = layers.dropFirst().prefix(5).map { String($0.prefix(40)) }.joined(separator: ", ")
        let more = layers.count > 6 ? " and \(layers.count - 6) more" : ""
        return "only the layer \(layers[0].prefix(40)) was read, not \(others)\(more)"
    }

    /// Returns the features of a layer, and a remark on the reference system.
    private func converted(
        _ layer: String?,
        _ format: ConvertibleFormat,
        keepsPositions: Bool,
        _ step: Step
    ) async throws -> (geoJSON: [UInt8], remark: String?) {
        // TopoJSON names no reference system, and is in longitude and latitude as GeoJSON is.
        guard !keepsPositions, format != .topoJSON else {
            return (try await features(layer, ["-a_srs", "NONE"], step), nil)
        }
        do {
            return (try await features(layer, ["-t_srs", "EPSG:4326"], step), nil)
        } catch let failure as Failure where failure.reason.contains("no coordinate system") {
            let features = try await self.features(layer, ["-a_srs", "NONE"], step)
            return (
                features,
                "the file names no reference system, so positions are taken as longitude and latitude; give --crs"
            )
        }
    }

    private func features(_ layer: String?, _ system: [String], _ step: Step) async throws -> [UInt8] {
        if let layer, layer.hasPrefix("-") {
            let name = layer.prefix(40)
            throw Failure(reason: "the layer \(name) has a name that ogr2ogr takes for an option; rename it")
        }
        // Readers of JSON would round large whole numbers.
        let form = ["-lco", "RS=YES", "-lco", "COORDINATE_PRECISION=12", "-mapFieldType", "Integer64=String"]
        let places = ["/vsistdout/", step.workplace.source]
        let arguments = ["-f", GDALConverter.output] + system + form + places + (layer.map { [$0] } ?? [])
        let done = try await step.workplace.run(
            "\(folder)/ogr2ogr",
            arguments,
            skippedDrivers: step.skippedDrivers
        )
        // An error that GDAL passes over may have cost a row.
        guard done.end == .success, !done.hasErrors else { throw failure(done, step.version, step.workplace.limits) }
        return done.output
    }

    private func failure(_ done: ProgramEnd, _ version: String, _ limits: Limits) -> Failure {
        switch done.end {
        case .tooLong:
            Failure(reason: "\(version) takes more than \(limits.seconds) seconds to convert the file; split it")
        case .tooLarge:
            Failure(reason: "converted by \(version), the file has more than \(limits.bytes) bytes; split it")
        case .success, .failed: Failure(reason: "\(version) cannot convert the file: \(done.words)")
        }
    }
}

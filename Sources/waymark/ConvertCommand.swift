import App
import ArgumentParser
import Formats
import Foundation
import Geometry
import Projections

/// `waymark convert`.
struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Converts positions between reference systems, with the error to expect.",
        discussion: """
            Positions are east before north: longitude before latitude, easting before northing. With --file, the columns \
            converted_x, converted_y and expected_error_m are added to a CSV table. Where a grid of corrections is not \
            installed, standard error names it, and what it would improve.

            Examples: waymark convert --from EPSG:26918 583960 4507523
                      waymark convert --from EPSG:4267 --to EPSG:26918 --file points.csv -o converted.csv
            """
    )

    @Argument(parsing: .allUnrecognized, help: "East and north, of one or more positions.")
    var positions: [String] = []
    @Option(help: "The reference system of the positions, such as EPSG:26918.")
    var from: String
    @Option(help: "The reference system to convert to.")
    var to = "EPSG:4326"
    @Option(help: "A CSV table with the positions; - is standard input.")
    var file: String?
    @Option(help: "With --file: the column of eastings or longitudes.")
    var x: String?
    @Option(help: "With --file: the column of northings or latitudes.")
    var y: String?
    @Option(name: .shortAndLong, help: "With --file: the file to write; by default, and for -, standard output.")
    var output: String?
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        let conversion: Conversion
        do {
            conversion = try Conversion(from: from, to: to)
        } catch {
            throw CommandFailure.usage("\(error).")
        }
        var remarks = ConversionRemarks()
        if let file {
            guard positions.isEmpty else {
                throw CommandFailure.usage("--file reads the positions; leave out the others.")
            }
            try await convert(file, by: conversion, &remarks)
        } else {
            guard output == nil, x == nil, y == nil else {
                throw CommandFailure.usage("--output, --x and --y need --file.")
            }
            try convertArguments(by: conversion, &remarks)
        }
        for line in remarks.lines { Console.remark(line, quiet: database.quiet) }
    }

    private func convertArguments(by conversion: Conversion, _ remarks: inout ConversionRemarks) throws {
        let positions = positions.filter { $0 != "--" }
        if let option = positions.first(where: {
            $0.hasPrefix("-") && !$0.contains(",") && ConvertCommand.number($0) == nil
        }) {
            throw CommandFailure.usage(
                "\(excerpt(option)) is not an option of this command; 'waymark convert --help' lists the options."
            )
        }
        let parts = positions.flatMap { $0.split { $0 == "," || $0.isWhitespace }.map(String.init) }
        let numbers = parts.compactMap(ConvertCommand.number)
        guard numbers.count == parts.count, !numbers.isEmpty, numbers.count.isMultiple(of: 2) else {
            throw CommandFailure.usage("Give two numbers for each position, east before north, or a table with --file.")
        }
        for index in stride(from: 0, to: numbers.count, by: 2) {
            let (x, y) = (numbers[index], numbers[index + 1])
            guard let result = conversion.convert(x: x, y: y) else {
                throw CommandFailure.usage(
                    "\(parts[index]) \(parts[index + 1]) is outside the area of \(from) or \(to). "
                        + "Positions are east before north."
                )
            }
            remarks.note(result)
            let error = result.accuracy.map { "  ±\(ConvertCommand.metres($0)) m" } ?? ""
            Console.line("\(text(result.x, conversion)) \(text(result.y, conversion))\(error)")
        }
    }

    private func convert(_ file: String, by conversion: Conversion, _ remarks: inout ConversionRemarks) async throws {
        let input = try await ImportInput(file, index: 0, limit: 500 << 20)
        var reader = CSVReader(
            Gzip.isGzip(input.bytes) ? try Gzip.decompress(input.bytes, limit: 500 << 20) : input.bytes
        )
        var bytes: [UInt8] = []
        do throws(CSVError) {
            guard let header = try reader.next()?.fields else { throw CSVError(line: 1, reason: "the table is empty") }
            let (east, north) = try columns(header)
            bytes += CSVWriter.row(header + ["converted_x", "converted_y", "expected_error_m"])
            while let row = try reader.next() {
                let converted = try self.converted(row, (east, north), conversion, &remarks)
                let missing = [String](repeating: "", count: max(0, header.count - row.fields.count))
                bytes += CSVWriter.row(row.fields + missing + converted)
            }
        } catch {
            throw CommandFailure.usage("\(file):\(error.line): \(error.reason).")
        }
        guard let output, output != standardStream else { return Console.write(bytes) }
        let target = try OutputFile(output)
        try await target.write(isPrivate: false) {
            guard FileManager.default.createFile(atPath: target.draft, contents: Data(bytes)) else {
                throw CocoaError(.fileWriteUnknown)
            }
        }
    }

    private func columns(_ header: [String]) throws(CSVError) -> (east: Int, north: Int) {
        func column(_ given: String?, _ usual: [String], _ option: String) throws(CSVError) -> Int {
            let names = given.map { [$0] } ?? usual
            let found = header.firstIndex { name in names.contains { $0.lowercased() == name.lowercased() } }
            guard let found else {
                throw CSVError(line: 1, reason: "no column is called \(names[0]); give --\(option) with its name")
            }
            return found
        }
        return (
            try column(x, ["x", "easting", "lon", "lng", "long", "longitude"], "x"),
            try column(y, ["y", "northing", "lat", "latitude"], "y")
        )
    }

    /// Returns the three values of a row: empty where it has no position.
    private func converted(
        _ row: CSVRecord,
        _ columns: (east: Int, north: Int),
        _ conversion: Conversion,
        _ remarks: inout ConversionRemarks
    ) throws(CSVError) -> [String] {
        func value(_ index: Int) -> String { index < row.fields.count ? row.fields[index] : "" }
        let (east, north) = (value(columns.east), value(columns.north))
        if east.isEmpty, north.isEmpty { return ["", "", ""] }
        guard let x = ConvertCommand.number(east), let y = ConvertCommand.number(north) else {
            throw CSVError(line: row.line, reason: "\(excerpt(east)), \(excerpt(north)) are not two numbers")
        }
        guard let result = conversion.convert(x: x, y: y) else {
            throw CSVError(
                line: row.line,
                reason: "\(excerpt(east)), \(excerpt(north)) is outside the area of \(from) or \(to)"
            )
        }
        remarks.note(result)
        return [
            text(result.x, conversion), text(result.y, conversion), result.accuracy.map(ConvertCommand.metres) ?? "",
        ]
    }

    private func text(_ number: Double, _ conversion: Conversion) -> String {
        // A tenth of a millimetre, in degrees or in metres.
        String(format: conversion.isGeographic ? "%.9f" : "%.4f", number)
    }

    fileprivate static func number(_ text: String) -> Double? {
        DecimalText.number(text.filter { !$0.isWhitespace })
    }

    fileprivate static func metres(_ error: Double) -> String {
        error == error.rounded() && error < 1e9 ? "\(Int(error))" : "\(error)"
    }
}

/// What is said about conversions, once for each grid.
private struct ConversionRemarks {
    private var missing: [String: String] = [:]
    private var unknown = 0

    mutating func note(_ result: Conversion.Result) {
        if result.accuracy == nil { unknown += 1 }
        guard let grid = result.missing, missing[grid.grid] == nil, missing.count < 20 else { return }
        let now = result.accuracy.map { "\(ConvertCommand.metres($0)) m" } ?? "not known"
        let then = grid.accuracy.map { "; with it, \(ConvertCommand.metres($0)) m" } ?? ""
        let place = grid.address.isEmpty ? "" : " (\(grid.address))"
        missing[grid.grid] =
            "The grid \(grid.grid) is not installed\(place): the expected error is \(now)\(then)."
    }

    var lines: [String] {
        let grids = missing.sorted { $0.key < $1.key }.map(\.value)
        return grids
            + (unknown > 0 ? ["PROJ does not know the error of \(counted(unknown, "position", "positions"))."] : [])
    }
}

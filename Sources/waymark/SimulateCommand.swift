import App
import ArgumentParser
import Formats
import Foundation
import Geofencing
import Geometry
import Stories

/// The output formats of traces.
enum TraceOutput: String, ExpressibleByArgument, CaseIterable {
    case gpx, geojson, csv
}

/// `waymark simulate`.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Generates a GPS trace with ground truth: a person's movements and the reports of their phone.",
        discussion: """
            The person moves along a route or at random around a position. The same options and seed make the same \
            trace. Next to FILE.gpx, it writes FILE.truth.json with the person's position each second and the fences \
            nearby; 'waymark bench geofence --traces' reads both. Reports have errors as between buildings (--noise), \
            stop for a minute now and then, and some arrive late or twice.

            Examples: waymark simulate --random-walk --around 33.755,-84.38 --seed 7 --output walk.gpx
                      waymark simulate --route 33.75,-84.39,33.76,-84.37 --mode drive --interval 30s --format csv
            """
    )

    @Option(parsing: .unconditional, help: "LAT,LON,LAT,LON…: follow these points.")
    var route: String?
    @Flag(help: "Move at random, as is typical of the mode.")
    var randomWalk = false
    @Option(parsing: .unconditional, help: "LAT,LON: where the random walk begins.")
    var around: String?
    @Option(parsing: .unconditional, help: "The seed.")
    var seed: UInt64 = 1
    @Option(help: "The mode: walk, drive, linger, shuttle, bus, tunnel or indoor.", transform: SimulateCommand.mode)
    var mode = TravelMode.walk
    @Option(
        help: "The surroundings, which determine the GPS errors: open, urban or canyon.",
        transform: SimulateCommand.noise
    )
    var noise = SkyView.urban
    @Option(
        help: "The interval between reports: fixed, such as 5s, or duty (5 s to 5 minutes, as in power-saving mode).",
        transform: SimulateCommand.interval
    )
    var interval = FixSampling.every(5)
    @Option(parsing: .unconditional, help: "The radius of the fences in metres, 75 to 5000.")
    var radius = 150.0
    @Option(
        parsing: .unconditional,
        help: "The duration in minutes, 1 to 10080; by default it depends on the mode. A route determines its own."
    )
    var minutes: Int?
    @Option(help: "The start time, such as 2026-03-02T08:00:00Z.")
    var start: String?
    @Flag(inversion: .prefixedNo, help: "Drop reports for a minute or two about every twenty minutes.")
    var dropouts = true
    @Flag(inversion: .prefixedNo, help: "Delay reports; some arrive late, some twice.")
    var delays = true
    @Option(help: "The output format: gpx, geojson or csv.")
    var format: TraceOutput?
    @Option(
        name: .shortAndLong,
        help: "The file to write, with the ground truth next to it; by default, and for -, standard output without it."
    )
    var output: String?
    @Option(
        parsing: .unconditional,
        help: "The number of traces, 1 to 10000, with consecutive seeds; --output is then a folder."
    )
    var count = 1

    func validate() throws {
        guard (route != nil) != (randomWalk || around != nil) else {
            throw ValidationError("Give either --route or --random-walk with --around.")
        }
        guard route != nil || around != nil else { throw ValidationError("--random-walk needs --around LAT,LON.") }
        guard (75...5_000).contains(radius) else {
            throw ValidationError("--radius must be between 75 and 5000 metres.")
        }
        guard minutes.map({ (1...10_080).contains($0) }) ?? true else {
            throw ValidationError("--minutes must be between 1 and 10080.")
        }
        guard (1...10_000).contains(count) else { throw ValidationError("--count must be between 1 and 10000.") }
        guard count == 1 || output != nil && output != standardStream else {
            throw ValidationError("--count needs --output FOLDER.")
        }
    }

    func run() throws {
        guard count > 1 else {
            let world = try world(seed: seed)
            guard let output, output != standardStream else {
                return Console.write(bytes(of: world, name: "simulated", format ?? .gpx))
            }
            let format = format ?? TraceOutput(rawValue: (output as NSString).pathExtension.lowercased()) ?? .gpx
            return try write(world, to: output, format)
        }
        let folder = output ?? "."
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw CommandFailure.failed("\(folder) cannot be created; choose another folder.")
        }
        for number in 0..<count {
            let name = "\(mode.rawValue)-\(noise.rawValue)-\(interval.name)-\(seed &+ UInt64(number))"
            let format = format ?? .gpx
            try write(try world(seed: seed &+ UInt64(number)), to: "\(folder)/\(name).\(format.rawValue)", format)
        }
    }

    private func world(seed: UInt64) throws -> TraceWorld {
        var scenario = TraceScenario(mode, noise, interval)
        scenario.radius = radius
        scenario.duration = minutes.map { $0 * 60 }
        scenario.hasDropouts = dropouts
        scenario.hasTransport = delays
        let start = try beginning()
        if let route {
            let points = try coordinates(route, "--route")
            guard points.count > 1 else {
                throw CommandFailure.usage("--route needs at least two points: LAT,LON,LAT,LON.")
            }
            let length = zip(points, points.dropFirst()).reduce(0) { $0 + GreatCircle.distance($1.0, $1.1) }
            guard length <= 500_000 else {
                throw CommandFailure.usage("--route is longer than 500 km; give a part of it.")
            }
            return TraceWorld(scenario, along: points, seed: seed, start: start)
        }
        let points = try coordinates(around ?? "", "--around")
        guard points.count == 1 else { throw CommandFailure.usage("--around must be LAT,LON in degrees.") }
        return TraceWorld(scenario, around: points[0], seed: seed, start: start)
    }

    private static func mode(_ text: String) throws -> TravelMode {
        guard let mode = TravelMode(rawValue: text) else {
            throw ValidationError("It must be walk, drive, linger, shuttle, bus, tunnel or indoor.")
        }
        return mode
    }

    private static func noise(_ text: String) throws -> SkyView {
        guard let noise = SkyView(rawValue: text) else { throw ValidationError("It must be open, urban or canyon.") }
        return noise
    }

    private static func interval(_ text: String) throws -> FixSampling {
        guard let interval = FixSampling(text) else {
            throw ValidationError("It must be 1s to 3600s, or duty.")
        }
        return interval
    }

    private func beginning() throws -> Int64 {
        guard let start else { return TraceWorld.usualStart }
        guard let time = RFC3339.parse(start) else {
            throw CommandFailure.usage("--start must be a time such as 2026-03-02T08:00:00Z.")
        }
        return time.milliseconds
    }

    private func coordinates(_ text: String, _ option: String) throws -> [Coordinate] {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { Double($0.trimmingCharacters(in: .whitespaces)) }
        guard numbers.count.isMultiple(of: 2) else {
            throw CommandFailure.usage("\(option) must be pairs of latitude and longitude separated by commas.")
        }
        return try stride(from: 0, to: numbers.count, by: 2)
            .map { index throws in
                guard let latitude = numbers[index], let longitude = numbers[index + 1],
                    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
                else {
                    throw CommandFailure.usage(
                        "\(option): point \(index / 2 + 1) must be a latitude (-90 to 90) and longitude (-180 to 180)."
                    )
                }
                return coordinate
            }
    }

    private func bytes(of world: TraceWorld, name: String, _ format: TraceOutput) -> [UInt8] {
        let points = world.fixes.map { fix in
            TracePoint(
                time: Timestamp(milliseconds: fix.time),
                received: fix.received == fix.time ? nil : Timestamp(milliseconds: fix.received),
                coordinate: fix.coordinate,
                accuracy: fix.accuracy
            )
        }
        let trace = Trace(name: name, segments: [points], sourceFormat: .gpx)
        return switch format {
        case .gpx: GPXWriter.write(trace)
        case .geojson: GeoJSONTraceWriter.write(trace)
        case .csv: CSVTraceWriter.write(trace)
        }
    }

    private func write(_ world: TraceWorld, to path: String, _ format: TraceOutput) throws {
        let base = (path as NSString).deletingPathExtension
        let truth = TraceTruth(
            start: Timestamp(milliseconds: world.start),
            labels: [mode.rawValue, noise.rawValue, interval.name],
            fences: world.fences.map { TraceTruth.Circle(center: $0.coordinate, radius: $0.radius) },
            path: world.truth
        )
        do {
            let name = (base as NSString).lastPathComponent
            try Data(bytes(of: world, name: name, format)).write(to: URL(fileURLWithPath: path))
            try Data(truth.bytes).write(to: URL(fileURLWithPath: base + ".truth.json"))
        } catch {
            throw CommandFailure.failed("\(path) cannot be written; check the folder and its permissions.")
        }
    }
}

import Formats
import Geometry
import HTTPTypes
import Stories

/// One change that somebody wants, sent again under the same key until it is answered.
struct Wish: Sendable {
    let request: SimulatedRequest
    /// What it changes, and to what.
    let fact: String
    let value: String
    var attempts = 0
}

/// Somebody who writes stories: one wish after the other.
struct Writer: Sendable {
    let name: String
    private(set) var wish: Wish?
    private var made = 0
    private var settingsSet = 0

    init(_ name: String) { self.name = name }

    /// The wish that is not answered yet, or a new one.
    mutating func nextWish(_ facts: Facts, ids: [String: String], using generator: inout SplitMix64) -> Wish {
        if let wish { return wish }
        let own = facts.present.filter {
            $0.hasPrefix("story \(name) ") && !$0.contains("landmark") && facts.isSettled($0)
        }
        let chance = Int.random(in: 0..<20, using: &generator)
        var next = create(using: &generator)
        if let fact = own.randomElement(using: &generator), chance >= 7,
            let id = ids[fact.split(separator: " ").last.map(String.init) ?? ""]
        {
            next = change(fact, id, facts[fact], chance, using: &generator)
        } else if chance == 5 || chance == 6 {
            next = collect(using: &generator)
        }
        if chance == 19, Cast.drivers.contains(name) { next = setUp() }
        wish = next
        return next
    }

    mutating func noteAttempt() { wish?.attempts += 1 }

    mutating func forget() { wish = nil }

    private func key(using generator: inout SplitMix64) -> String { String(generator.next(), radix: 36) }

    private mutating func create(using generator: inout SplitMix64) -> Wish {
        made += 1
        let story = "\(name)-\(made)"
        let privacy = ["public", "family_only", "private"].randomElement(using: &generator) ?? "public"
        let point = Coordinate(wrappingLatitude: 50 + generator.unit(), longitude: generator.unit())
        let body = StoryText.body(of: story, privacy, at: point)
        let request = SimulatedRequest(
            method: .post,
            path: "/v1/stories",
            user: name,
            body: body,
            key: key(using: &generator)
        )
        return Wish(request: request, fact: "story \(name) \(story)", value: "v0 \(privacy)")
    }

    private mutating func collect(using generator: inout SplitMix64) -> Wish {
        made += 1
        let title = "trip-\(made)"
        let request = SimulatedRequest(
            method: .post,
            path: "/v1/collections",
            user: name,
            body: "{\"title\":\"\(title)\"}",
            key: key(using: &generator)
        )
        return Wish(request: request, fact: "collection \(name) \(title)", value: "1")
    }

    private func change(
        _ fact: String,
        _ id: String,
        _ value: String,
        _ chance: Int,
        using generator: inout SplitMix64
    ) -> Wish {
        let words = value.split(separator: " ").map(String.init)
        let (version, privacy) = (Int(words[0].dropFirst()) ?? 0, words.last ?? "public")
        let story = fact.split(separator: " ").last.map(String.init) ?? ""
        let path = "/v1/stories/\(id)"
        switch chance {
        case 7...12:
            let request = SimulatedRequest(
                method: .patch,
                path: path,
                user: name,
                body: "{\(StoryText.words(of: story, version: version + 1))}",
                key: key(using: &generator)
            )
            return Wish(request: request, fact: fact, value: "v\(version + 1) \(privacy)")
        case 13...16:
            let next = ["public", "family_only", "private"].filter { $0 != privacy }.randomElement(using: &generator)
            let wanted = next ?? "private"
            let request = SimulatedRequest(
                method: .put,
                path: path + "/privacy",
                user: name,
                body: "{\"privacy\":\"\(wanted)\"}"
            )
            return Wish(request: request, fact: fact, value: "v\(version) \(wanted)")
        default:
            return Wish(
                request: SimulatedRequest(method: .delete, path: path, user: name),
                fact: fact,
                value: Facts.absent
            )
        }
    }

    private mutating func setUp() -> Wish {
        settingsSet += 1
        // Two settings that always change together.
        let (preview, radius) = settingsSet % 2 == 1 ? ("count", 120) : ("full", 100)
        let request = SimulatedRequest(
            method: .put,
            path: "/v1/me/notification-settings",
            user: name,
            body: "{\"enabled\":true,\"preview\":\"\(preview)\",\"radius\":\(radius)}"
        )
        return Wish(request: request, fact: "settings \(name)", value: "\(preview) \(radius)")
    }
}

/// Somebody who drives along a road and reports positions, those again that were not answered.
struct Driver: Sendable {
    let name: String
    private(set) var waiting: [String] = []
    private var metres = -100.0
    /// How far the reports reach that were answered.
    private(set) var passed = -100.0
    /// The places that were passed while the service called positions late, or rejected their times, as it does while the
    /// clocks of service and device are days apart: these announce nothing, and the answer says so.
    private(set) var excused: Set<String> = []
    /// The notifications that were answered.
    var acknowledged: Set<String> = []

    init(_ name: String) { self.name = name }

    /// Whether nothing lies ahead, and all of it was reported.
    var hasArrived: Bool { metres > Cast.apart * Double(Cast.landmarks) + 400 && waiting.isEmpty }

    /// Drives on for a second.
    mutating func drive(at now: Timestamp) {
        guard metres <= Cast.apart * Double(Cast.landmarks) + 400 else { return }
        metres += Cast.speed
        let point = Cast.point(metres, on: name)
        waiting.append(
            "{\"t\":\"\(RFC3339.format(now))\",\"lat\":\(point.latitude),\"lon\":\(point.longitude),\"acc\":8}"
        )
    }

    /// The report of the positions that wait.
    var report: SimulatedRequest {
        SimulatedRequest(
            method: .post,
            path: "/v1/fixes",
            user: name,
            body: "{\"device\":\"phone\",\"fixes\":[\(waiting.joined(separator: ","))]}"
        )
    }

    /// What became of the positions of a report, as far as they were not simply accepted.
    static func counts(of reply: SimulatedReply) -> String {
        guard reply.isSuccess, let json = try? JSONValue(parsing: reply.body) else { return "" }
        let words = ["duplicate", "late", "suspect"]
            .compactMap { word in
                json[word]?.integer.flatMap { $0 > 0 ? " \(word) \($0)" : nil }
            }
        let reasons = Set((json["rejected"]?.array ?? []).compactMap { $0["why"]?.string }).sorted().map { " \($0)" }
        return (words + reasons).joined()
    }

    /// Notes an answer to a report.
    mutating func note(_ reply: SimulatedReply) {
        guard reply.isSuccess, let json = try? JSONValue(parsing: reply.body, limits: .init(bytes: .max)) else {
            return
        }
        acknowledged.formUnion((json["notifications"]?.array ?? []).compactMap(\.string))
        let isRejected = (json["rejected"]?.array ?? []).contains { ["old", "time"].contains($0["why"]?.string) }
        if isRejected || json["late"]?.integer ?? 0 > 0 {
            for number in 0..<Cast.landmarks {
                let place = Cast.apart * Double(number + 1)
                if place > passed - 250, place < metres + 250 { excused.insert(Cast.landmark(number, on: name)) }
            }
        }
        (passed, waiting) = (metres, [])
    }
}

import App
import Library
import Formats
import Foundation
import Geometry
import Stories
import TestSupport
import Testing

/// A person who tells stories on walks, a quarter of them with a coarser place: what an attacker tries to link.
struct LinkedOutings: Sendable {
    /// The true points of the stories that are shown less exactly.
    let secrets: [StoryID: Coordinate]
    let stories: [Story]

    /// Some years of walks within one degree, three in most months: steps of 250 metres, a story at each, a few minutes
    /// apart, told and dated as they happen.
    init(of owner: UserID, shown precision: LocationPrecision, until now: Timestamp, seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var secrets: [StoryID: Coordinate] = [:]
        var stories: [Story] = []
        let outings = 180
        for outing in 0..<outings {
            let daysAgo = 10 * (outings - outing) + Int(generator.unit() * 9)
            var time = now.milliseconds - Int64(daysAgo) * 86_400_000
            var point = Coordinate(
                wrappingLatitude: 33.05 + 0.9 * generator.unit(),
                longitude: -84.95 + 0.9 * generator.unit()
            )
            var heading = 2 * Double.pi * generator.unit()
            for _ in 0..<8 {
                let created = Timestamp(milliseconds: time)
                let id = StoryID(using: &generator)
                var story = Story(id: id, kind: .photo, title: "Step", owner: owner, createdAt: created)
                story.date = created.day.flatMap { StoryDate($0.description) }
                story.location = StoryLocation(coordinate: point, source: .gps)
                if generator.unit() < 0.25 {
                    story.location?.precision = precision
                    secrets[id] = point
                }
                stories.append(story)
                time += 240_000 + Int64(generator.unit() * 120_000)
                heading += 1.2 * (generator.unit() - 0.5)
                let metres = 250 / 111_195.0
                point = Coordinate(
                    wrappingLatitude: point.latitude + metres * sin(heading),
                    longitude: point.longitude + metres * cos(heading) / cos(point.latitude * .pi / 180)
                )
            }
        }
        self.secrets = secrets
        self.stories = stories
    }
}

/// Somebody who may see the stories, and estimates points from what stands beside them.
struct LinkingAttacker: Sendable {
    /// What the attacker is shown of one story.
    struct Seen: Sendable {
        let id: StoryID
        let point: Coordinate?
        let isExact: Bool
        let cell: Double?
        let days: ClosedRange<CalendarDay>
        let created: Int64
    }

    /// In the order of the list.
    let seen: [Seen]

    /// Reads all there is of an owner, page by page, without signing in.
    init(reading client: Client, owner: String) async throws {
        var seen: [Seen] = []
        var next: String? = "/v1/stories?owner=\(owner)&limit=500"
        while let path = next {
            let page = try await client.get(path).json
            for feature in page["features"]?.array ?? [] {
                let (properties, place) = (feature["properties"], feature["geometry"]?["coordinates"])
                let point = place.flatMap { place -> Coordinate? in
                    guard let longitude = place[0]?.number, let latitude = place[1]?.number else { return nil }
                    return Coordinate(latitude: latitude, longitude: longitude)
                }
                let date = try #require(properties?["date"]?.string.flatMap { StoryDate($0) })
                let created = try #require(properties?["created_at"]?.string)
                let time = try Date(
                    created,
                    strategy: .iso8601.year().month().day().time(includingFractionalSeconds: created.contains("."))
                )
                seen.append(
                    Seen(
                        id: try #require(feature["id"]?.string.flatMap { StoryID($0) }),
                        point: point,
                        isExact: properties?["location"]?["precision"]?.string == "exact",
                        cell: properties?["location"]?["cell"]?.number,
                        days: try #require(date.days),
                        created: Int64((time.timeIntervalSince1970 * 1_000).rounded())
                    )
                )
            }
            next = page["links"]?.array?.first?["href"]?.string
        }
        self.seen = seen
    }

    /// Ways to estimate the point of a story that is shown less exactly.
    enum Method: String, CaseIterable, Sendable {
        /// The published point; of a hidden one the middle of all exact ones.
        case center
        /// Between the exact stories before and after it in the list, by their times of creation.
        case order
        /// The middle of the exact stories of the days it may have happened on.
        case days
        /// The exact story created next to it.
        case nearest
    }

    private static func middle(_ points: [Coordinate]) -> Coordinate? {
        guard !points.isEmpty else { return nil }
        let sum = points.reduce((0.0, 0.0)) { ($0.0 + $1.latitude, $0.1 + $1.longitude) }
        return Coordinate(
            wrappingLatitude: sum.0 / Double(points.count),
            longitude: sum.1 / Double(points.count)
        )
    }

    /// The errors in metres of a method.
    func errors(_ method: Method, secrets: [StoryID: Coordinate]) -> [Double] {
        let everywhere = LinkingAttacker.middle(seen.filter(\.isExact).compactMap(\.point))
        return seen.indices.compactMap { index in
            guard let truth = secrets[seen[index].id] else { return nil }
            let fallback = seen[index].point ?? everywhere
            let guess = method == .center ? nil : estimate(index, method)
            return (guess.map { within(seen[index], $0) } ?? fallback).map { GreatCircle.distance($0, truth) }
        }
    }

    private func estimate(_ index: Int, _ method: Method) -> Coordinate? {
        let secret = seen[index]
        switch method {
        case .center: return nil
        case .order:
            guard let after = seen[..<index].last(where: \.isExact),
                let before = seen[index...].first(where: \.isExact),
                let a = before.point, let b = after.point
            else { return nil }
            let span = Double(after.created - before.created)
            let part = span > 0 ? min(1, max(0, Double(secret.created - before.created) / span)) : 0.5
            return Coordinate(
                wrappingLatitude: a.latitude + part * (b.latitude - a.latitude),
                longitude: a.longitude + part * (b.longitude - a.longitude)
            )
        case .days:
            return LinkingAttacker.middle(
                seen.filter { $0.isExact && $0.days.overlaps(secret.days) }.compactMap(\.point)
            )
        case .nearest:
            return seen.filter(\.isExact).min { abs($0.created - secret.created) < abs($1.created - secret.created) }?
                .point
        }
    }

    /// The estimate, moved into the cell that is published.
    private func within(_ secret: Seen, _ guess: Coordinate) -> Coordinate {
        guard let center = secret.point, let side = secret.cell else { return guess }
        func clamped(_ value: Double, _ middle: Double) -> Double {
            min(middle + side / 2, max(middle - side / 2, value))
        }
        return Coordinate(
            wrappingLatitude: clamped(guess.latitude, center.latitude),
            longitude: clamped(guess.longitude, center.longitude)
        )
    }
}

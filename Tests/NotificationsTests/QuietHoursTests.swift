import Foundation
import Notifications
import Stories
import Testing

/// DLV-05: quiet hours and digests on the clock of the user's zone.
@Suite("DLV-05 Quiet hours")
struct QuietHoursTests {
    private func instant(_ text: String) throws -> Timestamp {
        let date = try #require(ISO8601DateFormatter().date(from: text))
        return Timestamp(milliseconds: Int64(date.timeIntervalSince1970) * 1_000)
    }

    private func zone(_ name: String) throws -> ZoneOffset {
        let zone = try #require(TimeZone(identifier: name))
        return { zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0.milliseconds) / 1_000)) }
    }

    private func hours(_ from: Int, _ to: Int, _ days: Set<Weekday> = Set(Weekday.allCases)) throws -> QuietHours {
        var hours = QuietHours()
        hours.windows = [try #require(QuietHours.Window(days: days, from: from, to: to))]
        return hours
    }

    @Test(
        "DLV-05 The end of quiet hours in New York",
        arguments: [
            // An ordinary night, 22:00 to 07:00; New York is four hours behind in summer, five in winter.
            (1_320, 420, "2026-07-01T01:59:59Z", ""), (1_320, 420, "2026-07-01T02:00:00Z", "2026-07-01T11:00:00Z"),
            (1_320, 420, "2026-07-01T10:59:59Z", "2026-07-01T11:00:00Z"), (1_320, 420, "2026-07-01T11:00:00Z", ""),
            // The nights of the leap: seven hours long in March, nine and one more in November.
            (1_320, 420, "2026-03-08T04:00:00Z", "2026-03-08T11:00:00Z"),
            (1_320, 420, "2026-11-01T04:00:00Z", "2026-11-01T12:00:00Z"),
            // 02:30 does not exist on 8 March: the quiet ends when the clock leaps over it, at 07:00 UTC.
            (60, 150, "2026-03-08T06:30:00Z", "2026-03-08T07:00:00Z"), (60, 150, "2026-03-08T07:00:00Z", ""),
            // 02:30 begins it there too.
            (150, 240, "2026-03-08T07:00:00Z", "2026-03-08T08:00:00Z"),
            // 01:30 comes twice on 1 November: the quiet ends at the first and does not begin again at the second 01:00.
            (0, 90, "2026-11-01T05:29:59Z", "2026-11-01T05:30:00Z"), (0, 90, "2026-11-01T06:10:00Z", ""),
            // A span from the repeated hour begins once.
            (90, 180, "2026-11-01T05:30:00Z", "2026-11-01T08:00:00Z"),
        ]
    )
    func end(from: Int, to: Int, time: String, end: String) throws {
        let found = try hours(from, to).end(at: try instant(time), zone: try zone("America/New_York"))
        #expect(found == (end.isEmpty ? nil : try instant(end)))
    }

    @Test("DLV-05 A window belongs to the day on which it starts")
    func weekdays() throws {
        let hours = try hours(1_320, 420, [.friday])
        let zone: ZoneOffset = { _ in 0 }
        // 2026-07-03 is a Friday.
        #expect(hours.end(at: try instant("2026-07-03T21:59:00Z"), zone: zone) == nil)
        #expect(hours.end(at: try instant("2026-07-04T06:00:00Z"), zone: zone) == (try instant("2026-07-04T07:00:00Z")))
        #expect(hours.end(at: try instant("2026-07-03T06:00:00Z"), zone: zone) == nil)
        #expect(hours.end(at: try instant("2026-07-04T22:30:00Z"), zone: zone) == nil)
    }

    @Test("DLV-05 Adjacent windows are one; endless quiet ends within days, to be checked again")
    func touching() throws {
        var hours = try hours(1_200, 1_440, [.saturday])
        hours.windows.append(try #require(QuietHours.Window(days: [.sunday], from: 0, to: 600)))
        let end = hours.end(at: try instant("2026-07-04T20:00:00Z"), zone: { _ in 0 })
        #expect(end == (try instant("2026-07-05T10:00:00Z")))
        let always = try self.hours(0, 1_440)
        let now = try instant("2026-07-04T20:00:00Z")
        let far = try #require(always.end(at: now, zone: { _ in 0 }))
        #expect(far.milliseconds - now.milliseconds > 7 * 86_400_000)
    }

    @Test("DLV-05 Windows match brute force", arguments: ["America/New_York", "Europe/London", "Asia/Kathmandu"])
    func bruteForce(name: String) throws {
        let hours = try hours(1_350, 375, [.monday, .thursday, .saturday])
        let zone = try zone(name)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: name))
        // A quarter of an hour at a time through a year, away from the days of the leaps, by the system's own calendar.
        let start = try instant("2026-01-01T00:00:00Z").milliseconds
        var checked = 0
        for step in 0..<(365 * 96) {
            let time = Timestamp(milliseconds: start + Int64(step) * 900_000)
            let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000)
            let offsets = [-86_400.0, 0, 86_400].map { calendar.timeZone.secondsFromGMT(for: date + $0) }
            guard Set(offsets).count == 1 else { continue }
            let parts = calendar.dateComponents([.weekday, .hour, .minute], from: date)
            let (weekday, minute) = (try #require(parts.weekday), (parts.hour ?? 0) * 60 + (parts.minute ?? 0))
            let beginsToday = [2, 5, 7].contains(weekday) && minute >= 1_350
            let beganYesterday = [3, 6, 1].contains(weekday) && minute < 375
            #expect((hours.end(at: time, zone: zone) != nil) == (beginsToday || beganYesterday))
            checked += 1
        }
        #expect(checked > 30_000)
    }

    @Test("DLV-05 Digest windows cover each instant once, a repeated hour once, and miss no skipped hour")
    func digests() throws {
        var schedule = DigestSchedule()
        #expect(schedule.lastWindow(before: try instant("2026-07-01T00:00:00Z"), zone: { _ in 0 }) == nil)
        let zone = try zone("America/New_York")
        for (every, hour) in [(DigestSchedule.Every.weekly, 1), (.weekly, 2), (.monthly, 1), (.monthly, 8)] {
            schedule.every = every
            schedule.day = .sunday
            schedule.hour = hour
            var windows: [DigestSchedule.Window] = []
            let start = try instant("2026-01-01T00:00:00Z").milliseconds
            for step in 0..<(365 * 48) {
                let now = Timestamp(milliseconds: start + Int64(step) * 1_800_000)
                guard let window = schedule.lastWindow(before: now, zone: zone), window != windows.last else {
                    continue
                }
                #expect(window.ends <= now)
                if let last = windows.last { #expect(window.begins == last.ends) }
                windows.append(window)
            }
            #expect(Set(windows.map(\.key)).count == windows.count)
            #expect(windows.count == (every == .weekly ? 53 : 13))
        }
    }
}

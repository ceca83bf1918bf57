import Library
import App
import Stories
import Testing

@Suite("A steady clock")
struct SteadyTimeTests {
    /// What the wall clock and the running clock show, and what time it is by the steady one.
    struct Row: Sendable, CustomTestStringConvertible {
        let wall: Int64
        let running: Int64
        let time: Int64
        let isBelieved: Bool

        init(_ wall: Int64, _ running: Int64, _ time: Int64, _ isBelieved: Bool = false) {
            self.wall = wall
            self.running = running
            self.time = time
            self.isBelieved = isBelieved
        }

        var testDescription: String { "\(wall) \(running)" }
    }

    private static let day: Int64 = 86_400_000

    @Test(
        "A jump has no effect until it has lasted half a minute; drift is followed",
        arguments: [
            // A day ahead for five seconds.
            [
                Row(1_000, 0, 1_000), Row(day + 2_000, 1_000, 2_000), Row(day + 6_000, 5_000, 6_000),
                Row(7_000, 6_000, 7_000),
            ],
            // An hour back for good.
            [
                Row(3_700_000, 0, 3_700_000), Row(110_000, 10_000, 3_710_000), Row(139_999, 39_999, 3_739_999),
                Row(140_000, 40_000, 3_740_000, true),
            ],
            // To another time before it is believed: it begins anew.
            [
                Row(0, 0, 0), Row(500_000, 1_000, 1_000), Row(900_000, 30_000, 30_000),
                Row(930_000, 60_000, 60_000, true),
            ],
            // Slewed by 1.5 s at a time.
            [Row(0, 0, 0), Row(11_500, 10_000, 11_500), Row(23_000, 20_000, 23_000), Row(34_500, 30_000, 34_500)],
        ]
    )
    func table(rows: [Row]) {
        var time = SteadyTime(.init(wall: rows[0].wall, running: rows[0].running))
        for row in rows {
            #expect(time.read(.init(wall: row.wall, running: row.running)) == row.time, "\(row.testDescription)")
            #expect(time.isBelieved(at: row.running) == row.isBelieved, "\(row.testDescription)")
        }
    }

    @Test("An accepted change moves the time by the stated shift; a device can only confirm a clock set back")
    func adopting() {
        var time = SteadyTime(.init(wall: 10_000_000, running: 0))
        _ = time.read(.init(wall: 6_400_000, running: 0))
        #expect(time.deviation == -3_600_000)
        #expect(time.isWitnessed(by: 6_390_000, at: 0) && !time.isWitnessed(by: 10_000_000, at: 0))
        #expect(time.adopt() == -3_600_000)
        #expect(time.read(.init(wall: 6_401_000, running: 1_000)) == 6_401_000 && time.deviation == 0)
        _ = time.read(.init(wall: 96_401_000, running: 1_000))
        #expect(!time.isWitnessed(by: 96_401_000, at: 1_000))
    }

    @Test("After a restart in the same boot, the monotonic clock gives the time")
    func continuing() {
        var time = SteadyTime(.init(wall: 86_420_000, running: 15_000), continuing: 10_000, asOf: 5_000)
        #expect(time.read(.init(wall: 86_421_000, running: 16_000)) == 21_000)
        #expect(time.deviation == 86_400_000)
    }

    @Test("PRV-07 Confirmed time advances with the service; a leap takes a tenth of itself, at most a week")
    func confirmed() {
        let (hour, day): (Int64, Int64) = (3_600_000, 86_400_000)
        var time = ConfirmedTime(newest: 1_000 * day)
        time.note(1_000 * day + 300_000, ran: nil)
        #expect(time.confirmed == 1_000 * day + 300_000, "a restart")
        time.note(1_000 * day + 360_000, ran: 60_000)
        #expect(time.confirmed == 1_000 * day + 360_000, "a minute")
        // Off for ten days: a day at the new time.
        var now = 1_010 * day
        time.note(now, ran: nil)
        #expect(time.isPending)
        for _ in 0..<24 {
            now += hour
            time.note(now, ran: hour)
        }
        #expect(time.isPending)
        for _ in 0..<3 {
            now += hour
            time.note(now, ran: hour)
        }
        #expect(!time.isPending && time.confirmed == now)
        // Eight years ahead: six days are not enough, and back again nothing was certain.
        time.note(now + 2_922 * day, ran: nil)
        for hours in 1...(6 * 24) { time.note(now + 2_922 * day + Int64(hours) * hour, ran: hour) }
        #expect(time.confirmed == now && time.missing == day)
        time.note(now + 6 * day, ran: hour)
        time.note(now + 2_922 * day, ran: hour)
        #expect(time.confirmed <= now + 6 * day && time.missing > 6 * day)
        time.note(1_000, ran: nil)
        #expect(time.confirmed == 1_000)
    }

    @Test("A clock set back by years does not delay daily work for years")
    func dailyTurn() {
        var turn = DailyTurn()
        let (day, start): (Int64, Int64) = (86_400_000, 20_000 * 86_400_000)
        let came = [start + 3_000 * day, start, start + day - 1, start + day, start + day + 1]
            .map { time in
                let comes = turn.comes(at: Timestamp(milliseconds: time))
                turn.succeed()
                return comes
            }
        #expect(came == [true, true, false, true, false])
    }
}

import Observing
import Testing

/// How long work still takes, as progress bars say it.
struct TimeLeftTests {
    @Test("At an even pace the estimate is what it takes; before three seconds, and at the end, nothing is said")
    func even() {
        var left = TimeLeft()
        #expect(left.seconds(done: 0, of: 100, at: 10) == nil)
        #expect(left.seconds(done: 2, of: 100, at: 12) == nil)
        #expect(left.seconds(done: 10, of: 100, at: 20) == 90)
        #expect(left.seconds(done: 50, of: 100, at: 60) == 50)
        #expect(left.seconds(done: 100, of: 100, at: 110) == nil)
    }

    @Test("What an earlier run did says nothing about the pace, and neither does a standstill")
    func resumed() {
        var left = TimeLeft()
        #expect(left.seconds(done: 900, of: 1_000, at: 0) == nil)
        #expect(left.seconds(done: 900, of: 1_000, at: 60) == nil)
        #expect(left.seconds(done: 910, of: 1_000, at: 100) == 900)
    }

    @Test(
        "Times are said as roughly as they are known",
        arguments: [
            (0.2, "5 s"), (7, "5 s"), (8, "10 s"), (89, "90 s"), (90, "2 min"), (600, "10 min"), (5_399, "90 min"),
            (5_400, "2 h"), (36_000, "10 h"), (.infinity, "9999 h"),
        ] as [(Double, String)]
    )
    func words(seconds: Double, text: String) {
        #expect(TimeLeft.words(seconds) == text)
    }
}

/// An estimate of how long work still takes, by its pace since it was first looked at.
///
/// What was done before that counts for nothing: work that goes on where an earlier run stopped would seem too fast.
public struct TimeLeft: Sendable {
    /// The seconds of work before anything is said.
    public static let patience = 3.0

    private var begun: (done: Int, at: Double)?

    /// Begins with nothing known.
    public init() {}

    /// Returns the seconds until everything is done; `nil` in the first seconds, while nothing is done, and at the end.
    ///
    /// `done` of `total` is done at `now`, a time in seconds by a clock that only goes forwards.
    public mutating func seconds(done: Int, of total: Int, at now: Double) -> Double? {
        guard let begun else {
            self.begun = (done, now)
            return nil
        }
        let (worked, progress) = (now - begun.at, done - begun.done)
        guard worked >= TimeLeft.patience, progress > 0, done < total else { return nil }
        return worked * Double(total - done) / Double(progress)
    }

    /// Returns a time as rough as it is known: "5 s", "40 s", "3 min", "2 h".
    public static func words(_ seconds: Double) -> String {
        guard seconds < 5_400 else { return "\(Int(min(seconds / 3_600, 9_999).rounded())) h" }
        guard seconds < 90 else { return "\(Int((seconds / 60).rounded())) min" }
        return "\(max(5, Int((seconds / 5).rounded()) * 5)) s"
    }
}

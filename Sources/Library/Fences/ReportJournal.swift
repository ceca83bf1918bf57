package import Stories
import Synchronization

/// When each device last reported, and why its last unused report was not used; without any position.
///
/// Lives in memory: it is of use while somebody sets up an app, and is not worth a write with every report. It holds a
/// limited number of devices, those that reported last.
package final class ReportJournal: Sendable {
    /// A report that was not used.
    package struct Ignored: Hashable, Sendable {
        /// When it arrived.
        package let at: Timestamp
        /// The reason as a code for programs.
        package let reason: String
        /// The reason as a sentence for people, without positions.
        package let message: String
    }

    /// What is known of a device.
    package struct Entry: Hashable, Sendable {
        /// When something from it last arrived.
        package var receivedAt: Timestamp
        /// When something from it was last used.
        package var usedAt: Timestamp?
        /// Its last report that was not used.
        package var ignored: Ignored?
    }

    private struct Key: Hashable, Sendable {
        let user: UserID
        let device: String
    }

    /// Devices in two generations: when the younger is full, it becomes the older, and the older is forgotten.
    private struct State: Sendable {
        var young: [Key: Entry] = [:]
        var old: [Key: Entry] = [:]
    }

    private let state = Mutex(State())
    /// The number of devices in a generation.
    private let size: Int

    /// Creates an empty journal.
    package init(size: Int = 20_000) { self.size = size }

    /// Returns what is known of a user's device; `nil` if it has not reported for long.
    package func entry(of user: UserID, device: String) -> Entry? {
        let key = Key(user: user, device: device)
        return state.withLock { $0.young[key] ?? $0.old[key] }
    }

    /// Notes the outcome of a device's fixes.
    package func note(_ report: FixReport, of user: UserID, device: String, at now: Timestamp) {
        change(user, device, at: now) { entry in
            if report.accepted + report.suspect > 0 { entry.usedAt = now }
            guard let (reason, message) = ReportJournal.reason(of: report) else { return }
            entry.ignored = Ignored(at: now, reason: reason, message: message)
        }
    }

    /// Notes that a part of a message was ignored before it became a fix.
    package func note(ignored reason: String, _ message: String, of user: UserID, device: String, at now: Timestamp) {
        change(user, device, at: now) { $0.ignored = Ignored(at: now, reason: reason, message: message) }
    }

    /// Forgets the devices of a user.
    package func forget(_ user: UserID) {
        state.withLock { state in
            state.young = state.young.filter { $0.key.user != user }
            state.old = state.old.filter { $0.key.user != user }
        }
    }

    private func change(_ user: UserID, _ device: String, at now: Timestamp, _ change: (inout Entry) -> Void) {
        let key = Key(user: user, device: device)
        state.withLock { state in
            var entry = state.young[key] ?? state.old[key] ?? Entry(receivedAt: now)
            entry.receivedAt = now
            change(&entry)
            if state.young[key] == nil, state.young.count >= size { (state.old, state.young) = (state.young, [:]) }
            state.young[key] = entry
        }
    }

    /// What people read instead of the names of fields, by reason.
    private static let sentences = [
        "accuracy": "Its accuracy is too coarse to decide anything; send positions accurate to 200 metres or better.",
        "invalid": "The device itself says that it has no valid position.",
        "zero": "Its latitude and longitude are exactly 0, which devices send when they have no position.",
        "old": "Its time is more than a day in the past, too late to matter; set the device's clock if it is wrong.",
    ]

    private static func reason(of report: FixReport) -> (reason: String, message: String)? {
        guard report.isMonitoring else { return ("off", "Notifications about places are off for this user.") }
        if let rejected = report.rejected.last {
            return (rejected.reason, sentences[rejected.reason] ?? "Its \(rejected.field) \(rejected.message).")
        }
        if report.late > 0 { return ("late", "It came too late to change anything: later positions are known.") }
        if report.duplicate > 0 { return ("duplicate", "It was received before.") }
        return nil
    }
}
